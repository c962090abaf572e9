"""Real schedulers and machines: what is played there is what is played here, whatever dies."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from commands.test_json_schemas import fits

from referee.bench.cluster_report import ClusterReport
from support import kill_cluster
from support.kill_cluster import Processes, running
from support.reports import told, without_times
from support.sandboxes import need

BOTS = ("sample:greedy", "sample:first-c")


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Processes]:
    """A scheduler and two machines."""
    need("bwrap")
    with running(tmp_path / "cluster", machines=2) as found:
        yield found


@pytest.mark.slow
def test_a_comparison_is_the_same_on_machines(cluster: Processes, tmp_path: Path) -> None:
    """Word for word, times aside; and with a record of each match."""
    words = ("compare", *BOTS, "--until", "8", "--key", "k")
    there, said = told(
        *words, "--records", str(tmp_path / "records"), environment=cluster.environment
    )
    here, _ = told(*words)
    assert without_times(there) == without_times(here)
    assert len(list((tmp_path / "records").glob("*.jsonl"))) == 4
    for name in ("m0", "m1"):
        assert re.search(rf"machine {name} joins: .*, 1 core, L [\d.]+ us; sandbox: bwrap", said)
        assert re.search(rf"machine {name}: \d match.*, \d block.*, [\d.]+ blocks/s", said)
    assert re.search(r"cluster: \d+ matches, \d+ blocks, [\d.]+ blocks/s", said)


@pytest.mark.slow
def test_a_ladder_is_played_by_machines_and_holds(cluster: Processes, tmp_path: Path) -> None:
    """Bots of its authors travel; its proof finds nothing."""
    bot = tmp_path / "mine"
    bot.write_text((Path(__file__).parents[3] / "sample_bots" / "first_bot.py").read_text())
    bot.write_text(f"#!/usr/bin/env python3\n{bot.read_text()}")
    bot.chmod(0o755)
    where = ("--ladder", str(tmp_path / "it"))
    told("ladder", "open", "--game", "briscola-2", *where)
    told("submit", str(bot), "--author", "a", "--sandbox", "bwrap", *where)
    told("submit", "sample:greedy", "--author", "b", "--sandbox", "bwrap", *where)
    out, said = told("ladder", "run", "--blocks", "6", *where, environment=cluster.environment)
    assert out.startswith("played 6 blocks in ")
    assert f"at a time; cluster: {cluster.address}" in said
    out, _ = told("ladder", "verify", *where)
    assert "all of it holds" in out


@pytest.mark.slow
def test_a_cluster_is_measured_beside_the_cores_of_this_machine(cluster: Processes) -> None:
    """What it prints as JSON is what its schema says."""
    cluster.wait_for("machine-0", "machine-1")
    words = ("bench", "--cluster", cluster.address, "--quick", "--rounds", "1", "--json")
    out, said = told(*words, environment=cluster.environment)
    fits("bench cluster", json.loads(out))
    report = msgspec.json.decode(out, type=ClusterReport)
    assert [row.deals for row in report.rows] == [2, 10, 50]
    assert (report.machines, report.cores, report.rounds) == (2, 2, 1)
    assert report.sandbox.startswith("bwrap: ")
    assert all(row.part > 0 and row.conductor_ms[0] > 0 for row in report.rows)
    assert "machine m0 joins: " in said


@pytest.mark.thorough
def test_a_cluster_whose_processes_are_killed_comes_to_the_same(tmp_path: Path) -> None:
    """Conductor, scheduler, machines, workers; a hundred times by hand."""
    need("bwrap")
    assert kill_cluster.survives(tmp_path, 6, 1).total() == 6

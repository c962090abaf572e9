"""`referee bench --cluster`: what it reports, and says where there is nothing to measure."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from ladder.cluster.keys import make_keys
from ladder.commands.players import KEYS_VARIABLE
from referee.bench import cluster as clusters
from referee.bench.cluster import ClusterSizes, measure
from referee.bench.cluster_report import ClusterReport, row_of
from referee.bench.report import Machine
from referee.cli import run
from referee.commands.bench_cluster import show_cluster
from referee.errors import HostError
from referee.terminal.console import console
from referee.workers.jobs import Job, JobResult
from support.clusters import FakeMachine, cluster
from support.kill_cluster import free_port
from support.matches import has_tool

HERE = Machine(2, "a processor", "a kernel", "a python", "0", "", "plain", 0.0)


@pytest.fixture
def keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the keys of a cluster are looked for."""
    monkeypatch.setenv(KEYS_VARIABLE, str(tmp_path / "keys"))
    return tmp_path / "keys"


def test_a_part_is_taken_round_by_round() -> None:
    """A round in which the machine was slow counts no more than the others."""
    row = row_of(50, [(90.0, 100.0, 5.0), (95.0, 100.0, 6.0), (800.0, 1000.0, 50.0)])

    assert (row.part, row.low, row.high) == (90.0, 80.0, 95.0)
    assert (row.overhead_ms, row.pool_ms, row.conductor_ms[1]) == (10.0, (90.0, 95.0, 800.0), 6.0)
    assert row.goal is not None
    assert (row.goal.text, row.goal.met) == (">= 90 %", True)
    assert row_of(2, [(1.0, 2.0, 1.0)]).goal is None, "short matches cost more everywhere"


def test_the_table_says_where_it_was_measured_and_what_is_missed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = (row_of(2, [(9.0, 18.0, 5.0)]), row_of(50, [(80.0, 100.0, 7.0)]))
    report = ClusterReport(
        here=HERE,
        workers=2,
        cluster="tls://h:1",
        machines=3,
        cores=12,
        sandbox="bwrap: all of it",
        rounds=1,
        rows=rows,
    )
    show_cluster(report, console())
    said = capsys.readouterr().out
    assert said.startswith("tls://h:1: 3 machines, 12 cores; here: a processor, 2 cores")
    assert [line.split() for line in said.splitlines() if line[:1].isdigit()] == [
        ["2", "9.00", "18.0", "9.00", "5.00", "50", "50", "50"],
        ["50", "80.0", "100", "20.0", "7.00", "80", "80", "80", ">=", "90", "%:", "missed"],
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--only", "acts"], "say --cluster or --only, not both"),
        (["--rounds", "0"], "rounds=0: from 1 to 1000"),
        ([], "authority.pem: No such file or directory"),
    ],
)
def test_wrong_input_is_named(
    words: Sequence[str], line: str, keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 and one line."""
    assert run(["bench", "--cluster", "tls://127.0.0.1", *words]) == 2
    said = capsys.readouterr().err
    assert line in said
    assert said.count("\n") == 1


def test_an_address_in_the_clear_is_refused(keys: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--cluster", "tcp://127.0.0.1"]) == 2
    assert "a cluster speaks TLS only" in capsys.readouterr().err


def test_a_scheduler_that_is_not_there_is_the_hosts_trouble(
    keys: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 3 and one line."""
    make_keys(keys, datetime.now(UTC))
    address = f"tls://127.0.0.1:{free_port()}"
    assert run(["bench", "--cluster", address]) == 3
    said = capsys.readouterr().err
    assert said.startswith(f"referee: cluster {address}: no scheduler with these keys answers")
    assert said.count("\n") == 1


def test_where_nothing_opens_clusters_it_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(clusters, "entry_points", lambda group: ())
    assert run(["bench", "--cluster", "tls://127.0.0.1"]) == 2
    assert "nothing is installed that opens a cluster" in capsys.readouterr().err


class Restless:
    """Machines of which one more is there each time somebody looks."""

    machines = 1
    size = 1

    def __init__(self, players: Any) -> None:  # a cluster of the tests
        self._players = players
        self._looks = 0

    @property
    def cores(self) -> int:
        self._looks += 1
        return self._looks

    async def play(self, job: Job) -> JobResult:
        result: JobResult = await self._players.play(job)
        return result


@pytest.mark.skipif(not has_tool("first-c"), reason="there is no C compiler")
async def test_pool_and_machines_play_in_turns(tmp_path: Path) -> None:
    """As often as was asked, the same matches; machines that come and go are not measured."""
    one, other = FakeMachine(tmp_path, "a"), FakeMachine(tmp_path, "b")
    machines, _ = await cluster(other)
    steps: list[tuple[str, int, int]] = []
    sizes = ClusterSizes(deals=(2,), jobs=3)
    (row,) = await measure(one.players, machines, 2, sizes, lambda *step: steps.append(step))
    assert (row.deals, len(row.pool_ms), len(row.cluster_ms)) == (2, 2, 2)
    assert steps == [("preparing", 0, 1), ("2 deals", 0, 2), ("2 deals", 1, 2)]
    played = [[(job.key, job.blocks) for job in machine.jobs] for machine in (one, other)]
    assert sorted(set(played[0])) == sorted(set(played[1])) == [("0", 1), ("1", 1), ("2", 1)]
    with pytest.raises(HostError, match="machines come and go"):
        await measure(one.players, Restless(machines), 1, sizes, lambda *_: None)

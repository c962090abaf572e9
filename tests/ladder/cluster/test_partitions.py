"""Real machines whose links are pulled: what is played is the same, and who has gone is named."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import sleep

import pytest

from ladder.event.log import LOG
from referee.sandbox.procfs import descendants
from support import gated
from support.kill_cluster import MACHINES, Processes, machine_name, running
from support.kill_event import EVENT, command, finish, outcome_of, watched
from support.networks import Network, network
from support.processes import wait_until
from support.reports import dawdler, told, without_times
from support.sandboxes import need

CONDUCTOR, SCHEDULER = "conductor", "scheduler"
NAMES = [machine_name(at) for at in range(MACHINES)]
NOTICED_S = 90.0
"""So long the engine may take to miss a machine: its bounds add up to half of that."""
MOMENT_S = 4.0
"""So long is a link down that nobody misses."""


@pytest.fixture
def net() -> Iterator[Network]:
    """A host for each process of a cluster."""
    need("bwrap")
    with network(CONDUCTOR, SCHEDULER, *NAMES) as found:
        yield found


@pytest.fixture
def cluster(net: Network, tmp_path: Path) -> Iterator[Processes]:
    """A scheduler and three machines that have joined it, each on its own host."""
    host = net.address(SCHEDULER)
    with running(tmp_path / "cluster", host=host, before=net.inside) as found:
        found.wait_for(*NAMES)
        yield found


class Conductor:
    """A command on its host.

    Attributes:
        process: it.
    """

    def __init__(self, process: "subprocess.Popen[bytes]", folder: Path) -> None:
        """Runs, and writes into files of a folder."""
        self.process, self._folder = process, folder

    def printed(self) -> str:
        """What it has printed."""
        return (self._folder / "out").read_text()

    def said(self) -> str:
        """What it has said."""
        return (self._folder / "said").read_text()

    def hear(self, what: str, times: int = 1) -> None:
        """Waits until it has said something, a pattern, so often."""

        def heard() -> bool:
            return len(re.findall(what, self.said())) >= times

        wait_until(lambda: heard() or self.process.poll() is not None, NOTICED_S)
        assert heard(), self.said()


@contextmanager
def conducting(cluster: Processes, net: Network, *words: str, folder: Path) -> Iterator[Conductor]:
    """A command, until the block is left."""
    with (folder / "out").open("wb") as out, (folder / "said").open("wb") as said:
        process = subprocess.Popen(
            [*net.inside(CONDUCTOR), *words], env=cluster.environment, stdout=out, stderr=said
        )
    try:
        yield Conductor(process, folder)
    finally:
        process.kill()
        process.wait()


def is_at_play(machine: "subprocess.Popen[bytes]") -> bool:
    """Whether a bot of ours plays there."""
    for pid in descendants(machine.pid):
        try:
            if b"dawdler" in Path(f"/proc/{pid}/cmdline").read_bytes():
                return True
        except OSError:
            continue
    return False


@pytest.mark.thorough
def test_a_machine_whose_link_is_down_is_missed_and_plays_again(
    net: Network, cluster: Processes, tmp_path: Path
) -> None:
    """What is played is the same; a link that is down for a moment is not noticed.

    The machine that comes back plays the last matches alone: the others leave before.
    """
    other, short, lost = cluster.machines
    bots = (str(dawdler(tmp_path, 0.05)), "sample:greedy")
    words = ("compare", *bots, "--until", "16", "--key", "k")
    gate = tmp_path / "gate"
    gated_words = (sys.executable, "-P", gated.__file__, "6", str(gate), *words)
    with conducting(cluster, net, *gated_words, folder=tmp_path) as conductor:
        wait_until(lambda: is_at_play(short) and is_at_play(lost), NOTICED_S)
        net.down("machine-2")
        net.down("machine-1")
        sleep(MOMENT_S)
        net.up("machine-1")
        expected, _ = told(*words, "--sandbox", "bwrap")
        conductor.hear("machine m2 has gone, after")
        assert lost.wait(NOTICED_S) == 3
        assert "its scheduler has gone" in cluster.said("machine-2")
        assert "m1 has gone" not in conductor.said()
        net.up("machine-2")
        cluster.mend()
        conductor.hear("machine m2 joins", 2)
        for machine in (other, short):
            machine.terminate()
        conductor.hear("machine m[01] has gone, after", 2)
        gate.touch()
        assert conductor.process.wait(NOTICED_S) == 0, conductor.said()
        assert without_times(conductor.printed()) == without_times(expected)


@pytest.mark.thorough
def test_an_event_goes_on_when_the_link_of_its_scheduler_is_up_again(
    net: Network, cluster: Processes, tmp_path: Path
) -> None:
    """Machines and conductor end meanwhile, and say why; started again they come to the same."""
    file, out = tmp_path / "event.toml", tmp_path / "out-of-cluster"
    event = EVENT.replace('"bare"', '"bwrap"').replace("sample:random", "dawdler")
    file.write_text(event)
    dawdler(tmp_path, 0.02)
    assert finish(file, tmp_path / "whole")[0] == 0
    with conducting(cluster, net, *command(file, out), folder=tmp_path) as conductor:
        watched(conductor.process, out / LOG, 2)
        net.down(SCHEDULER)
        assert conductor.process.wait(NOTICED_S) == 3, conductor.said()
        assert "its scheduler has gone" in conductor.said()
        assert [machine.wait(NOTICED_S) for machine in cluster.machines] == [3] * MACHINES
        assert all("its scheduler has gone" in cluster.said(name) for name in NAMES)
    net.up(SCHEDULER)
    cluster.mend()
    with conducting(cluster, net, *command(file, out), folder=tmp_path) as conductor:
        assert conductor.process.wait(NOTICED_S) == 0, conductor.said()
    assert outcome_of(out) == outcome_of(tmp_path / "whole")

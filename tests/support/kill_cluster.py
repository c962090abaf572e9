"""An event on a cluster whose processes are killed at moments drawn from a seed.

By hand, as often as you like: `.venv/bin/python tests/support/kill_cluster.py 100 [SEED]`.
"""

import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parent.parent))

from ladder.cluster.keys import make_keys
from ladder.commands.players import ADDRESS_VARIABLE, KEYS_VARIABLE
from ladder.event.log import LOG
from referee.sandbox.procfs import descendants
from support.kill_event import EVENT, command, finish, outcome_of, watched
from support.processes import REFEREE, wait_until

MACHINES = 3
LOCAL = "127.0.0.1"
_JOINING_S = 90.0
_GONE_S = 5.0
"""So long a machine may take to see that its scheduler is gone."""

Before = Callable[[str], tuple[str, ...]]
"""Returns what stands before the command of a process, by its name: what changes its world."""


def free_port() -> int:
    """A port of this machine that nothing listens at."""
    with socket.socket() as bound:
        bound.bind((LOCAL, 0))
        port: int = bound.getsockname()[1]
    return port


def machine_name(at: int) -> str:
    """What we call a machine; its own name is shorter."""
    return f"machine-{at}"


class Processes:
    """A scheduler and machines, all of them processes of this machine, each with its own files.

    Attributes:
        address: of the scheduler.
        environment: in which a command has its matches played there.
        scheduler: it.
        machines: they.
    """

    def __init__(self, folder: Path, host: str, before: Before) -> None:
        """Starts a scheduler.

        Args:
            folder: for their keys, logs and files.
            host: where the scheduler listens.
            before: is asked for `scheduler`, `machine-0` and so on.
        """
        self._folder, self._before = folder, before
        self._said_before: dict[str, int] = {}
        make_keys(folder / "keys", datetime.now(UTC))
        self.address = f"tls://{host}:{free_port()}"
        self.environment = {
            **os.environ,
            KEYS_VARIABLE: str(folder / "keys"),
            ADDRESS_VARIABLE: self.address,
        }
        self.scheduler = self._scheduler()
        self.machines: list[subprocess.Popen[bytes]] = []

    def _start(self, name: str, *words: str) -> "subprocess.Popen[bytes]":
        with self._log(name).open("ab") as log:
            self._said_before[name] = os.fstat(log.fileno()).st_size
            return subprocess.Popen(
                [*self._before(name), str(REFEREE), "cluster", *words],
                env={**self.environment, "XDG_CACHE_HOME": str(self.files(name))},
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _scheduler(self) -> "subprocess.Popen[bytes]":
        return self._start("scheduler", "scheduler", "--listen", self.address)

    def _machine(self, at: int) -> "subprocess.Popen[bytes]":
        words = ("worker", self.address, "--name", f"m{at}", "--workers", "1", "--sandbox", "bwrap")
        return self._start(machine_name(at), *words)

    def files(self, name: str) -> Path:
        """The folder for what a process keeps."""
        return self._folder / name

    def _log(self, name: str) -> Path:
        return self._folder / f"{name}.log"

    def said(self, name: str) -> str:
        """What a process has said, without those that were before it in its place."""
        return self._log(name).read_bytes()[self._said_before[name] :].decode()

    def logs(self) -> str:
        """What they have said."""
        return "".join(path.read_text() for path in sorted(self._folder.glob("*.log")))

    def add(self, machines: int) -> None:
        """Starts machines, each of which plays a match at a time, once the scheduler listens."""
        wait_until(lambda: "scheduler:" in self.said("scheduler"), _JOINING_S)
        self.machines += [self._machine(at) for at in range(machines)]

    def wait_for(self, *names: str) -> None:
        """Waits until machines of these names have joined."""
        wait_until(lambda: all("has joined" in self.said(name) for name in names), _JOINING_S)

    def mend(self) -> None:
        """Starts again what is gone; machines go with their scheduler."""
        if self.scheduler.poll() is not None:
            self.scheduler = self._scheduler()
            for machine in self.machines:
                with suppress(subprocess.TimeoutExpired):  # it was about to join: it joins this one
                    machine.wait(_GONE_S)
        for at, machine in enumerate(self.machines):
            if machine.poll() is not None:
                self.machines[at] = self._machine(at)

    def kill(self, process: "subprocess.Popen[bytes]") -> None:
        """Kills one of them with SIGKILL, and waits for its end."""
        process.kill()
        process.wait()

    def end(self) -> None:
        """Ends all of them in good order, or else kills them."""
        for process in (*self.machines, self.scheduler):
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                for pid in (process.pid, *descendants(process.pid)):
                    with suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)
                process.wait()


@contextmanager
def running(
    folder: Path, machines: int = MACHINES, *, host: str = LOCAL, before: Before = lambda _: ()
) -> Iterator[Processes]:
    """A cluster of processes with so many machines, until the block is left; see `Processes`."""
    folder.mkdir()
    found = Processes(folder, host, before)
    try:
        found.add(machines)
        yield found
    finally:
        found.end()


def _is_worker(pid: int) -> bool:
    """Whether a process is one of ours that plays; to kill a bot's is a fault of the bot."""
    try:
        return b"referee.workers.worker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _kill_one(cluster: Processes, conductor: "subprocess.Popen[bytes]", dice: random.Random) -> str:
    """Kills a process of any kind; returns which kind."""
    kind = dice.choice(["conductor", "scheduler", "machine", "machine", "worker"])
    machine = dice.choice(cluster.machines)
    if kind == "worker":
        for pid in filter(_is_worker, descendants(machine.pid)):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return kind
    cluster.kill({"conductor": conductor, "scheduler": cluster.scheduler}.get(kind, machine))
    return kind


def survives(folder: Path, kills: int, seed: int) -> Counter[str]:
    """Asserts that an event whose cluster is killed so often comes to what it comes to otherwise.

    Returns:
        How often a process of each kind was killed.
    """
    dice = random.Random(seed)
    file = folder / "event.toml"
    file.write_text(EVENT.replace('"bare"', '"bwrap"'))
    assert finish(file, folder / "whole")[0] == 0
    expected = outcome_of(folder / "whole")
    killed: Counter[str] = Counter()
    with running(folder / "cluster") as cluster:
        for number in range(kills):
            out, over = folder / f"killed-{number}", False
            while not over:
                conductor = subprocess.Popen(
                    command(file, out),
                    env=cluster.environment,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    start_new_session=True,
                )
                if killed.total() < kills:
                    watched(conductor, out / LOG, dice.randrange(1, 4))
                    time.sleep(dice.random() * 0.2)  # the moment is any; nothing is expected of it
                    killed[_kill_one(cluster, conductor, dice)] += 1
                    cluster.mend()
                _, said = conductor.communicate(timeout=120)
                assert conductor.returncode in {0, 3, -signal.SIGKILL}, said.decode()
                over = conductor.returncode == 0
            assert outcome_of(out) == expected
            if killed.total() >= kills:
                break
    return killed


if __name__ == "__main__":
    how_often = int(sys.argv[1])
    begun_with = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as place:
        kinds = survives(Path(place), how_often, begun_with)
    print(f"killed {dict(kinds)}: the same each time")

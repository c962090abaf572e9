"""A machine of a cluster: it waits for jobs, and plays them with the pool that one machine has.

The engine runs in a thread of its own and calls `play` in further ones; the pool with its workers
lives in the main one, where trio is.
"""

import hashlib
import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec.structs import replace

from ladder.cluster.bots import BotShelf
from ladder.cluster.messages import (
    Brought,
    Ended,
    Machine,
    Missing,
    Report,
    encode,
    read_errand,
)
from ladder.files.scratch import scratch_name
from referee.bench.round_trip import Ping, trip_us
from referee.bots.settings import Settings
from referee.errors import HostError
from referee.games import catalogue
from referee.play.affinity import one_core
from referee.record.stderr_log import stderr_file
from referee.version import own_version
from referee.workers.jobs import BrokenOff, Job, Players
from referee.workers.messages import Broken, Failed, JobPlayed, JobRefused
from referee.workers.pool import WorkerPool
from referee.workers.worker import report_of

_TRIPS: Final = 500
_TIMES: Final = 20
_LINE_BYTES: Final = 250
"""Of a line whose round trips are measured: an act's has some."""

_here: "Here | None" = None
"""This process as a machine of a cluster; the engine calls functions, and finds it by this."""


class Here:
    """A machine, from its own side."""

    def __init__(
        self,
        pool: Players,
        machine: Machine,
        folder: Path,
        settings: Settings,
        ping: Ping | None,
    ) -> None:
        """Plays nothing yet; in the thread of the pool.

        Args:
            pool: plays.
            machine: how it introduces itself.
            folder: of this process alone, for bots and records.
            settings: of this machine.
            ping: measures it; None where there is no compiler.
        """
        self.machine, self._ping = machine, ping
        self._pool, self._folder = pool, folder
        self._shelf = BotShelf(folder, settings)
        self._shelving = trio.Lock()
        self._token = trio.lowlevel.current_trio_token()

    def played(self, errand: bytes, parcels: Mapping[str, bytes]) -> bytes:
        """Return what comes of a job; from another thread."""
        return trio.from_thread.run(self.play, errand, parcels, trio_token=self._token)

    async def play(self, data: bytes, parcels: Mapping[str, bytes]) -> bytes:
        """Return what comes of a job.

        Args:
            data: the errand.
            parcels: bots that came along, by hash.
        """
        errand = read_errand(data)
        record = self._folder / scratch_name("record-")
        typed: tuple[str, ...] = ()
        try:
            async with self._shelving:
                typed = await trio.to_thread.run_sync(
                    self._unpacked, errand.job, errand.bots, parcels
                )
            job = replace(errand.job, bots=typed, record=str(record))
            return encode(await self._brought(job, record))
        except _Lacking as lacking:
            return encode(Brought(Missing(lacking.hashes)))
        except Exception as error:  # whatever it is, the conductor waits for a word
            return encode(Brought(_in_words_of(errand.job.bots, typed, report_of(error))))
        finally:
            record.unlink(missing_ok=True)
            stderr_file(record).unlink(missing_ok=True)

    async def _brought(self, job: Job, record: Path) -> Brought:
        report: Report
        try:
            report = JobPlayed(await self._pool.play(job))
        except BrokenOff as error:
            return Brought(Ended(str(error)))
        stderr = stderr_file(record)
        said = await trio.Path(stderr).read_bytes() if stderr.exists() else b""
        return Brought(report, await trio.Path(record).read_bytes(), said)

    def _unpacked(
        self, job: Job, bots: tuple[str, ...], parcels: Mapping[str, bytes]
    ) -> tuple[str, ...]:
        """Return how the bots of a job are named here.

        Raises:
            _Lacking: some have not come.
            RefereeError: one came as another.
            HostError: the disk does not let us.
        """
        for digest, files in parcels.items():
            if self._shelf.typed(digest) is None:
                self._shelf.add(digest, files)
        named = [
            self._shelf.typed(digest) if digest else typed
            for typed, digest in zip(job.bots, bots, strict=True)
        ]
        found = tuple(name for name in named if name is not None)
        if len(found) < len(named):
            lacking = (one for one, name in zip(bots, named, strict=True) if name is None)
            raise _Lacking(tuple(dict.fromkeys(lacking)))
        self._shelf.use([digest for digest in bots if digest])
        return found

    def round_trip_us(self) -> float:
        """Return what a round trip between two C programs takes now, in microseconds.

        Raises:
            HostError: it cannot be told.
        """
        if self._ping is None:
            raise HostError("there is no C compiler")
        return least_trip_us(self._ping)


def _in_words_of(
    bots: tuple[str, ...], typed: tuple[str, ...], report: JobRefused | Failed | Broken
) -> JobRefused | Failed | Broken:
    """Return a report in which bots are called as at the conductor's, not by their folders here."""
    if isinstance(report, Broken):
        return report
    line = report.line
    for there, at_home in zip(typed, bots, strict=False):
        line = line.replace(there, at_home)
    return replace(report, line=line)


class _Lacking(Exception):
    """Bots have not come."""

    def __init__(self, hashes: tuple[str, ...]) -> None:
        super().__init__(*hashes)
        self.hashes = hashes


def settle(here: Here | None) -> None:
    """Say which machine this process is from now on."""
    global _here  # noqa: PLW0603  # see there
    _here = here


def play(errand: bytes, parcels: Mapping[str, bytes]) -> bytes:
    """Play a job on the machine that this process is; the engine calls it."""
    return _found().played(errand, parcels)


def introduce() -> bytes:
    """Introduce the machine that this process is; the engine calls it."""
    return encode(_found().machine)


def clock() -> bytes:
    """Return what the clock of this machine says, in nanoseconds, in digits; the engine calls it.

    It is the one by which the time of bots is counted.
    """
    return str(time.perf_counter_ns()).encode()


def measured() -> bytes:
    """Return what a round trip takes now, in microseconds, in digits; the engine calls it."""
    return str(_found().round_trip_us()).encode()


def _found() -> Here:
    if _here is None:
        raise RuntimeError("this process is no machine of a cluster")
    return _here


def least_trip_us(ping: Ping) -> float:
    """Return the least of some round trips in C, in microseconds: what else runs makes it more.

    Both programs are on one core, as the bots of a match are, and in turn on each of ours: from one
    core to another a trip takes ten times as long, if it happens to go there.
    """
    cores = sorted(os.sched_getaffinity(0))
    return min(_trip_us(ping, cores[number % len(cores)]) for number in range(_TIMES))


def _trip_us(ping: Ping, core: int) -> float:
    with one_core(core):
        return trip_us(ping, _TRIPS, _LINE_BYTES)


def rules_digest() -> str:
    """Return what names the rules of all games, as they are here."""
    digest: Final = hashlib.sha256()
    for name, variant in catalogue().items():
        _, rules = variant.rules_of({})
        digest.update(f"{name} {rules.digest}\n".encode())
    return digest.hexdigest()


def settings_digest(settings: Settings) -> str:
    """Return what names all that settings grant bots at play."""
    granted = (settings.default, settings.most, settings.build, settings.images)
    return hashlib.sha256(msgspec.json.encode(granted)).hexdigest()


def own_machine(
    name: str, processor: str, pool: WorkerPool, l_us: float | None, settings: Settings
) -> Machine:
    """Return how this machine introduces itself."""
    return Machine(
        name=name,
        processor=processor,
        cores=pool.size,
        l_us=l_us,
        sandbox=pool.sandbox,
        referee=own_version(),
        rules=rules_digest(),
        settings=settings_digest(settings),
    )

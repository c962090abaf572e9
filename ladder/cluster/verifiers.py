"""Processes that play records again, so that the conductor goes on meanwhile: one a core.

To play a record again takes a third of what the match took, and a conductor has many machines.
"""

import ctypes
import os
import signal
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import trio

from ladder.cluster.believed import Scrutiny, disbelief
from referee.errors import HostError, shortage
from referee.signals import SIGNALS
from referee.workers.jobs import Job, JobResult

_PR_SET_PDEATHSIG: Final = 1

Verify = Callable[[Job, JobResult, bytes, Scrutiny], Awaitable[str | None]]
"""Says why a result is not believed, by its record; None if it is."""


async def verified_here(
    job: Job, result: JobResult, record: bytes, scrutiny: Scrutiny
) -> str | None:
    """Verify a result in a thread of this process."""
    return await trio.to_thread.run_sync(_disbelief, job, result, record, scrutiny)


@contextmanager
def verifying() -> Iterator[Verify]:
    """Verify in processes of their own, until the block is left.

    Raises:
        HostError: when one of them has ended by itself.
    """
    cores = len(os.sched_getaffinity(0))
    executor = ProcessPoolExecutor(cores, get_context("spawn"), _begin, (os.getpid(),))
    room = trio.CapacityLimiter(2 * cores)

    async def verify(job: Job, result: JobResult, record: bytes, scrutiny: Scrutiny) -> str | None:
        async with room:
            try:
                found = executor.submit(_disbelief, job, result, record, scrutiny)
                return await trio.to_thread.run_sync(found.result, abandon_on_cancel=True)
            except BrokenExecutor as error:
                raise HostError("a process that verifies records has ended by itself") from error

    try:
        yield verify
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _begin(conductor: int) -> None:
    """Hear no signal that is meant for the conductor, and end with it, however it ends."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != conductor:
        os._exit(1)


def _disbelief(job: Job, result: JobResult, record: bytes, scrutiny: Scrutiny) -> str | None:
    try:
        with TemporaryDirectory(prefix="referee-cluster-") as folder:
            path = Path(folder) / "record"
            path.write_bytes(record)
            return disbelief(job, result, path, scrutiny)
    except OSError as error:
        told = HostError(f"a record cannot be verified: {error.strerror}")
        raise shortage(error) or told from error

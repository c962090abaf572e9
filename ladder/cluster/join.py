"""A machine joins a cluster, and plays until it is asked to stop or the cluster is gone."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

from distributed.security import Security

from ladder.cluster.address import Address
from ladder.cluster.engine import MachineThread
from ladder.cluster.machine import Here, least_trip_us, own_machine, settle
from ladder.files.scratch import scratch_folder
from referee.bench.machine import processor
from referee.bench.round_trip import Ping, compiled
from referee.bots.settings import Settings
from referee.errors import RefereeError
from referee.sandbox.build_cache import cache_folder
from referee.sandbox.names import SandboxName
from referee.workers.pool import opened_pool

_FOLDER: Final = "cluster"

_THREADS: Final = 16
"""So many calls a worker does the engine take: those that wait, too, of several conductors, and of
such as have ended before their matches."""


async def join(
    scheduler: Address,
    security: Security,
    *,
    name: str,
    host: str | None,
    workers: int | None,
    sandbox: SandboxName,
    settings: Settings,
    say: Callable[[str], None],
) -> None:
    """Play jobs of a cluster until this is cancelled.

    Args:
        scheduler: where the cluster is.
        security: what the machine shows others, and asks of them.
        name: what lines call the machine.
        host: at which of its addresses others reach it; None: the engine finds out.
        workers: how many matches at a time; None: as many as there are cores.
        sandbox: where bots run.
        settings: of this machine.
        say: is told once it has joined.

    Raises:
        RefereeError: the sandbox does not work here.
        HostError: the scheduler is not there, or not any more, or the disk does not let us.
    """
    with scratch_folder(cache_folder().parent / _FOLDER, _FOLDER) as folder:
        ping = _ping(folder)
        l_us = None if ping is None else least_trip_us(ping)
        async with opened_pool(workers, sandbox) as pool:
            machine = own_machine(name, processor(), pool, l_us, settings)
            settle(Here(pool, machine, folder, settings, ping))
            try:
                thread = MachineThread(scheduler, security, folder, host, _THREADS * pool.size)
                await thread.run(lambda: say(f"{name} has joined {scheduler}; {pool.sandbox}"))
            finally:
                settle(None)


def _ping(folder: Path) -> Ping | None:
    """Return what measures L; None where there is no compiler."""
    try:
        return compiled(folder)
    except RefereeError:
        return None

"""The engine, dask.distributed, as we start it: with TLS only, and with none of its own retries.

Its scheduler and its workers unpickle what they are sent, so who may speak to them may run anything
on their machines: they listen where they are told to, and speak only to processes that show the
cluster's certificate. A job goes to the machine that we choose, once: whether it is played again is
for us to say, since some jobs must not be.
"""

import asyncio
import logging
import signal
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

import dask
import trio
from distributed import Scheduler, Worker
from distributed.security import Security

from ladder.cluster.address import Address
from referee.errors import HostError, RefereeError

_SETTINGS: Final = {
    "distributed.scheduler.work-stealing": False,
    "distributed.scheduler.worker-ttl": "30s",
    "distributed.worker.profile.enabled": False,
    "distributed.comm.timeouts.connect": "10s",
    "distributed.comm.timeouts.tcp": "15s",
    "distributed.comm.require-encryption": True,
    "distributed.comm.retry.count": 0,
    "distributed.admin.large-graph-warning-threshold": "1TiB",
    "distributed.admin.tick.interval": "1s",
    "distributed.admin.tick.limit": "60s",
    "distributed.admin.system-monitor.interval": "10s",
}
_NO_PAGES: Final[dict[str, list[str]]] = {
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
}
"""The engine has an HTTP server in the clear: it is for this machine alone, and shows nothing."""

_JOIN_S: Final = 30
_REACH_S: Final = 10
_LOCAL: Final = "127.0.0.1"


def set_up() -> None:
    """Set the engine up in this process; it says nothing of its inner life."""
    dask.config.set(_SETTINGS | _NO_PAGES)
    for name in ("tornado", "asyncio", *logging.root.manager.loggerDict):
        if name.partition(".")[0] in {"asyncio", "bokeh", "distributed", "tornado"}:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)


def pages(port: int) -> dict[str, list[str]]:
    """Return the settings by which a scheduler shows its pages to this machine.

    Only such as show something: others of the engine's, which a machine's own files of settings may
    name, end machines, or fetch from wherever they are told to. And no page that a browser has from
    elsewhere may open their websockets, which a browser lets it unless they refuse.

    Args:
        port: at which they are shown.
    """
    routes = ["scheduler.info", "scheduler.json", "health", "statics"]
    return {
        "distributed.scheduler.http.routes": [f"distributed.http.{name}" for name in routes],
        "distributed.scheduler.dashboard.bokeh-application.allow_websocket_origin": [
            f"{host}:{port}" for host in (_LOCAL, "localhost")
        ],
    }


def run_scheduler(
    listen: Address, security: Security, dashboard: int | None, say: Callable[[str], None]
) -> None:
    """Run a scheduler until a signal asks it to stop.

    Args:
        listen: where.
        security: what it shows others, and asks of them.
        dashboard: the port of the engine's own pages, for this machine alone; None for none.
        say: is told once it listens.

    Raises:
        RefereeError: it cannot listen there.
    """
    set_up()
    if dashboard is not None:
        with socket.socket() as tried:
            try:
                tried.bind((_LOCAL, dashboard))
            except OSError as error:
                raise RefereeError(f"--dashboard {dashboard}: {error.strerror}") from error
        dask.config.set(pages(dashboard))

    async def main() -> None:
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        scheduler = Scheduler(
            host=listen.host,
            port=listen.port,
            protocol="tls",
            security=security,
            allowed_failures=0,
            dashboard=dashboard is not None,
            dashboard_address=f"{_LOCAL}:{dashboard or 0}",
        )
        async with scheduler:
            say(f"scheduler: {scheduler.address}")
            await stop.wait()

    try:
        asyncio.run(main())
    except Exception as error:  # the engine has many ways to fail: they are one to us
        raise RefereeError(f"scheduler {listen}: {_reason(error)}") from error


def _reason(error: BaseException) -> str:
    """Return what has made the engine fail, in a line: its own words tell only that it did."""
    while error.__cause__ is not None:
        error = error.__cause__
    words = error.strerror if isinstance(error, OSError) else ""
    return words or str(error).partition("\n")[0] or type(error).__name__


def no_scheduler(scheduler: Address, error: BaseException) -> HostError:
    """Return what to say where there is no scheduler, or one of another cluster."""
    return HostError(
        f"cluster {scheduler}: no scheduler with these keys answers ({_reason(error)})"
    )


def reach(scheduler: Address, security: Security) -> str:
    """Return at which address of this machine a scheduler sees it; blocks for seconds.

    Raises:
        OSError: it is not there, or has other keys.
    """
    context = security.get_connection_args("client")["ssl_context"]  # type: ignore[no-untyped-call]  # it has no types
    where = scheduler.host, scheduler.port
    with socket.create_connection(where, _REACH_S) as plain, context.wrap_socket(plain) as end:
        seen: str = end.getsockname()[0]
        return seen


class MachineThread:
    """The engine's part of a machine, in a thread of its own."""

    def __init__(
        self, scheduler: Address, security: Security, folder: Path, host: str | None, slots: int
    ) -> None:
        """Does nothing yet.

        Args:
            scheduler: where the cluster is.
            security: as for `run_scheduler`.
            folder: for the engine's own files.
            host: at which of its addresses others reach this machine, and it listens; None: the one
                that the scheduler sees.
            slots: how many jobs it takes at a time.
        """
        self._scheduler, self._security = scheduler, security
        self._folder, self._host, self._slots = folder, host, slots
        self._stop: Callable[[], None] | None = None
        self._stopped = threading.Event()
        self._failed = ""

    async def run(self, joined: Callable[[], None]) -> None:
        """Serve the cluster until it is gone, or until this is cancelled.

        Args:
            joined: is called, in the thread of the caller, once the machine is one of the cluster.

        Raises:
            HostError: the scheduler is not there, or not any more.
        """
        set_up()
        try:
            seen = await trio.to_thread.run_sync(
                reach, self._scheduler, self._security, abandon_on_cancel=True
            )
        except OSError as error:
            raise no_scheduler(self._scheduler, error) from error
        self._host = self._host or seen
        token = trio.lowlevel.current_trio_token()
        ended = trio.Event()

        def live() -> None:
            try:
                asyncio.run(self._live(lambda: token.run_sync_soon(joined)))
            except Exception as error:  # as above
                self._failed = _reason(error)
            finally:
                token.run_sync_soon(ended.set)

        threading.Thread(target=live, daemon=True).start()
        try:
            await ended.wait()
        finally:
            self._stopped.set()
            if self._stop is not None:
                self._stop()
            with trio.CancelScope(shield=True), trio.move_on_after(_JOIN_S):
                await ended.wait()
        raise HostError(f"cluster {self._scheduler}: {self._failed or 'its scheduler has gone'}")

    async def _live(self, joined: Callable[[], None]) -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()

        def end() -> None:
            with suppress(RuntimeError):  # it has ended by itself
                loop.call_soon_threadsafe(stop.set)

        self._stop = end
        if self._stopped.is_set():
            return
        worker = Worker(
            str(self._scheduler),
            nthreads=self._slots,
            security=self._security,
            host=self._host,
            memory_limit=0,
            local_directory=str(self._folder),
            death_timeout=_JOIN_S,
            dashboard=False,
            dashboard_address=f"{_LOCAL}:0",
        )
        try:
            await worker
            joined()
            ends = [asyncio.ensure_future(stop.wait()), asyncio.ensure_future(worker.finished())]  # type: ignore[no-untyped-call]  # it has no types
            await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        finally:
            await worker.close(executor_wait=False, timeout=2)

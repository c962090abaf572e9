"""A conductor's connection to a cluster, by which it calls functions on machines."""

import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from itertools import count
from typing import Final, Self

import trio
from distributed import Client, Future
from distributed.security import Security

from ladder.cluster.address import Address
from ladder.cluster.engine import no_scheduler, reach, set_up
from referee.errors import HostError

_CONNECT_S: Final = 10
_CLOSE_S: Final = 2
_SCHEDULER_S: Final = 15
_ANSWER_S: Final = 60
"""So long a result may take that is there, from its machine to us."""


class MachineGone(Exception):
    """The machine is gone, or has left us without an answer."""


class Connection:
    """A connection to a scheduler, by which functions are called on the machines of its cluster."""

    def __init__(self, client: Client, scheduler: Address) -> None:
        """It is there; see `opened`."""
        self._client, self._scheduler = client, scheduler
        self._connected = trio.current_time()
        """When we last saw that it was."""
        self._names = map(f"{secrets.token_hex(8)}-{{}}".format, count())

    @classmethod
    @asynccontextmanager
    async def opened(cls, scheduler: Address, security: Security) -> AsyncIterator[Self]:
        """A connection, until the block is left.

        Raises:
            HostError: no scheduler answers there that has the same keys.
        """
        set_up()
        try:
            await trio.to_thread.run_sync(reach, scheduler, security, abandon_on_cancel=True)
            client = await trio.to_thread.run_sync(_client, scheduler, security)
        except Exception as error:  # the engine has many ways to fail: they are one to us
            raise no_scheduler(scheduler, error) from error
        try:
            yield cls(client, scheduler)
        finally:
            with trio.CancelScope(shield=True):
                await trio.to_thread.run_sync(partial(client.close, timeout=_CLOSE_S))

    async def addresses(self) -> set[str]:
        """Return where the machines are that are there.

        Raises:
            HostError: the scheduler is gone.
        """
        try:
            self._check()
            with trio.fail_after(_SCHEDULER_S):
                ask = self._client.scheduler_info
                info = await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
            return set(info["workers"])
        except Exception as error:  # as above
            raise HostError(f"cluster {self._scheduler}: its scheduler has gone") from error

    def _check(self) -> None:
        """Look whether the engine is connected, or was so lately that it may be about to be again.

        It does not end with a connection that it fails to make again, nor raise anything: once it
        told for ever who was there, from a scheduler to which it could send no job.

        Raises:
            TimeoutError: it is not.
        """
        now = trio.current_time()
        if self._client.status == "running":
            self._connected = now
        elif now - self._connected > _SCHEDULER_S:
            raise TimeoutError("it does not answer")

    async def call(self, address: str, function: Callable[..., bytes], *args: object) -> bytes:
        """Call a function on a machine, once.

        It goes on there when this is cancelled.

        Raises:
            MachineGone: it does not answer any more.
        """
        token, done = trio.lowlevel.current_trio_token(), trio.Event()

        def submit() -> Future[bytes]:
            future = self._client.submit(
                function, *args, key=next(self._names), workers=[address], pure=False
            )
            future.add_done_callback(lambda _: token.run_sync_soon(done.set))  # type: ignore[no-untyped-call]  # it has no types
            return future

        try:
            future = await trio.to_thread.run_sync(submit)
            try:
                await done.wait()
                return await trio.to_thread.run_sync(
                    partial(future.result, timeout=_ANSWER_S), abandon_on_cancel=True
                )
            finally:
                future.release()  # type: ignore[no-untyped-call]  # it has no types
        except Exception as error:  # as above
            raise MachineGone(str(error)) from error


def _client(scheduler: Address, security: Security) -> Client:
    return Client(  # type: ignore[no-untyped-call]  # it has no types
        str(scheduler),
        security=security,
        set_as_default=False,
        direct_to_workers=True,
        timeout=_CONNECT_S,
    )

"""A sandbox in which bots play with people, whose processes are ours and run beside it."""

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from referee.bots.files import hash_file
from referee.bots.find import BotSource, BotSpec
from referee.errors import HostError
from referee.people import relay
from referee.sandbox import BotProcess, Sandbox
from referee.sandbox.bare import BareProcess
from referee.sandbox.janitor import run_of

_RELAY = Path(relay.__file__)


class Place(Struct, frozen=True):
    """Where a person's process connects to, and that process as a match starts it."""

    listener: socket.socket
    source: BotSource
    spec: BotSpec

    def stop(self) -> None:
        """Refuse further connections. Idempotent."""
        with suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)


def relay_to(path: str, name: str) -> tuple[BotSource, BotSpec]:
    """Return a person's process, as it is found and as a match starts it.

    Args:
        path: the socket at whose other end the person is asked.
        name: what tables call them.
    """
    words = (sys.executable, "-I", "-S", str(_RELAY), path)
    hash_, folder = hash_file(_RELAY), os.path.dirname(path)
    source = BotSource(
        name=name, words=words, files={}, folder=Path(folder), hash=hash_, typed=name
    )
    return source, BotSpec(name=name, command=words, folder=folder, hash=hash_, typed=name)


@contextmanager
def place_for(name: str) -> Iterator[Place]:
    """Make a place for a person, until the block is left; then no match asks any more.

    Args:
        name: what tables call them.

    Raises:
        HostError: the machine does not let us.
    """
    with (
        TemporaryDirectory(prefix="referee-person-") as folder,
        socket.socket(socket.AF_UNIX) as listener,
    ):
        path = f"{folder}/seat"
        try:
            listener.bind(path)
        except OSError as error:
            raise HostError(f"{path}: {error.strerror or error}") from error
        listener.listen(1)
        place = Place(listener, *relay_to(path, name))
        try:
            yield place
        finally:
            place.stop()


class WithPeople:
    """A sandbox whose bots play with people: their relays are our own program, and run beside it.

    It ends a relay with its place at the table; there is nothing that one could leave behind.
    """

    def __init__(self, bots: Sandbox, *people: BotSpec) -> None:
        """Let people play with the bots of a sandbox."""
        self._bots, self._people = bots, people
        self._run = run_of(os.getpid())

    @property
    def name(self) -> str:
        """That of the bots' sandbox, as everything but the start of a relay."""
        return self._bots.name

    @property
    def how(self) -> str:
        """What it binds bots by."""
        return self._bots.how

    async def prepare(self, found: BotSource) -> BotSpec:
        """Make a bot ready."""
        return await self._bots.prepare(found)

    def temporarily(self, found: BotSource) -> AbstractAsyncContextManager[BotSpec]:
        """Make a bot ready until the block is left."""
        return self._bots.temporarily(found)

    def hold(self, bot: BotSpec) -> bool:
        """Use what was prepared before."""
        return bot in self._people or self._bots.hold(bot)

    def release(self, bot: BotSpec) -> None:
        """Let go of a bot."""
        if bot not in self._people:
            self._bots.release(bot)

    def close(self) -> None:
        """Let go of all bots."""
        self._bots.close()

    async def launch(self, bot: BotSpec) -> BotProcess:
        """Start a bot, or a person's relay."""
        if bot in self._people:
            return BareProcess(bot, self._run)
        return await self._bots.launch(bot)

    def trouble(self) -> str | None:
        """Return what has gone wrong with the sandbox, if anything."""
        return self._bots.trouble()

    def clear(self) -> None:
        """End what bots that are gone have left behind."""
        self._bots.clear()

    def sweep(self) -> None:
        """End what bots have left behind, when none of them plays."""
        self._bots.sweep()

"""Stopping all processes of a control group at once, and letting them go on."""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Final, NamedTuple, Protocol

from referee.sandbox.freezer_file import NO_FILE, FreezerFile, has_stopped

_FREEZING_S: Final = 0.01
"""We look at no other bot meanwhile; with half a second one thought for 210 ms."""
_TRIES: Final = 10
_HOLDING_S: Final = 0.05
_LOOK_S: Final = 0.0002


class Freezer(Protocol):
    """What stops a bot between its acts."""

    def freeze(self, *, for_now: bool) -> None:
        """Stops every process; `for_now`: it is not to be stopped again and again."""

    def is_stopped(self) -> bool:
        """Whether every process has come to a stop.

        Raises:
            OSError: the group is gone.
        """

    def thaw(self) -> None:
        """Lets them go on."""

    def file(self) -> FreezerFile:
        """Returns the file that has stopped them and lets them go on."""

    def close(self) -> None:
        """Closes our descriptor. Idempotent."""


class _Words(NamedTuple):
    """What a version of the freezer calls its files, and what is said in them."""

    obeys: str
    thaw: bytes
    freeze: bytes
    tells: str
    stopped: bytes


_VERSION_1: Final = _Words("freezer.state", b"THAWED", b"FROZEN", "freezer.state", b"FROZEN")
_VERSION_2: Final = _Words("cgroup.freeze", b"0", b"1", "cgroup.events", b"frozen 1")


class FileFreezer:
    """A freezer that obeys what is written to a file: one microsecond or two in version 2."""

    def __init__(self, folder: Path, words: _Words) -> None:
        """Opens the files.

        Args:
            folder: the group's.
            words: those of its version.

        Raises:
            OSError: they are not there, or not ours to write.
        """
        state = -1
        obeys = os.open(folder / words.obeys, os.O_RDWR | os.O_CLOEXEC)
        try:
            state = os.open(folder / words.tells, os.O_RDONLY | os.O_CLOEXEC)
        finally:
            if state < 0:
                os.close(obeys)
        self._file = FreezerFile(obeys, words.thaw, words.freeze, state, words.stopped)

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops every process."""
        os.write(self._file.descriptor, self._file.freeze)

    def is_stopped(self) -> bool:
        """Whether every process has come to a stop."""
        return has_stopped(self._file.state, self._file.stopped)

    def thaw(self) -> None:
        """Lets them go on."""
        os.write(self._file.descriptor, self._file.thaw)

    def file(self) -> FreezerFile:
        """Returns it."""
        return self._file

    def close(self) -> None:
        """Closes our descriptor. Idempotent."""
        if self._file.is_there():
            os.close(self._file.descriptor)
            os.close(self._file.state)
            self._file = NO_FILE


def version_1(folder: Path) -> FileFreezer:
    """The freezer of version 1; some 80 microseconds each way."""
    return FileFreezer(folder, _VERSION_1)


def version_2(folder: Path) -> FileFreezer:
    """The freezer of version 2."""
    return FileFreezer(folder, _VERSION_2)


def freezer_of(folder: Path) -> FileFreezer:
    """The freezer of a group, of either version.

    Raises:
        OSError: it has none.
    """
    return (version_2 if (folder / "cgroup.freeze").exists() else version_1)(folder)


@contextmanager
def held(above: Path) -> Iterator[bool]:
    """Hold what is below a group still until the block is left, whatever thaws it itself.

    Yields:
        Whether all have come to a stop: a process may be where the kernel cannot stop it.

    Raises:
        OSError: there is no freezer.
    """
    with closing(freezer_of(above)) as freezer:
        try:
            freezer.freeze()
            until = time.monotonic() + _HOLDING_S
            while not (stopped := freezer.is_stopped()) and time.monotonic() < until:
                time.sleep(_LOOK_S)
            yield stopped
        finally:
            freezer.thaw()


class Holder:
    """Holds a bot still, and knows for how long it was held, all in all.

    One thread holds, and any may ask.
    """

    def __init__(self, above: Path) -> None:
        """Begin with a bot that was not; `above` is a group of it alone."""
        self._above = above
        self._state: tuple[float, float | None] = 0.0, None
        """Seconds that are over, and since when it is held; both at once, so that they fit."""

    @contextmanager
    def hold(self) -> Iterator[bool]:
        """As `held`."""
        before, since = self._state[0], time.monotonic()
        self._state = before, since
        try:
            with held(self._above) as stands_still:
                yield stands_still
        finally:
            self._state = before + time.monotonic() - since, None

    def us(self) -> int:
        """Return for how many microseconds it was."""
        total, since = self._state
        return int((total + (0 if since is None else time.monotonic() - since)) * 1e6)


class LateFreezer:
    """For hybrid hierarchies: fast freezing, for bots that it turns out to be needed for.

    To join a group of version 2 costs milliseconds, so no bot does at its start, nor at its first
    freezing, which may be at another's turn: version 1 stops it, and nothing escapes that. At its
    second freezing, after an act of its own, it is moved.
    """

    def __init__(self, v1: Path, v2: Path, members: Callable[[], tuple[int, ...]]) -> None:
        """Begins with version 1.

        Args:
            v1: the bot's group there.
            v2: where its group is to be there.
            members: the processes that are to be moved; each costs 5 microseconds an act.

        Raises:
            OSError: there is no freezer.
        """
        self._first = version_1(v1)
        self._v2, self._members = v2, members
        self._moved: FileFreezer | None = None
        self._known = False
        self._tries = _TRIES

    def freeze(self, *, for_now: bool) -> None:
        """Stops every process; one that is stopped `for_now` stays where it is."""
        if self._moved is not None:
            self._moved.freeze()
            return
        self._first.freeze()
        if for_now:
            return
        if self._known and (moved := self._move()) is not None:
            moved.freeze()
            self._first.thaw()
            self._moved = moved
        self._known = True

    def _move(self) -> FileFreezer | None:
        """Move the processes; None: version 1 goes on serving.

        They are moved only when all of them have stopped, now or at one of the next freezings: a
        process that is born in the meantime, by one that takes long to fork, would stay behind and
        run at another's turn.
        """
        until = time.monotonic() + _FREEZING_S
        while self._tries and not self._first.is_stopped():
            if time.monotonic() > until:
                self._tries -= 1
                return None
            time.sleep(_LOOK_S)
        if not self._tries:
            return None
        try:
            self._v2.mkdir(parents=True, exist_ok=True)
            for pid in self._members():
                (self._v2 / "cgroup.procs").write_text(str(pid))
            return version_2(self._v2)
        except OSError:
            return None

    def is_stopped(self) -> bool:
        """Whether every process has come to a stop."""
        return (self._moved or self._first).is_stopped()

    def file(self) -> FreezerFile:
        """Returns the file of version 2, once it is that which stops them; till then `freeze` does.

        The processes are moved by that.
        """
        if self._moved is not None:
            return self._moved.file()
        return self._first.file()._replace(freeze=b"")

    def thaw(self) -> None:
        """Lets them go on."""
        (self._moved or self._first).thaw()

    def close(self) -> None:
        """Closes our descriptors. Idempotent."""
        self._first.close()
        if self._moved is not None:
            self._moved.close()

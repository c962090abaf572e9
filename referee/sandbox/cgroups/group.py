"""Control groups: what a bot's processes may use together, and what they have used."""

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from referee.bots.settings import Bounds
from referee.sandbox.cgroups.freezer import Freezer, Holder, LateFreezer, freezer_of
from referee.sandbox.cgroups.gauge import Controllers, Gauge, controllers_of, folders_of
from referee.sandbox.cgroups.hierarchy import Hierarchies, Kind, delegate
from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from referee.sandbox.janitor import DIE_S, GROUPS, IDLE, end_members, members, remove_groups
from referee.sandbox.mapping_bound import MappingBound
from referee.sandbox.page_cache import LONGEST_AT_END_S, LONGEST_S, Dropping
from referee.sandbox.watchdog import WATCHDOG

_MIB: Final = 1 << 20
_INNER: Final = "bot"


def limit(where: Controllers, bounds: Bounds) -> None:
    """Sets the limits of a group.

    Raises:
        OSError: that cannot be done.
    """
    most = str(bounds.memory * _MIB)
    if "memory" in where:
        _set(where["memory"] / "memory.limit_in_bytes", most)
        swap, with_swap = where["memory"] / "memory.memsw.limit_in_bytes", most
        processes = where["pids"] / "pids.max"
    else:
        _set(where["unified"] / "memory.max", most)
        swap, with_swap = where["unified"] / "memory.swap.max", "0"
        processes = where["unified"] / "pids.max"
    if swap.exists():  # else the kernel does not count swap
        _set(swap, with_swap)
    _set(processes, str(bounds.processes))


def _set(file: Path, value: str) -> None:
    """Writes a file of a group; a text file's layers would cost more than the writing."""
    descriptor = os.open(file, os.O_WRONLY | os.O_TRUNC | os.O_CLOEXEC)
    try:
        os.write(descriptor, value.encode())
    finally:
        os.close(descriptor)


class Group:
    """The control group of one bot."""

    def __init__(
        self, hierarchies: Hierarchies, name: str, bounds: Bounds, *, idle: bool = False
    ) -> None:
        """Makes the group, with its limits, still empty.

        Args:
            hierarchies: where.
            name: the run's, a slash, and its own; bots of a run share the processor evenly.
            bounds: of all its processes together.
            idle: whether it waits for all that play.

        Raises:
            OSError: it cannot be made.
        """
        folders = {root: Path(root, IDLE if idle else GROUPS, name) for root in hierarchies.roots}
        late = folders.pop(hierarchies.v2 or "", None) if hierarchies.v1 else None
        self._tops = self._folders = (*folders.values(), *((late,) if late else ()))
        self._cache: Path | None = None
        self._dropping: Dropping | None = None
        self._gauge: Gauge | None = None
        self._freezer: Freezer | None = None
        self._mappings: MappingBound | None = None
        self.sandbox_own: tuple[int, ...] = ()
        """Processes that are the sandbox's: they only wait, and need not be stopped."""
        try:
            for folder in folders.values():
                if hierarchies.kind is Kind.V2 and not folder.parent.exists():
                    folder.parent.mkdir(parents=True)
                    delegate(folder.parent)
                folder.mkdir(parents=True)
            where = controllers_of(hierarchies, folders)
            limit(where, bounds)
            self._cache = _memory_folder(where)
            self._gauge = Gauge(where)
            holds = _freezer_folder(where)
            freezes = _below(holds, where)
            self._folders = tuple(freezes if one == holds else one for one in self._tops)
            self._freezer = (
                LateFreezer(freezes, late, self._freezes) if late else freezer_of(freezes)
            )
        except OSError:
            self.remove()
            raise
        self._bound_mappings(holds if freezes != holds else None)
        file = "cgroup.procs" if hierarchies.kind is Kind.V2 else "tasks"
        self.doors = tuple(str(folder / file) for folder in self._folders if folder != late)
        """The files into which a process with one thread writes 0 to join; cheaper so in v1."""

    def _freezes(self) -> tuple[int, ...]:
        """The bot's processes."""
        return tuple(pid for pid in self.members() if pid not in self.sandbox_own)

    def _bound_mappings(self, above: Path | None) -> None:
        """Have its mappings and waiters looked at until it is closed.

        Args:
            above: the group of it alone by which it is held still, if there is one.
        """
        assert self._gauge is not None  # noqa: S101  # it was just opened
        self._holder = None if above is None else Holder(above)
        hold = None if self._holder is None else self._holder.hold
        gauge = self._gauge
        self._mappings = MappingBound(
            gauge.kernel_bytes, gauge.cpu_us, self.members, self.kill, hold
        )
        WATCHDOG.look_by(self._mappings.look)

    def cpu_us(self) -> int:
        """Processor time that all its processes have used, in microseconds.

        Raises:
            OSError: the group is gone.
        """
        if self._gauge is None:
            raise ProcessLookupError
        return self._gauge.cpu_us()

    def held_us(self) -> int:
        """For how long we held it still to look at it, in microseconds."""
        return 0 if self._holder is None else self._holder.us()

    def oom_kills(self) -> int:
        """How many of its processes were ended for want of memory, or of room for mappings.

        Raises:
            OSError: the group is gone.
        """
        if self._mappings is not None and self._mappings.exceeded:
            return 1
        if self._gauge is None:
            raise ProcessLookupError
        kills = self._gauge.oom_kills()
        return kills if kills and self._gauge.reached_limit() else 0

    def host_kills(self) -> int:
        """How many the kernel has ended for want of memory although the bot was within its bound.

        Raises:
            OSError: the group is gone.
        """
        if self._gauge is None:
            raise ProcessLookupError
        kills = self._gauge.oom_kills()
        return 0 if not kills or self._gauge.reached_limit() else kills

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops all its processes, wherever they are; `for_now` as `BotProcess.freeze` has it."""
        if self._freezer is not None:
            self._freezer.freeze(for_now=for_now)

    def is_stopped(self) -> bool:
        """Whether all have stopped; yes if there are none any more.

        Raises:
            OSError: the group is gone.
        """
        return self._freezer is None or self._freezer.is_stopped()

    def freezer(self) -> FreezerFile:
        """Returns the file that stops its processes, as it is now; none where there is none."""
        return NO_FILE if self._freezer is None else self._freezer.file()

    def thaw(self) -> None:
        """Lets them run again."""
        if self._freezer is not None:
            self._freezer.thaw()

    def members(self) -> tuple[int, ...]:
        """The ids of its processes."""
        return tuple(members(map(str, self._folders)))

    def counts_all(self) -> bool:
        """The kernel counts for the group, whatever becomes of its processes."""
        return True

    def threads(self) -> Iterator[int]:
        """The ids of its threads."""
        for folder in self._folders[:1]:
            file = folder / ("tasks" if (folder / "tasks").exists() else "cgroup.threads")
            with suppress(OSError):
                yield from map(int, file.read_bytes().split())

    def kill(self) -> None:
        """Ends all its processes at once; they take no signal while version 1 has stopped them."""
        with suppress(OSError):
            self.thaw()
        for pid in self.members():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def drop(self, longest_s: float = LONGEST_AT_END_S) -> None:
        """Begin to drop what its processes have read, when they have ended. Idempotent.

        Args:
            longest_s: for how long it is to be waited for.
        """
        if self._cache is not None:
            self._dropping = Dropping(self._cache, longest_s)
            self._cache = None

    def forget(self) -> None:
        """Drop what its processes have read, when they have ended. Idempotent."""
        self.drop(LONGEST_S)
        if self._dropping is not None:
            self._dropping.wait()

    def close(self) -> None:
        """Closes our descriptors. Idempotent."""
        if self._mappings is not None:
            WATCHDOG.look_no_more(self._mappings.look)
            self._mappings.close()
        for one in (self._gauge, self._freezer):
            if one is not None:
                one.close()
        self._gauge = self._freezer = None

    def remove(self) -> None:
        """End what is left in it, drop what it has read, and take the group away. Idempotent."""
        self.close()
        end_members(map(str, self._folders), DIE_S)  # what a living one maps is not dropped
        self.forget()
        folders = list(map(str, (*self._folders, *self._tops)))
        if (dropping := self._dropping) is not None:
            folders = [folder for folder in folders if folder != str(dropping.folder)]
            dropping.then(lambda: remove_groups([str(dropping.folder)]))
        remove_groups(folders)


class FoundGroup(Group):
    """The control group that the daemon has made for a bot: a container's."""

    doors = ()

    def __init__(self, hierarchies: Hierarchies, pid: int) -> None:
        """Finds the group of a process.

        Raises:
            OSError: it is gone, or its files are not ours to open.
        """
        folders = folders_of(hierarchies, Path(f"/proc/{pid}/cgroup").read_text())
        self._folders = tuple(folders.values())
        self._gauge = self._freezer = None
        self._mappings = None
        self._dropping = None
        where = controllers_of(hierarchies, folders)
        self.parents = tuple(one.parent for one in self._folders if _is_of_one_bot(one.parent))
        """Those that were made for this group alone, and outlive it."""
        self._cache = _memory_folder(where)
        if self._cache is not None and self._cache.parent in self.parents:
            self._cache = self._cache.parent  # it is still there when the group is gone
        try:
            self._gauge = Gauge(where)
            folder = _freezer_folder(where)
            self._freezer = freezer_of(folder)
        except (OSError, KeyError) as error:
            self.close()
            raise OSError(f"no control group of process {pid}: {error}") from error
        self._bound_mappings(folder.parent if _is_of_one_bot(folder.parent) else None)

    def remove(self) -> None:
        """Closes our descriptors; the folders belong to who made them."""
        self.close()
        self.forget()


def _is_of_one_bot(folder: Path) -> bool:
    """Whether a group is one that we had made for one container: RUN/NUMBER below ours."""
    return str(folder.parent.parent).endswith((f"/{GROUPS}", f"/{IDLE}"))


def _memory_folder(where: Controllers) -> Path | None:
    return where.get("memory", where.get("unified"))


def _below(folder: Path, where: Controllers) -> Path:
    """Make the group in which the bot itself is, below the one by which it is held still.

    Returns:
        It; the same folder where other controllers of version 1 are mounted with the freezer, for
        not all of them count what is below.

    Raises:
        OSError: it cannot be made.
    """
    if list(where.values()).count(folder) > 1:
        return folder
    (folder / _INNER).mkdir()
    return folder / _INNER


def _freezer_folder(where: Controllers) -> Path:
    """The folder with the fastest freezer.

    Raises:
        KeyError: there is none.
    """
    unified = where.get("unified")
    if unified is not None and (unified / "cgroup.freeze").exists():
        return unified
    return where["freezer"]

"""Ways to break the walls of bubblewrap, and those that both sandboxes have."""

import contextlib
import os
import re
import struct
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from referee.sandbox import choose, launcher
from referee.sandbox.bubblewrap import command, process
from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.bubblewrap.mounts import HostFolder, MemoryFolder
from referee.sandbox.cgroups import group as cgroups
from referee.sandbox.cgroups import hierarchy
from referee.sandbox.cgroups.freezer import FileFreezer
from referee.sandbox.container import create
from referee.sandbox.container.janitor import JanitorContainer
from referee.sandbox.count_process import Counter
from referee.sandbox.counting import Budget, Found
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.masks import Masks
from referee.sandbox.user_ids import Slot
from support.walls import Break, current, nothing, replaced

ALLOW_EVERYTHING: Final = struct.pack("<HBBI", 6, 0, 0, 0x7FFF0000)
_SCRATCH: Final = tempfile.TemporaryDirectory(prefix="broken-wall-")
Path(_SCRATCH.name).chmod(0o1777)


def options(*changes: tuple[tuple[str, ...], tuple[str, ...]]) -> Break:
    """Put other options of bwrap in the place of some; all must be there."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = current(bubblewrap, "arguments")

        def arguments(*of: Any) -> list[str]:
            found: list[str] = usual(*of)
            for old, new in changes:
                at = next(i for i in range(len(found)) if tuple(found[i : i + len(old)]) == old)
                found[at : at + len(old)] = new
            return found

        patch.setattr(bubblewrap, "arguments", arguments)

    return breaks


def without(*words: str) -> Break:
    return options(*(((one,), ()) for one in words))


def folder_writable(folder: str) -> Break:
    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = current(bubblewrap, "arguments")

        def arguments(*of: Any) -> list[str]:
            found: list[str] = usual(*of)
            at = next(at for at in range(len(found)) if _shows(folder, found[at : at + 3]))
            return [*found[:at], "--bind", *found[at + 1 :]]

        patch.setattr(bubblewrap, "arguments", arguments)

    return breaks


def _shows(folder: str, words: list[str]) -> bool:
    return words[0] == "--ro-bind" and words[2] == folder


def without_overlays(patch: pytest.MonkeyPatch) -> None:
    """Have bots see folders of the host as they are; the launcher mounts overlays for nothing."""
    patch.setattr(HostFolder, "shown", lambda self, _: ("--ro-bind", self.source, self.path))


def devices_of_the_host(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(command, "_devices", lambda: ["--dev-bind", "/dev", "/dev"])


def masks_writable(patch: pytest.MonkeyPatch) -> None:
    usual = current(bubblewrap, "arguments")

    def arguments(*of: Any) -> list[str]:
        found: list[str] = usual(*of)
        for path in ("/proc/stat", "/proc/meminfo"):
            found[found.index(path) - 2] = "--bind"
        return found

    patch.setattr(bubblewrap, "arguments", arguments)


def without_limit(kind: int) -> Break:
    """Leave a limit of processes, by its number, as it is outside."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = launcher._limit
        patch.setattr(launcher, "_limit", lambda of, most: () if of == kind else usual(of, most))

    return breaks


def proc_open(patch: pytest.MonkeyPatch) -> None:
    """Close no file below /proc, and cover none."""
    usual = launcher.walled
    patch.setattr(bubblewrap, "walled", lambda paths, **_: usual(paths, landlock=False))
    patch.setattr(create, "walled", lambda paths, **_: usual(paths, landlock=False))


def nothing_refused(patch: pytest.MonkeyPatch) -> None:
    """Leave to the bot what the launcher needed."""

    def walled(*of: Any, **named: Any) -> list[str]:
        return [word for word in usual(*of, **named) if word != "refuse"]

    usual = launcher.walled
    patch.setattr(bubblewrap, "walled", walled)
    patch.setattr(create, "walled", walled)


def unlimited(*files: str) -> Break:
    """Leave limits of control groups as the kernel has them."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = cgroups._set

        def set_(file: Path, value: str) -> None:
            if file.name not in files:
                usual(file, value)

        patch.setattr(cgroups, "_set", set_)

    return breaks


def outside(controller: str) -> Break:
    """Have bots join the groups of all controllers but one."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = bubblewrap.Bubblewrap._control

        def control(*of: Any, **named: Any) -> Any:
            found = usual(*of, **named)
            found.doors = tuple(one for one in found.doors if f"/{controller}/" not in one)
            return found

        patch.setattr(bubblewrap.Bubblewrap, "_control", control)

    return breaks


def unmasked(path: str) -> Break:
    """Show the machine's own file or folder."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        for name in ("files", "folders"):
            patch.setattr(Masks, name, but(path, getattr(Masks, name), str))
        patch.setattr(Masks, "constants", but(path, Masks.constants, lambda pair: pair[1]))

    return breaks


def but(path: str, usual: Any, path_of: Callable[[Any], str]) -> Callable[..., list[Any]]:
    return lambda *of: [one for one in usual(*of) if path_of(one) != path]


def same_user(uid: int | None) -> Break:
    """Give all bots one user id; None for the referee's own."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        slot = None if uid is None else Slot(uid, -1)
        patch.setattr(SandboxFolders, "take_slot", lambda _: slot)

    return breaks


def without_janitor(patch: pytest.MonkeyPatch) -> None:
    """Start no janitor."""
    patch.setattr(choose, "_janitor", lambda *_: contextlib.nullcontext())


def without_second_janitor(patch: pytest.MonkeyPatch) -> None:
    """Start none in a container."""
    patch.setattr(JanitorContainer, "start", nothing)


def never_frozen(patch: pytest.MonkeyPatch) -> None:
    """Freeze no group."""
    patch.setattr(FileFreezer, "freeze", nothing)


def without_shares(patch: pytest.MonkeyPatch) -> None:
    """Use no controller of the processor, as where none is mounted; version 2 always has it."""
    if (found := hierarchy.available()) is None or found.kind is hierarchy.Kind.V2:
        pytest.skip("no controller of version 1")
    patch.setattr(hierarchy, "_CPU", "none")


def cache_kept(patch: pytest.MonkeyPatch) -> None:
    """Drop nothing of what a bot has read."""
    patch.setattr(cgroups.Group, "drop", nothing)


def _find(patch: pytest.MonkeyPatch, instead: Callable[[Found], Found]) -> None:
    """Have every count find something else."""
    count = Counter.count

    def found(self: Counter, pids: Iterable[int], budget: Budget) -> Found:
        return instead(count(self, pids, budget))

    patch.setattr(Counter, "count", found)


def mappings_uncounted(patch: pytest.MonkeyPatch) -> None:
    """Find no mappings, however many there are."""
    _find(patch, lambda found: found._replace(mappings=0))


def page_tables_uncounted(patch: pytest.MonkeyPatch) -> None:
    """Find no page tables, however many there are."""
    _find(patch, lambda found: found._replace(tables_kib=0))


def waiters_uncounted(patch: pytest.MonkeyPatch) -> None:
    """Find no waiters, however many there are."""
    _find(patch, lambda found: found._replace(waiters=0))


def with_environment(_: list[str], options: dict[str, Any]) -> None:
    options["env"] = dict(os.environ)


def with_session(_: list[str], options: dict[str, Any]) -> None:
    options["start_new_session"] = False


def with_descriptor(_: list[str], options: dict[str, Any]) -> None:
    options["pass_fds"] = (*options["pass_fds"], os.open("/etc/passwd", os.O_RDONLY))


def unfiltered(words: list[str], options: dict[str, Any]) -> None:
    at = words.index("--seccomp")
    del words[at : at + 2]


def not_killed(patch: pytest.MonkeyPatch) -> None:
    replaced(patch, process, "signal", pidfd_send_signal=nothing)


def size_of(folder: str) -> Break:
    """Let a file system in memory grow as it may."""
    bare = ("--perms", "1777", "--tmpfs", folder)
    return _in_memory(folder, bare, lambda options: re.sub(r"size=[^,]*,", "", options))


def files_of(folder: str) -> Break:
    """Let a file system in memory that the launcher mounts hold any number of files."""
    return _in_memory(folder, (), lambda options: re.sub(r"nr_inodes=\d+", "nr_inodes=0", options))


def shared(folder: str) -> Break:
    """Have all bots see one folder of the disk in the place of their own in memory."""
    return options_of_memory(folder, lambda _: ("--bind", _SCRATCH.name, folder))


def options_of_memory(folder: str, put: Callable[[tuple[str, ...]], tuple[str, ...]]) -> Break:
    """Put other options of bubblewrap's in the place of those that show a folder of memory."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = MemoryFolder.shown

        def shown(self: MemoryFolder, point: str | None) -> tuple[str, ...]:
            found = usual(self, point)
            return put(found) if self.path == folder else found

        patch.setattr(MemoryFolder, "shown", shown)

    return breaks


def _in_memory(folder: str, bare: tuple[str, ...], change: Callable[[str], str]) -> Break:
    """Change how a folder of memory is mounted.

    Args:
        folder: where a bot sees it.
        bare: bubblewrap's options, where it mounts it; empty to leave them.
        change: changes the mount's options, where the launcher mounts it.
    """

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = MemoryFolder.mounted

        def mounted(self: MemoryFolder, point: str, uid: int) -> tuple[str, ...]:
            *words, options = usual(self, point, uid)
            return (*words, change(options) if self.path == folder else options)

        patch.setattr(MemoryFolder, "mounted", mounted)
        if bare:
            options_of_memory(folder, lambda of: bare if "--tmpfs" in of else of)(patch)

    return breaks


def allow_everything(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(bubblewrap, "program", lambda _: ALLOW_EVERYTHING)

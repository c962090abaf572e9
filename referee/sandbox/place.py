"""Where on this machine the sandboxes keep what they need, and whose they are."""

import ctypes
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.errors import SandboxError
from referee.sandbox.hierarchies import Hierarchies
from referee.sandbox.slots import Slot, take
from referee.settings import Settings

_CLONE_NEWNS: Final = 0x20000
_MNT_DETACH: Final = 2
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000


class Place(Struct, frozen=True):
    """What all sandboxes of one run share.

    Attributes:
        run: the name of this run of the referee (see `referee.sandbox.janitor.run_of`).
        root: whether we are root, and so give each bot a user id of its own.
        settings: what the organiser allows.
        hierarchies: where control groups can be made, or None.
        work: the folder of this run, gone when it is over.
        store: the folder of the bots' copies, by the hash of their files.
        staged: the toolchains, and where each can be reached from by a bot's user.
    """

    run: str
    root: bool
    settings: Settings
    hierarchies: Hierarchies | None
    work: Path
    store: Path
    staged: Mapping[str, str]

    def take_slot(self) -> Slot | None:
        """A user id for a bot, where we may give one.

        Raises:
            OSError: all are taken.
        """
        return take(self.work.parent / "slots") if self.root else None


def work_folder() -> Path:
    """The folder that holds a folder for each run; outside any home, and gone after a reboot."""
    if os.geteuid() == 0:
        return Path("/run/briscola-referee")
    return Path(f"/tmp/briscola-referee-{os.geteuid()}")  # noqa: S108  # see `own_folder`


def store_folder() -> Path:
    """The folder of the bots' copies: outside any home, and bots can reach it."""
    if os.geteuid() == 0:
        return Path("/var/lib/briscola-referee/bots")
    return Path(f"/var/tmp/briscola-referee-{os.geteuid()}/bots")  # noqa: S108  # see `own_folder`


def own_folder(path: Path, mode: int) -> Path:
    """Makes a folder where others may write beside it, and is sure that it is ours.

    Raises:
        SandboxError: somebody else was there first, or it cannot be made.
    """
    try:
        for folder in (*reversed(path.parents), path):
            if not folder.exists():
                folder.mkdir(mode=mode, exist_ok=True)
        status = path.lstat()
        above = path.parent.lstat()
    except OSError as error:
        raise SandboxError(f"cannot make {str(path)!r}: {error.strerror}") from error
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.geteuid() or status.st_mode & 0o022:
        raise SandboxError(f"{str(path)!r} must be a folder of yours that only you can write to")
    ours = above.st_uid in (0, os.geteuid()) and stat.S_ISDIR(above.st_mode)
    if not ours or (above.st_mode & 0o022 and not above.st_mode & stat.S_ISVTX):
        raise SandboxError(f"{str(path.parent)!r} must be a folder that only you can write to")
    return path


def remove_tree(folder: Path) -> None:
    """Takes a folder away, however deep it is: `shutil.rmtree` calls itself for each level."""
    while folder.is_dir() and not folder.is_symlink():
        try:
            shutil.rmtree(folder, ignore_errors=True)
            return
        except RecursionError:
            _cut(folder)


def _cut(folder: Path) -> None:
    """Moves what lies a hundred levels down to the top, so that it is no longer deep."""
    for place, folders, _ in os.walk(folder):
        if len(Path(place).relative_to(folder).parts) == 100:
            for name in folders:
                os.rename(Path(place, name), folder / f"deep-{secrets.token_hex(8)}")
            folders.clear()


def staged(toolchains: Iterable[str], work: Path) -> dict[str, str]:
    """Where a bot's user can reach each toolchain.

    One below a closed folder, such as root's home, is bound to where it can be reached, in a mount
    namespace of this thread's own: nobody else sees the mount, and it goes when we go.

    Raises:
        SandboxError: it cannot be bound.
    """
    found = {folder: folder for folder in toolchains}
    closed = [folder for folder in found if os.geteuid() == 0 and not _is_open(Path(folder))]
    if not closed:
        return found
    libc = ctypes.CDLL(None, use_errno=True)
    _call(libc.unshare(_CLONE_NEWNS), "unshare")
    _call(libc.mount(b"none", b"/", None, _MS_REC | _MS_SLAVE, None), "mount /")
    for number, folder in enumerate(closed):
        target = own_folder(work / "toolchains" / str(number), 0o755)
        source, there = os.fsencode(folder), os.fsencode(target)
        _call(libc.mount(source, there, None, _MS_BIND | _MS_REC, None), f"mount {folder}")
        found[folder] = str(target)
    return found


def leave(work: Path) -> None:
    """Takes the run's folder away; what `staged` has bound there is let go first."""
    libc = ctypes.CDLL(None, use_errno=True)
    for target in (work / "toolchains").glob("*"):
        libc.umount2(os.fsencode(target), _MNT_DETACH)
        target.rmdir()  # never what it shows: that would be the toolchain itself
    shutil.rmtree(work, ignore_errors=True)


def _is_open(folder: Path) -> bool:
    """Whether every user can go there."""
    return all(path.stat().st_mode & 0o001 for path in (folder, *folder.parents))


def _call(result: int, what: str) -> None:
    if result:
        raise SandboxError(
            f"cannot show a toolchain to bots: {what}: {os.strerror(ctypes.get_errno())}"
        )

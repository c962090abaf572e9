"""Where on this machine the sandboxes keep what they need, and whose they are."""

import ctypes
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.bots.settings import Settings
from referee.errors import SandboxError
from referee.sandbox.cgroups.hierarchy import Hierarchies
from referee.sandbox.cgroups.spare_groups import SpareGroups
from referee.sandbox.user_ids import READERS, Slot, take

_CLONE_NEWNS: Final = 0x20000
_MNT_DETACH: Final = 2
_MS_BIND, _MS_REC, _MS_SLAVE = 0x1000, 0x4000, 0x80000
_OPENED: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class SandboxFolders(Struct, frozen=True):
    """What all sandboxes of one run share.

    Attributes:
        run: the name of this run of the referee (see `referee.sandbox.janitor.run_of`).
        root: whether we are root, and so give each bot a user id of its own.
        settings: what the organiser allows.
        hierarchies: where control groups can be made, or None.
        spares: groups without processes, where there are groups.
        landlock: whether files below /proc can be closed to bots.
        work: the folder of this run, gone when it is over.
        store: the folder of the bots' copies, by the hash of their files.
        staged: the toolchains, and where each can be reached from by a bot's user.
    """

    run: str
    root: bool
    settings: Settings
    hierarchies: Hierarchies | None
    spares: SpareGroups | None
    landlock: bool
    work: Path
    store: Path
    staged: Mapping[str, str]

    @property
    def pipes(self) -> Path:
        """The folder of named pipes, which other users cannot enter."""
        return self.work / "pipes"

    def take_slot(self) -> Slot:
        """Take a user id for a bot, which no other bot of this user's referees has meanwhile.

        Raises:
            OSError: all are taken.
        """
        return take(self.work.parent / "slots")


def own_store(path: Path) -> Path:
    """Make the folder of the bots' copies, closed to other users.

    For root's bots, who have user ids of their own, their group may go through it, but not list it.

    Raises:
        SandboxError: as `own_folder` has it.
    """
    own_folder(path.parent, 0o755)
    own_folder(path, 0o700)
    try:
        if os.geteuid() == 0:
            os.chown(path, -1, READERS)
        path.chmod(0o710 if os.geteuid() == 0 else 0o700)
    except OSError as error:
        raise SandboxError(f"cannot close {str(path)!r} to others: {error.strerror}") from error
    return path


def work_folder() -> Path:
    """The folder that holds a folder for each run; outside any home, and gone after a reboot."""
    if os.geteuid() == 0:
        return Path("/run/briscola-referee")
    return unless_taken(Path(f"/tmp/briscola-referee-{os.geteuid()}"), "run")  # noqa: S108  # so


def cores_folder() -> Path:
    """The folder in which it is said on which cores matches are played."""
    return work_folder() / "cores"


def store_folder() -> Path:
    """The folder of the bots' copies: outside any home, and bots can reach it."""
    if os.geteuid() == 0:
        return Path("/var/lib/briscola-referee/bots")
    folder = Path(f"/var/tmp/briscola-referee-{os.geteuid()}")  # noqa: S108  # so
    return unless_taken(folder, "store") / "bots"


def unless_taken(folder: Path, otherwise: str) -> Path:
    """The folder, unless another user was there first: then one where no other user may write.

    Args:
        folder: where everybody can make folders; see `own_folder` for what it has to be.
        otherwise: a name in our own folder among the user's caches.
    """
    try:
        if folder.lstat().st_uid != os.geteuid():
            caches = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
            return Path(caches, "briscola-referee", otherwise)
    except OSError:  # most of all: it is not there yet
        pass
    return folder


def own_folder(path: Path, mode: int) -> Path:
    """Makes a folder where others may write beside it, and is sure that it is ours.

    Raises:
        SandboxError: another user was there first, or it cannot be made.
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
    """Takes a folder away in which no process works, also a read-only one; what cannot go stays.

    `shutil.rmtree` calls itself for each level, and paths end at 4 KiB; a bot may have made more
    of both. So all folders come up to the top, one after the other.
    """
    with suppress(OSError):
        if not stat.S_ISDIR(folder.lstat().st_mode):
            return
        folder.chmod(0o700)
        top = os.open(folder, _OPENED)
        try:
            while _has_emptied(top):
                pass
        finally:
            os.close(top)
        folder.rmdir()
    with suppress(RecursionError):
        shutil.rmtree(folder, ignore_errors=True)  # not every disk lets a folder be moved


def _has_emptied(top: int) -> bool:
    """Removes what lies in a folder, and moves there what lies deeper; whether anything went."""
    went = False
    for name in os.listdir(top):
        with suppress(OSError):
            if _is_folder(name, top):
                here = _opened(name, top)
                try:
                    went |= _has_risen(here, top)
                finally:
                    os.close(here)
                os.rmdir(name, dir_fd=top)
            else:
                os.unlink(name, dir_fd=top)
            went = True
    return went


def _has_risen(here: int, top: int) -> bool:
    """Removes the files of a folder, and moves its folders to the top; whether any was moved."""
    risen = False
    for name in os.listdir(here):
        with suppress(OSError):
            if not _is_folder(name, here):
                os.unlink(name, dir_fd=here)
                continue
            os.chmod(name, 0o700, dir_fd=here)  # else it can be moved by root only
            os.rename(name, f"risen-{secrets.token_hex(8)}", src_dir_fd=here, dst_dir_fd=top)
            risen = True
    return risen


def _is_folder(name: str, folder_fd: int) -> bool:
    return stat.S_ISDIR(os.stat(name, dir_fd=folder_fd, follow_symlinks=False).st_mode)


def _opened(name: str, folder_fd: int) -> int:
    os.chmod(name, 0o700, dir_fd=folder_fd)
    return os.open(name, _OPENED, dir_fd=folder_fd)


def staged(toolchains: Iterable[str], work: Path) -> dict[str, str]:
    """Where a bot's user can reach each toolchain.

    One below a closed folder, such as root's home, is bound to where it can be reached, in a mount
    namespace of this thread's own: no other process sees the mount, and it goes when we go.

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

"""Folders of copies, each named by a hash: counted, bounded, and never removed while in use.

Beside the copies lie their cards, `.cards/NAME`. A card says how large its copy is; its time of
change is when the copy was used last; and each user of the copy shares a lock on the card, which
the kernel lets go of when that process ends, whatever ends it. A copy is removed only by a process
that has the lock for itself alone.
"""

import fcntl
import os
import secrets
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from referee.bots.settings import CopyLimits
from referee.sandbox.copy_choice import Copy, over
from referee.sandbox.folders import remove_tree
from referee.sandbox.janitor import is_alive, run_of
from referee.sandbox.sizes import Usage, usage_of

_CARDS: Final = ".cards"
_CARD: Final = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW  # to write: else NFS locks none alone


class CopyStore:
    """A folder of copies, as one process uses it.

    Attributes:
        folder: it holds the copies.
    """

    def __init__(self, folder: Path, limits: CopyLimits) -> None:
        """Hold no copy yet; the folder need not be there.

        Args:
            folder: only its owner can write to it.
            limits: what `trim` brings it down to.
        """
        self.folder = folder
        self._limits = limits
        self._cards: dict[str, int] = {}
        """Those that we have locked, open."""
        self._holds = Counter[str]()

    def scratch_path(self) -> Path:
        """Return a path in the folder for what is not finished: it goes when this process does."""
        return self.folder / f".{run_of(os.getpid())}-{secrets.token_hex(4)}"

    def hold(self, name: str) -> Path | None:
        """Use a copy, so that no process removes it, until `release` or `close`.

        Returns:
            Its folder; None if there is no such copy.

        Raises:
            OSError: its card cannot be written.
        """
        card = self._share(name)
        if not (self.folder / name).is_dir():
            self.release(name)
            return None
        os.utime(card)
        return self.folder / name

    def add(self, finished: Path, name: str) -> Path:
        """Give what is finished its name, hold it, and bring the store down to its limits.

        Args:
            finished: a folder of the same disk; if another process was quicker it stays, and that
                process's copy is used.
            name: that nothing else may ever have.

        Raises:
            OSError: the disk does not let us.
        """
        card, final = self._share(name), self.folder / name
        try:
            usage = usage_of(finished)
            try:
                finished.rename(final)
            except OSError:
                if not final.is_dir():
                    raise
            os.ftruncate(card, 0)
            os.pwrite(card, msgspec.json.encode(usage), 0)
            self.trim()
        except BaseException:
            self.release(name)
            raise
        return final

    def _share(self, name: str) -> int:
        """Lock the card of a copy together with others who use it, once more."""
        if name not in self._cards:
            self._cards[name] = self._locked_card(name)
        self._holds[name] += 1
        return self._cards[name]

    def release(self, name: str) -> None:
        """Let go of a copy once; it may be removed when all who held it have let go."""
        if name not in self._cards:
            return
        self._holds[name] -= 1
        if not self._holds[name]:
            self._drop_card(name, self._cards.pop(name))

    def close(self) -> None:
        """Let go of all copies."""
        while self._cards:
            self.release(next(iter(self._cards)))

    def is_here(self, folder: str) -> bool:
        """Whether a folder is one of this store's copies, or was."""
        return os.path.dirname(folder) == os.fspath(self.folder)

    def copies(self) -> list[Copy]:
        """Return all copies, and what dead processes have left unfinished, the oldest use first.

        Changes nothing.

        Raises:
            OSError: the folder cannot be read.
        """
        try:
            names = [entry.name for entry in os.scandir(self.folder) if entry.is_dir()]
        except FileNotFoundError:
            return []
        seen = [self._look(name) for name in names if name != _CARDS]
        return sorted((copy for copy in seen if copy is not None), key=lambda copy: copy.used_at)

    def remove(self, copy: Copy) -> bool:
        """Remove a copy, unless a process uses it.

        Returns:
            Whether it is gone.

        Raises:
            OSError: the disk does not let us.
        """
        folder = self.folder / copy.name
        if copy.unfinished:
            remove_tree(folder)
            return not folder.exists()
        try:
            card = self._locked_card(copy.name, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        leaving = self.scratch_path()  # gone at once for others, and swept if we are killed
        try:
            with suppress(FileNotFoundError):
                folder.rename(leaving)
        finally:
            self._drop_card(copy.name, card)
        remove_tree(leaving)
        return not leaving.exists()

    def sweep(self) -> None:
        """Remove what processes have left unfinished that are gone.

        Raises:
            OSError: the folder cannot be read.
        """
        for path in self.folder.glob(".*-*-*-*"):
            if _is_left(path.name):
                remove_tree(path)
        for path in self._card("").glob("*"):
            if not (self.folder / path.name).exists():
                with suppress(BlockingIOError):
                    how = fcntl.LOCK_EX | fcntl.LOCK_NB
                    self._drop_card(path.name, self._locked_card(path.name, how))

    def trim(self) -> None:
        """Remove the copies not in use that were used longest ago, until the limits are kept.

        What is in use stays, even where that is more than the limits allow.

        Raises:
            OSError: the disk does not let us.
        """
        for copy in over(self.copies(), self._limits):
            self.remove(copy)

    def _look(self, name: str) -> Copy | None:
        """Return a copy as it is now; None if it has gone, or is still being made."""
        folder = self.folder / name
        try:
            if name.startswith("."):
                if not _is_left(name):
                    return None
                usage = usage_of(folder)
                return Copy(name, usage.size, usage.files, folder.stat().st_mtime, unfinished=True)
            return self._look_at_card(name, folder)
        except FileNotFoundError:
            return None

    def _look_at_card(self, name: str, folder: Path) -> Copy:
        try:
            card = os.open(self._card(name), _CARD)
        except FileNotFoundError:
            usage = usage_of(folder)
            return Copy(name, usage.size, usage.files, folder.stat().st_mtime)
        try:
            used_at = os.fstat(card).st_mtime
            try:
                usage = msgspec.json.decode(os.pread(card, 200, 0), type=Usage)
            except ValueError:
                usage = usage_of(folder)
            return Copy(name, usage.size, usage.files, used_at, in_use=_is_shared(card))
        finally:
            os.close(card)

    def _card(self, name: str) -> Path:
        return self.folder / _CARDS / name

    def _locked_card(self, name: str, how: int = fcntl.LOCK_SH) -> int:
        """Open the card of a copy, made if need be, and lock it.

        Raises:
            BlockingIOError: others have it locked, where `how` says not to wait.
            OSError: the disk does not let us.
        """
        while True:
            self._card(name).parent.mkdir(mode=0o700, exist_ok=True)
            card = os.open(self._card(name), _CARD | os.O_CREAT, 0o600)
            try:
                fcntl.flock(card, how)  # shared, it waits only while a copy is being removed
                if os.fstat(card).st_nlink:
                    return card
            except BaseException:
                os.close(card)
                raise
            os.close(card)  # its copy was removed before we had the lock

    def _drop_card(self, name: str, card: int) -> None:
        """Let go of a card, and remove it if its copy is not there and no other process has it."""
        try:
            with suppress(BlockingIOError):
                fcntl.flock(card, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.fstat(card).st_nlink and not (self.folder / name).is_dir():
                    self._card(name).unlink()
        finally:
            os.close(card)


def _is_left(name: str) -> bool:
    """Whether a scratch folder of this name is of a process that is gone."""
    return not is_alive(name[1:].rpartition("-")[0])


def _is_shared(card: int) -> bool:
    """Whether a process uses the copy of an open card."""
    try:
        fcntl.flock(card, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    return False

"""Bots that were handed in on the site: kept on the disk until each has had its trial.

A trial is the command `referee submit`, run as a process of its own: so a bot is taken in or
refused just as it is in a shell, and the site has no other way to write a submission. What waits
outlives the site: when that is started again, each upload is there, or it never was.
"""

import fcntl
import secrets
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing, contextmanager
from pathlib import Path
from typing import IO, Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.files.signing import now_ms
from ladder.show.submit_json import AcceptedJson
from ladder.show.upload_json import UploadState
from ladder.web.content import Missing, Refused, TooLarge
from ladder.web.upload_file import plain_name
from ladder.web.upload_places import Places
from referee.bots.settings import SiteLimits
from referee.errors import HostError, RefereeError
from referee.whole_file import atomic_write, sync_folder

FOLDER: Final = "uploads"
ID_BYTES: Final = 12
KEPT_DAYS: Final = 30
MOST_TRIES: Final = 3
"""So often a trial may end without an answer before the upload is given up."""

_DAY_MS: Final = 24 * 60 * 60 * 1000
_BOT: Final = "bot"
_PART: Final = ".part"
_STAGE: Final = ".stage"


class Upload(Struct, frozen=True, kw_only=True):
    """A bot that was handed in.

    Attributes:
        id: 24 hex digits.
        file: what its author called the file.
        name: what its author wants tables to call it; "" for as its file says.
        bytes: how large it is.
        tries: how often its trial was begun.
        begun_ms: when it was begun last; 0 before.
        why: why it was refused; "" if it was not.
        accepted: what it has become, once it was taken in.
    """

    id: str
    author: str
    file: str
    name: str
    bytes: int
    at_ms: int
    state: UploadState = UploadState.WAITING
    tries: int = 0
    begun_ms: int = 0
    why: str = ""
    accepted: AcceptedJson | None = None

    @property
    def is_over(self) -> bool:
        """Whether its trial has come to an end."""
        return self.state in (UploadState.ACCEPTED, UploadState.REFUSED)


class Uploads:
    """The uploads of a ladder.

    Attributes:
        limits: what is taken of each author.
        places: are kept for bots while they come.
    """

    def __init__(self, files: Path, limits: SiteLimits) -> None:
        """Find what a site of before has left: what was being tried waits again.

        Args:
            files: the folder of the ladder's files.
            limits: what is taken of each author.

        Raises:
            RefereeError: another site takes in the uploads of this ladder.
        """
        self.limits, self.places = limits, Places()
        self._folder = files / FOLDER
        self._all: dict[str, Upload] = {}
        self._news = trio.Event()
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        self._lock = _locked(self._folder)
        for kind in (_PART, _STAGE):
            for left in self._folder.glob(f"*{kind}"):
                left.unlink()
        for path in sorted(self._folder.glob("*.json")):
            upload = _read(path)
            if upload.state is UploadState.TRYING:
                upload = replace(upload, state=UploadState.WAITING)
            self._all[upload.id] = upload

    def close(self) -> None:
        """Let another site take in uploads."""
        self._lock.close()

    # --- what is asked

    def of(self, author: str) -> list[Upload]:
        """Return the uploads of an author, the newest first."""
        return sorted(
            (one for one in self._all.values() if one.author == author),
            key=lambda one: (-one.at_ms, one.id),
        )

    def find(self, author: str, upload: str) -> Upload:
        """Return an upload of an author.

        Raises:
            Missing: the author has none such.
        """
        found = self._all.get(upload)
        if found is None or found.author != author:
            raise Missing("There is no such upload of yours.")
        return found

    def waiting(self) -> list[Upload]:
        """Return those that have had no trial, in the order in which they get it."""
        found = [one for one in self._all.values() if one.state is UploadState.WAITING]
        return sorted(found, key=lambda one: (one.at_ms, one.id))

    def position(self, upload: Upload) -> int:
        """Return how many get their trial no later: 1 for the next one, 0 for none that waits."""
        if upload.state is not UploadState.WAITING:
            return 0
        return 1 + [one.id for one in self.waiting()].index(upload.id)

    # --- what is handed in

    def open_authors(self) -> list[str]:
        """Return whose uploads are not over yet, an author as often as they have such."""
        return [one.author for one in self._all.values() if not one.is_over]

    async def receive(
        self, author: str, file: str, name: str, chunks: AsyncGenerator[bytes, None]
    ) -> Upload:
        """Write an upload to the disk; it waits for its trial then.

        Args:
            author: whose.
            file: what its author calls it.
            name: what tables are to call it; "" for as its file says.
            chunks: the bytes, as they come.

        Raises:
            TooLarge: it is larger than is taken.
            Refused: it is empty.
            HostError: the disk does not let us.
        """
        identity = secrets.token_hex(ID_BYTES)
        part = self._folder / f"{identity}{_PART}"
        try:
            with _on_disk():
                size = await self._write(part, chunks)
                upload = Upload(
                    id=identity,
                    author=author,
                    file=plain_name(file),
                    name=name,
                    bytes=size,
                    at_ms=now_ms(),
                )
                await trio.to_thread.run_sync(self._take, part, upload)
        finally:
            part.unlink(missing_ok=True)
        self._all[upload.id] = upload
        self._tell()
        return upload

    async def _write(self, part: Path, chunks: AsyncGenerator[bytes, None]) -> int:
        size, most = 0, self.limits.upload << 20
        async with aclosing(chunks), await trio.open_file(part, "xb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > most:
                    raise TooLarge(f"A bot may have {self.limits.upload} MiB here.")
                await file.write(chunk)
        if not size:
            raise Refused("The file is empty.")
        return size

    def _take(self, part: Path, upload: Upload) -> None:
        """Give a file that is whole its name, then write down that it waits."""
        part.rename(self.file_of(upload))
        sync_folder(self._folder)
        self._save(upload)

    def file_of(self, upload: Upload) -> Path:
        """Return where an upload lies until its trial is over."""
        return self._folder / f"{upload.id}.{_BOT}"

    def stage_file(self, upload: Upload) -> Path:
        """Return the file in which a trial says what it does."""
        return self._folder / f"{upload.id}{_STAGE}"

    def stage(self, upload: Upload) -> str:
        """Return what the trial of an upload does just now; "" where that is not known."""
        if upload.state is not UploadState.TRYING:
            return ""
        try:
            return self.stage_file(upload).read_text(errors="replace").strip()
        except OSError:
            return ""

    # --- what becomes of it

    async def next(self) -> Upload:
        """Return the next upload, as soon as there is one; it is being tried from then on."""
        while (upload := await self.next_if_any()) is None:
            await self._news.wait()
        return upload

    async def next_if_any(self) -> Upload | None:
        """Return the next upload, which is being tried from then on; one at a time of an author."""
        all_ = self._all.values()
        busy = {one.author for one in all_ if one.state is UploadState.TRYING}
        waiting = [one for one in self.waiting() if one.author not in busy]
        if not waiting:
            return None
        before, tries = waiting[0], waiting[0].tries + 1
        upload = replace(before, state=UploadState.TRYING, tries=tries, begun_ms=now_ms())
        self._all[upload.id] = upload  # before another trial looks
        try:
            await self.change(upload)
        except BaseException:
            self._all[upload.id] = before
            raise
        return upload

    def wait_again(self) -> None:
        """Have those wait again whose trial was broken off, as by a full disk."""
        for upload in self._all.values():
            if upload.state is UploadState.TRYING:
                self._all[upload.id] = replace(upload, state=UploadState.WAITING)

    async def change(self, upload: Upload) -> None:
        """Write down how far an upload is; once its trial is over its file goes.

        Raises:
            HostError: the disk does not let us; the upload is as it was.
        """
        with _on_disk():
            await trio.to_thread.run_sync(self._save, upload)
        self._all[upload.id] = upload
        if upload.state is not UploadState.TRYING:
            self.stage_file(upload).unlink(missing_ok=True)
        if upload.is_over:
            self.file_of(upload).unlink(missing_ok=True)
            self._forget_old(upload.at_ms)
        self._tell()

    async def drop(self, upload: Upload) -> None:
        """Leave nothing of an upload: its author was erased while it came.

        Raises:
            HostError: the disk does not let us.
        """
        await trio.to_thread.run_sync(forget, self._folder.parent, [upload])
        del self._all[upload.id]
        self._tell()

    def _save(self, upload: Upload) -> None:
        with atomic_write(self._folder / f"{upload.id}.json", mode=0o600) as file:
            file.write(msgspec.json.encode(upload))

    def _forget_old(self, now: int) -> None:
        old = [one for one in self._all.values() if one.is_over and _is_old(one, now)]
        for upload in old:
            (self._folder / f"{upload.id}.json").unlink(missing_ok=True)
            del self._all[upload.id]

    def _tell(self) -> None:
        self._news.set()
        self._news = trio.Event()

    async def change_of(self, upload: Upload) -> Upload:
        """Return an upload as soon as it, or its place in the queue, may have changed."""
        await self._news.wait()
        return self._all.get(upload.id, upload)


@contextmanager
def _on_disk() -> Iterator[None]:
    """Say what the disk says of uploads as trouble of the machine, in the block."""
    try:
        yield
    except OSError as error:
        raise HostError(f"uploads: {error.strerror}") from error


def _locked(folder: Path) -> IO[bytes]:
    """Return the lock of a folder of uploads, which is ours until it is closed.

    Raises:
        RefereeError: another process has it.
    """
    lock = (folder / ".lock").open("wb")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        raise RefereeError(
            "another site takes in the bots of this ladder: begin this one with --no-uploads"
        ) from error
    return lock


def uploads_of(files: Path, author: str) -> list[Upload]:
    """Return what the disk says of an author's uploads, whatever site may work on them.

    Args:
        files: the folder of the ladder's files.
        author: whose.

    Raises:
        HostError: the disk does not let us.
    """
    with _on_disk():
        every = [_read(path) for path in sorted((files / FOLDER).glob("*.json"))]
    return [one for one in every if one.author == author]


def forget(files: Path, uploads: list[Upload]) -> None:
    """Leave nothing of some uploads on the disk.

    Raises:
        HostError: the disk does not let us.
    """
    with _on_disk():
        for upload in uploads:
            (files / FOLDER / f"{upload.id}.json").unlink(missing_ok=True)
            (files / FOLDER / f"{upload.id}.{_BOT}").unlink(missing_ok=True)
            (files / FOLDER / f"{upload.id}{_STAGE}").unlink(missing_ok=True)


def _read(path: Path) -> Upload:
    """Read what stands of an upload.

    Raises:
        HostError: it was damaged.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=Upload)
    except msgspec.MsgspecError as error:
        raise HostError(f"upload {str(path)!r} is damaged: {error}") from error


def _is_old(upload: Upload, now: int) -> bool:
    return upload.at_ms < now - KEPT_DAYS * _DAY_MS

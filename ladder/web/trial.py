"""The trial of an upload: `referee submit`, as a process of its own, one at a time."""

import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.show.submit_json import SubmitJson
from ladder.show.upload_json import UploadState
from ladder.store.location import VARIABLE
from ladder.web.uploads import MOST_TRIES, Upload, Uploads, laid_out
from referee.errors import USAGE
from referee.text import printable

LONGEST_S: Final = 20 * 60.0
"""A trial that takes longer is ended; builds and matches have their own bounds below that."""

_AGAIN_S: Final = 15.0
_LOOK_S: Final = 1.0
_LONGEST_WHY: Final = 4000
_NO_ANSWER: Final = (
    "The machine could not try this bot, through no fault that was seen of it; hand it in again."
)


class Trials(Struct, frozen=True):
    """How uploads are tried.

    Attributes:
        uploads: those that wait.
        ladder: as `ladder.store.location.anywhere` has it.
        sandbox: as `--sandbox` has it.
        trouble: is told what the organiser should know.
        away: whether the ladder's database does not answer just now: no bot is tried then, and a
            trial that had begun is none.
        knows: whether an author has a token; who was erased has none.
    """

    uploads: Uploads
    ladder: str
    sandbox: str
    trouble: Callable[[str], None]
    away: Callable[[], bool]
    knows: Callable[[str], Awaitable[bool]]

    async def run(self) -> None:
        """Try one upload after the other, for ever.

        Raises:
            HostError: the disk does not let us.
        """
        self.uploads.wait_again()
        while True:
            while self.away():  # noqa: ASYNC110  # another task finds it out by asking, too
                await trio.sleep(_LOOK_S)
            upload = await self.uploads.next()
            if not await self.knows(upload.author):
                await self.uploads.drop(upload)
                continue
            result = await self._tried(upload)
            await self.uploads.change(result)
            if result.state is UploadState.WAITING:
                await trio.sleep(_AGAIN_S)

    async def _tried(self, upload: Upload) -> Upload:
        """Return an upload after its trial; it waits again where the machine gave no answer."""
        with tempfile.TemporaryDirectory(prefix="referee-upload-") as folder:
            file = self.uploads.file_of(upload)
            try:
                path = await trio.to_thread.run_sync(laid_out, upload, file, Path(folder))
            except OSError as error:
                return self._unanswered(upload, f"{file.name}: {error.strerror}")
            with trio.move_on_after(LONGEST_S):
                done = await trio.run_process(
                    self._command(upload, path.name),
                    cwd=folder,
                    check=False,
                    capture_stdout=True,
                    capture_stderr=True,
                    start_new_session=True,
                    env={**os.environ, VARIABLE: self.ladder},  # others can read command lines
                )
                return self._judged(upload, done)
        return self._unanswered(upload, f"its trial took longer than {LONGEST_S:.0f} s")

    def _command(self, upload: Upload, name: str) -> list[str]:
        words = [sys.executable, "-m", "referee", "submit", f"./{name}", "--json"]
        words += ["--author", upload.author, "--sandbox", self.sandbox]
        return words + (["--name", upload.name] if upload.name else [])

    def _judged(self, upload: Upload, done: "subprocess.CompletedProcess[bytes]") -> Upload:
        """Return what the command has said of an upload."""
        said = done.stderr.decode(errors="replace").strip()
        try:
            told = msgspec.json.decode(done.stdout, type=SubmitJson)
        except msgspec.MsgspecError:
            if done.returncode == USAGE:
                return _refused(upload, said.removeprefix("referee: "))
            return self._unanswered(upload, said or f"exit status {done.returncode}")
        if told.taken_in:
            return replace(upload, state=UploadState.ACCEPTED, accepted=told.taken_in[0], why="")
        return _refused(upload, told.refused[0].why if told.refused else _NO_ANSWER)

    def _unanswered(self, upload: Upload, why: str) -> Upload:
        """Return an upload of which nothing was found out: it is tried again, a few times."""
        self.trouble(printable(f"the trial of upload {upload.id} of {upload.author}: {why}"))
        if self.away():
            return replace(upload, state=UploadState.WAITING, tries=upload.tries - 1)
        if upload.tries >= MOST_TRIES:
            return _refused(upload, _NO_ANSWER)
        return replace(upload, state=UploadState.WAITING)


def _refused(upload: Upload, why: str) -> Upload:
    cut = why if len(why) <= _LONGEST_WHY else f"{why[:_LONGEST_WHY]} ..."
    return replace(upload, state=UploadState.REFUSED, why=printable(cut, keep="\n"))

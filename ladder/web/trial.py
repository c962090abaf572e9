"""The trial of an upload: `referee submit` in a process of its own, one at a time."""

import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.files.object_store import STORE_AWAY
from ladder.show.submit_json import SubmitJson
from ladder.show.upload_json import UploadState
from ladder.store.location import VARIABLE
from ladder.web.trial_process import TrialOrder
from ladder.web.upload_file import laid_out
from ladder.web.uploads import MOST_TRIES, Upload, Uploads
from referee.errors import USAGE, HostError, innermost
from referee.text import printable

LONGEST_S: Final = 20 * 60.0
"""A trial that takes longer is ended; builds and matches have their own bounds below that."""

AT_ONCE: Final = 3
"""So many trials are under way at most, and more than one only if each before it is slow."""

SLOW_S: Final = 60.0
"""A trial that takes so long keeps the next author's no longer."""

_LONGEST_END_S: Final = 10.0
_AGAIN_S: Final = 15.0
_LOOK_S: Final = 1.0
_LONGEST_WHY: Final = 4000
_NO_ANSWER: Final = (
    "The machine could not try this bot, through no fault that was seen of it; hand it in again."
)


class Submits:
    """Runs `referee submit`, in forks of one process, until its end."""

    def __init__(self, ladder: str) -> None:
        """Starts nothing before there is a trial.

        Args:
            ladder: as `ladder.store.location.anywhere` has it.
        """
        self._ladder = ladder
        self._process: trio.Process | None = None

    async def run(self, order: TrialOrder) -> int:
        """Return the exit code of a command; it is ended where nothing waits for it any more.

        Raises:
            HostError: it was ended before by something else.
        """
        answer = b""
        try:
            stdin, stdout = await self._ends()
            await stdin.send_all(msgspec.json.encode(order) + b"\n")
            while not answer.endswith(b"\n"):
                more = await stdout.receive_some()
                if not more:
                    raise HostError("the process that tries bots was ended")
                answer += more
        except trio.BrokenResourceError as error:
            raise HostError("the process that tries bots was ended") from error
        finally:
            if not answer.endswith(b"\n"):
                await self.end()
        return int(answer)

    async def _ends(self) -> tuple[trio.abc.SendStream, trio.abc.ReceiveStream]:
        if self._process is None:
            self._process = await trio.lowlevel.open_process(
                [sys.executable, "-m", "ladder.web.trial_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                start_new_session=True,
                env={**os.environ, VARIABLE: self._ladder},  # others can read command lines
            )
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None  # noqa: S101  # both are pipes
        assert stdout is not None  # noqa: S101
        return stdin, stdout

    async def end(self) -> None:
        """End the command under way, and the process. Idempotent."""
        process, self._process = self._process, None
        if process is None:
            return
        with trio.CancelScope(shield=True):
            for end in (process.stdin, process.stdout):
                assert end is not None  # noqa: S101  # both are pipes
                await end.aclose()
            with trio.move_on_after(_LONGEST_END_S):
                await process.wait()
            process.kill()


class Trials(Struct, frozen=True):
    """How uploads are tried.

    Attributes:
        uploads: those that wait.
        submits: each runs `referee submit`, one at a time: as many trials as there are of these
            can be under way, of different authors; all but the first only while those before
            take long.
        sandbox: as `--sandbox` has it.
        trouble: is told what the organiser should know.
        away: whether the ladder's database does not answer just now: no bot is tried then, and a
            trial that had begun is none.
        knows: whether an author has a token; who was erased has none.
    """

    uploads: Uploads
    submits: tuple[Callable[[TrialOrder], Awaitable[int]], ...]
    sandbox: str
    trouble: Callable[[str], None]
    away: Callable[[], bool]
    knows: Callable[[str], Awaitable[bool]]
    _begun_at: dict[int, float] = {}
    """When the trial that each of these runs was begun, by trio's clock."""

    async def run(self) -> None:
        """Try one upload after the other, for ever.

        Raises:
            HostError: the disk does not let us.
        """
        self.uploads.wait_again()
        self._begun_at.clear()
        try:
            async with trio.open_nursery() as nursery:
                for at in range(len(self.submits)):
                    nursery.start_soon(self._run_one, at)
        except ExceptionGroup as error:
            raise innermost(error) from error

    async def _run_one(self, at: int) -> None:
        while True:
            if self.away() or (at and not self._take_long(at)):
                await trio.sleep(_LOOK_S)  # another task finds out by asking, too
                continue
            upload = await (self.uploads.next_if_any() if at else self.uploads.next())
            if upload is None:
                await trio.sleep(_LOOK_S)
                continue
            if not await self.knows(upload.author):
                await self.uploads.drop(upload)
                continue
            self._begun_at[at] = trio.current_time()
            try:
                result = await self._tried(upload, at)
                await self.uploads.change(result)
            finally:
                del self._begun_at[at]
            if result.state is UploadState.WAITING:
                await trio.sleep(_AGAIN_S)

    def _take_long(self, at: int) -> bool:
        """Whether each of the first so many trials was begun long ago, and is under way."""
        long_ago = trio.current_time() - SLOW_S
        return all(self._begun_at.get(one, math.inf) <= long_ago for one in range(at))

    async def _tried(self, upload: Upload, at: int = 0) -> Upload:
        """Return an upload after its trial; it waits again where the machine gave no answer."""
        with tempfile.TemporaryDirectory(prefix="referee-upload-") as folder:
            file, here = self.uploads.file_of(upload), Path(folder, "bot")
            try:
                path = await trio.to_thread.run_sync(laid_out, upload.file, file, here)
                with trio.move_on_after(LONGEST_S):
                    order = self._order(upload, path)
                    return self._judged(upload, await self.submits[at](order), order)
            except OSError as error:
                return self._unanswered(upload, f"{error.filename or file.name}: {error.strerror}")
            except HostError as error:
                return self._unanswered(upload, str(error))
        return self._unanswered(upload, f"its trial took longer than {LONGEST_S:.0f} s")

    def _order(self, upload: Upload, path: Path) -> TrialOrder:
        words = ["submit", f"./{path.name}", "--json"]
        words += ["--author", upload.author, "--sandbox", self.sandbox]
        words += ["--stage", str(self.uploads.stage_file(upload).absolute())]
        words += ["--name", upload.name] if upload.name else []
        here = path.parent
        return TrialOrder(words, str(here), f"{here}.out", f"{here}.err")

    def _judged(self, upload: Upload, code: int, order: TrialOrder) -> Upload:
        """Return what the command has said of an upload."""
        said = Path(order.err).read_text(errors="replace").strip()
        try:
            told = msgspec.json.decode(Path(order.out).read_bytes(), type=SubmitJson)
        except msgspec.MsgspecError:
            if code == USAGE:
                return _refused(upload, said.removeprefix("referee: "))
            return self._unanswered(upload, said or f"exit status {code}")
        if told.taken_in:
            return replace(upload, state=UploadState.ACCEPTED, accepted=told.taken_in[0], why="")
        return _refused(upload, told.refused[0].why if told.refused else _NO_ANSWER)

    def _unanswered(self, upload: Upload, why: str) -> Upload:
        """Return an upload of which nothing was found out: it is tried again, a few times."""
        self.trouble(printable(f"the trial of upload {upload.id} of {upload.author}: {why}"))
        if self.away() or why.startswith(f"referee: {STORE_AWAY}"):
            return replace(upload, state=UploadState.WAITING, tries=upload.tries - 1)
        if upload.tries >= MOST_TRIES:
            return _refused(upload, _NO_ANSWER)
        return replace(upload, state=UploadState.WAITING)


async def tried(trials: Trials, submits: Sequence[Submits]) -> None:
    """Try uploads for ever; when that is broken off, no command is left.

    Raises:
        HostError: the disk does not let us.
    """
    try:
        await trials.run()
    finally:
        for one in submits:
            await one.end()


def _refused(upload: Upload, why: str) -> Upload:
    cut = why if len(why) <= _LONGEST_WHY else f"{why[:_LONGEST_WHY]} ..."
    return replace(upload, state=UploadState.REFUSED, why=printable(cut, keep="\n"))

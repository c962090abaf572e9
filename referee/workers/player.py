"""Plays jobs in a sandbox that stays open, with bots that stay prepared from job to job."""

import os
import traceback
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import msgspec
import trio

from referee.bots.find import BotSource, BotSpec, find
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError, Shortage
from referee.match.lines import LineWriter
from referee.match.luck import luck_of
from referee.play.conductor import play_match
from referee.record.stderr_log import StderrLog, stderr_file
from referee.record.writer import NoRecord, Recorder
from referee.sandbox import Sandbox
from referee.sandbox.choose import only_own
from referee.workers.block_sums import Blocks, outcome_of
from referee.workers.job_plan import plan_of
from referee.workers.jobs import UNFINISHED, Job, JobResult, Unready


class Player:
    """What stays from job to job."""

    def __init__(self, sandbox: Sandbox, settings: Settings) -> None:
        """Nothing is prepared yet; the sandbox stays open until the last job is played."""
        self._sandbox = sandbox
        self._settings = settings
        self._prepared: dict[tuple[str, bool], BotSpec] = {}

    @property
    def where(self) -> str:
        """Where bots run."""
        return f"{self._sandbox.name}: {self._sandbox.how}"

    async def play(self, job: Job) -> JobResult:
        """Plays a job.

        Raises:
            Unready: a bot is the reason why it cannot be played.
            RefereeError: it cannot be played as it is.
            HostError: the machine does not let us.
            Shortage: it ran out of something.
        """
        with ExitStack() as held:
            return await self._play(job, await self._bots(job, held))

    async def _play(self, job: Job, bots: list[BotSpec]) -> JobResult:
        plan = plan_of(job)
        if job.names:
            called = zip(bots, job.names, strict=True)
            bots = [msgspec.structs.replace(bot, name=name) for bot, name in called]
        blocks = Blocks(
            job.first,
            job.blocks,
            len(bots),
            len(plan.seatings),
            luck_of if job.luck else None,
        )
        with _record(job.record) as record, _stderr(job.record) as stderr:
            result = await play_match(
                plan,
                bots,
                self._sandbox,
                record,
                interrupt=trio.CancelScope(),
                watch=blocks.add,
                stderr=stderr,
            )
        if result.given_up is not None and result.given_up.shortage:
            raise Shortage(result.given_up.detail)  # no result: it can be played when there is room
        mishap, bug = result.given_up, result.bug
        outcome = outcome_of(
            result.match,
            blocks.finished(),
            given_up="" if mishap is None else f"{mishap.family}: {mishap.detail}",
            game_digest=result.end.game_digest,
            wall_us=result.wall_us,
            sandbox=self.where,
        )
        return JobResult(outcome, "" if bug is None else "".join(traceback.format_exception(bug)))

    async def _bots(self, job: Job, held: ExitStack) -> list[BotSpec]:
        """The bots of a job, which stay prepared until `held` is left."""
        hashes = job.hashes or ("",) * len(job.bots)
        found = []
        for at, (typed, wanted) in enumerate(zip(job.bots, hashes, strict=True)):
            try:
                if at in job.unbuilt:
                    found.append(_unbuilt(find(typed, self._settings)))
                    continue
                bot = await self._bot(typed, submitted=job.submitted)
                held.callback(self._sandbox.release, bot)
                if wanted and bot.hash != wanted:
                    raise RefereeError(f"bot {typed!r} is no longer what it was before play")
                found.append(bot)
            except RefereeError as error:
                raise Unready(str(error), at) from error
        return found

    async def _bot(self, typed: str, *, submitted: bool) -> BotSpec:
        """A bot, prepared; between jobs its copy may be removed, and is made again then."""
        prepared = (typed, submitted)  # who runs bare for its owner does not so for a stranger
        bot = self._prepared.get(prepared)
        if bot is None or not self._sandbox.hold(bot):
            found = find(typed, self._settings)
            found = msgspec.structs.replace(found, submitted=submitted or found.submitted)
            only_own([found], self._sandbox.how)
            bot = self._prepared[prepared] = await self._sandbox.prepare(found)
        return bot


def _unbuilt(found: BotSource) -> BotSpec:
    """What plays in the place of a bot that cannot be built any more: it says so, and ends."""
    return BotSpec(
        name=found.name,
        command=("sh", "-c", "echo 'it was built before, and cannot be built now' >&2; exit 1"),
        folder="/usr",
        hash=found.hash,
        typed=found.typed,
        submitted=found.submitted,
    )


@contextmanager
def _record(name: str | None) -> Iterator[LineWriter]:
    """The record of a job; it has its name only when the block was left in good order.

    Raises:
        RefereeError: it cannot be made.
        HostError: it cannot be completed.
    """
    if name is None:
        yield NoRecord()
        return
    unfinished = Path(name + UNFINISHED)
    try:
        unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise RefereeError(f"record {name!r}: {error.strerror}") from error
    recorder = Recorder(unfinished)
    try:
        try:
            yield recorder
        finally:
            recorder.close()
        keep_record(unfinished, Path(name))
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


@contextmanager
def _stderr(name: str | None) -> Iterator[StderrLog | None]:
    """What bots write to stderr in a job, beside its record; gone if the block ends in trouble.

    Raises:
        HostError: it cannot be written.
    """
    if name is None:
        yield None
        return
    path = stderr_file(Path(name))
    try:
        path.unlink(missing_ok=True)  # of a worker that was killed
    except OSError as error:
        raise HostError(f"stderr of bots {str(path)!r}: {error.strerror}") from error
    log = StderrLog(path)
    try:
        try:
            yield log
        finally:
            log.close()
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def keep_record(unfinished: Path, final: Path) -> None:
    """Gives a record its name once its bytes are on the disk: else it might have it without them.

    Raises:
        HostError: the disk or the folder does not let us.
    """
    try:
        descriptor = os.open(unfinished, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        unfinished.replace(final)
    except OSError as error:
        raise HostError(f"record {str(final)!r}: {error.strerror}") from error

"""`referee match`, once it is known what is to be played: the match, its record, its report."""

import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import AsyncExitStack, closing, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

import trio
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.bots.find import BotSource
from referee.bots.settings import Settings
from referee.errors import HOST, INTERRUPTED
from referee.match.leg import DealResult
from referee.match.plan import MatchPlan
from referee.match.verdict import ATTEMPTS
from referee.play.conductor import MatchResult, play_match
from referee.play.interrupts import interruptible
from referee.play.tee import Tee, written
from referee.record.stderr_log import StderrLog, stderr_file
from referee.record.writer import Recorder
from referee.rules.match_end import Reason
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.terminal.match_report import match_report, print_report


def run_match(
    plan: MatchPlan,
    bots: list[BotSource],
    sandbox: SandboxName,
    settings: Settings,
    record: Path | None,
    *,
    tee: Path | None,
    as_json: bool,
    repeatable: bool,
) -> int:
    """Play a match and print what it brought.

    Args:
        plan: what is played.
        bots: by whom.
        sandbox: where.
        settings: the organiser's.
        record: where the record goes; None for a new file in `records/`.
        tee: where all that is said is written, if anywhere.
        as_json: whether JSON is printed.
        repeatable: whether the report says with which key it is played again.

    Returns:
        The exit code.

    Raises:
        RefereeError: a bot or the record cannot be had.
        HostError: the machine lets us down.
        KeyboardInterrupt: it was interrupted before the first card.
    """
    with written(tee) as writes:
        result, path, where = _play(plan, bots, sandbox, settings, record, writes)
    if as_json:
        print(json_text(match_report(plan, bots, result, path, where), indent=None))
    else:
        print_report(plan, bots, result, path, where, repeatable=repeatable)
    return told(result)


def told(result: MatchResult) -> int:
    """Say what went wrong in a match that is over; return the exit code."""
    if result.bug is not None:
        traceback.print_exception(result.bug)  # what we need to mend it
    if result.given_up is not None:
        print(
            f"referee: given up after {ATTEMPTS} attempts: {result.given_up.detail}",
            file=sys.stderr,
        )
        return HOST
    if result.end.end == Reason.INTERRUPTED:
        return INTERRUPTED
    return 1 if any(result.totals.fault_counts) else 0


def _play(
    plan: MatchPlan,
    bots: list[BotSource],
    name: SandboxName,
    settings: Settings,
    record: Path | None,
    tee: Tee | None,
) -> tuple[MatchResult, Path, str]:
    path = record or default_path(plan, bots)
    talk = console(stderr=True)

    async def conduct() -> tuple[MatchResult, str] | None:
        preparing, playing = trio.CancelScope(), trio.CancelScope()
        async with interruptible(preparing, playing), AsyncExitStack() as stack:
            with preparing, busy(talk, f"preparing {', '.join(bot.typed for bot in bots)} ..."):
                sandbox = await stack.enter_async_context(opened_for(name, bots, settings))
                specs = [await sandbox.prepare(bot) for bot in bots]
            if preparing.cancelled_caught:
                return None
            stderr = StderrLog(stderr_file(path))
            with opened_recorder(path) as recorder, _progress(plan, talk) as watch:
                talk.print(where_text(sandbox), style="dim")
                with closing(stderr):
                    result = await play_match(
                        plan,
                        specs,
                        sandbox,
                        recorder,
                        interrupt=playing,
                        watch=watch,
                        stderr=stderr,
                        tee=tee,
                    )
                return result, sandbox.name
        raise AssertionError  # the block above returns or raises

    played = trio.run(conduct)
    if played is None:
        raise KeyboardInterrupt
    return played[0], path, played[1]


def where_text(sandbox: Sandbox) -> str:
    """Return where bots run, for people."""
    if sandbox.name == SandboxName.BARE:
        return f"bots run bare ({sandbox.how}): run only bots you trust"
    return f"sandbox: {sandbox.name} ({sandbox.how})"


@contextmanager
def opened_recorder(path: Path) -> Iterator[Recorder]:
    """Yield what writes a record, until the block is left."""
    recorder = Recorder(path)
    try:
        yield recorder
    finally:
        recorder.close()


@contextmanager
def _progress(plan: MatchPlan, talk: Console) -> Iterator[Callable[[DealResult], None]]:
    total = None if plan.decks is None else plan.decks * len(plan.seatings)
    columns = (
        TextColumn("deals", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    shown = talk.is_terminal and (total is None or total > 1)
    with Progress(*columns, console=talk, transient=True, disable=not shown) as progress:
        task = progress.add_task("deals", total=total)

        def watch(_: DealResult) -> None:
            progress.advance(task)

        yield watch


def default_path(plan: MatchPlan, bots: Sequence[BotSource]) -> Path:
    """Return a name that no record has yet: the game, the bots, the day and the time."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    names = "_".join("".join(filter(str.isalnum, bot.name))[:20] or "bot" for bot in bots)
    for number in count(1):
        tail = "" if number == 1 else f"-{number}"
        path = Path("records") / f"{plan.terms.game}_{names}_{now}{tail}.jsonl"
        if not path.exists():
            return path
    raise AssertionError  # count does not end

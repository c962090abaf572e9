"""`referee match`: plays bots against each other, prints the result, keeps the record."""

import secrets
import traceback
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from sys import stderr
from typing import Annotated

import trio
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.bots.find import BotSource, find
from referee.bots.settings import Settings, read_settings
from referee.commands import shared
from referee.commands.deck_file import read_decks
from referee.errors import HOST, INTERRUPTED, RefereeError
from referee.games import catalogue
from referee.match.chance import KEY_BITS
from referee.match.clock import parse_time
from referee.match.leg import DealResult
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.seating import Seating
from referee.match.terms import Terms, all_options, read_options
from referee.match.verdict import ATTEMPTS, Freeze
from referee.play.conductor import MatchResult, play_match
from referee.play.interrupts import interruptible
from referee.record.writer import Recorder
from referee.rules.match_end import Reason
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.terminal.match_report import match_report, print_report


def match(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="An executable, a folder with a bot.toml, or sample:NAME. "
            "As many as seats, or one for each side.",
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="See `referee games`.  [default: briscola-(number of bots)]")
    ] = None,
    options: shared.Options = None,
    deals: Annotated[
        int | None,
        typer.Option(metavar="N", help="N decks, each standing alone: deal values add up."),
    ] = None,
    key: shared.Key = None,
    deck: Annotated[
        str | None,
        typer.Option(metavar='"4H AD ..."|FILE', help="Cards by hand; a file has a deck a line."),
    ] = None,
    dealer: Annotated[
        int | None, typer.Option(metavar="SEAT", help="Who deals first.  [default: from the key]")
    ] = None,
    seating: Annotated[
        Seating, typer.Option(help="Play every deck in several seatings; needs --deals.")
    ] = Seating.ONE,
    time: shared.Time = "",
    sandbox: shared.Sandbox = SandboxName.AUTO,
    freeze: shared.Freeze = Freeze.AUTO,
    pace: shared.Pace = 0,
    on_fault: shared.OnFault = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the record goes.  [default: in records/]"),
    ] = None,
    as_json: shared.Json = False,
) -> None:
    """Plays a match. Exit code 0, or 1 when a bot was faulted."""
    if game is None and f"briscola-{len(bots)}" not in catalogue():
        raise RefereeError(f"a match of briscola needs 2, 3, 4 or 6 bots; got {len(bots)}")
    decks, deck_file = (None, "") if deck is None else read_decks(deck)
    game = game or f"briscola-{len(bots)}"
    asked = MatchConfig(
        terms=Terms(
            game=game,
            options=all_options(game, read_options(options or ()), len(bots)),
            seating=seating,
            time=parse_time(time),
            on_fault=on_fault,
            freeze=freeze,
            pace_ms=pace,
        ),
        bots=len(bots),
        deals=deals,
        key=secrets.token_hex(KEY_BITS // 8) if key is None else key,
        deck=decks,
        deck_file=deck_file,
        dealer=dealer,
    )
    plan = make_plan(asked)
    settings = read_settings()
    found = [find(bot, settings) for bot in bots]
    result, path, where = _play(plan, found, sandbox, settings, record)
    if as_json:
        print(json_text(match_report(plan, found, result, path, where), indent=None))
    else:
        print_report(plan, found, result, path, where, repeatable=key is None and deck is None)
    if result.bug is not None:
        traceback.print_exception(result.bug)  # what we need to mend it
    if result.given_up is not None:
        print(f"referee: given up after {ATTEMPTS} attempts: {result.given_up.detail}", file=stderr)
        raise typer.Exit(HOST)
    if result.end.end == Reason.INTERRUPTED:
        raise typer.Exit(INTERRUPTED)
    raise typer.Exit(1 if any(result.totals.fault_counts) else 0)


def _play(
    plan: MatchPlan,
    bots: list[BotSource],
    name: SandboxName,
    settings: Settings,
    record: Path | None,
) -> tuple[MatchResult, Path, str]:
    path = record or _default_path(plan, bots)
    talk = console(stderr=True)

    async def conduct() -> tuple[MatchResult, str] | None:
        preparing, playing = trio.CancelScope(), trio.CancelScope()
        async with interruptible(preparing, playing), AsyncExitStack() as stack:
            with preparing, busy(talk, f"preparing {', '.join(bot.typed for bot in bots)} ..."):
                sandbox = await stack.enter_async_context(opened_for(name, bots, settings))
                specs = [await sandbox.prepare(bot) for bot in bots]
            if preparing.cancelled_caught:
                return None
            with _recorder(path) as recorder, _progress(plan, talk) as watch:
                talk.print(_where(sandbox), style="dim")
                result = await play_match(
                    plan, specs, sandbox, recorder, interrupt=playing, watch=watch
                )
                return result, sandbox.name
        raise AssertionError  # the block above returns or raises

    played = trio.run(conduct)
    if played is None:
        raise KeyboardInterrupt
    return played[0], path, played[1]


def _where(sandbox: Sandbox) -> str:
    if sandbox.name == SandboxName.BARE:
        return f"bots run bare ({sandbox.how}): run only bots you trust"
    return f"sandbox: {sandbox.name} ({sandbox.how})"


@contextmanager
def _recorder(path: Path) -> Iterator[Recorder]:
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


def _default_path(plan: MatchPlan, bots: list[BotSource]) -> Path:
    """A name that no record has yet: the game, the bots, the day and the time."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    names = "_".join("".join(filter(str.isalnum, bot.name))[:20] or "bot" for bot in bots)
    for number in count(1):
        tail = "" if number == 1 else f"-{number}"
        path = Path("records") / f"{plan.terms.game}_{names}_{now}{tail}.jsonl"
        if not path.exists():
            return path
    raise AssertionError  # count does not end

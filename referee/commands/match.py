"""`referee match`: plays bots against each other, prints the result, keeps the record."""

import json
import traceback
from collections.abc import Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from sys import stderr
from typing import Annotated, Any

import trio
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.bots import Found, find
from referee.clock import DEFAULT_TIME
from referee.config import MatchConfig, MatchPlan, make_plan
from referee.endings import Reason
from referee.errors import RefereeError
from referee.faces import busy, console, print_table
from referee.games import catalogue
from referee.interrupts import interruptible
from referee.leg import DealReason, DealResult
from referee.match import MatchResult, play_match
from referee.recording import Recorder
from referee.result import ROWS_KEPT, DealRow
from referee.sandbox import Sandbox
from referee.sandbox.opening import SandboxName, opened_for
from referee.seating import Seating
from referee.settings import Settings, read_settings
from referee.verdict import ATTEMPTS, Freeze, OnFault

HOST, INTERRUPTED = 3, 130


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
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="See `referee games ID`."),
    ] = None,
    deals: Annotated[
        int | None,
        typer.Option(metavar="N", help="N decks, each standing alone: deal values add up."),
    ] = None,
    key: Annotated[
        str | None, typer.Option(help="Any text; the same key deals the same cards.")
    ] = None,
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
    time: Annotated[
        str, typer.Option(metavar="SPEC", help=f"Each part optional.  [default: {DEFAULT_TIME}]")
    ] = "",
    sandbox: Annotated[
        SandboxName, typer.Option(help="Where bots run; auto is the strongest that works here.")
    ] = SandboxName.AUTO,
    freeze: Annotated[
        Freeze, typer.Option(help="Stop bots while others think; auto: those that work then.")
    ] = Freeze.AUTO,
    pace: Annotated[
        int, typer.Option(metavar="MS", help="Let answers through so long after their act.")
    ] = 0,
    on_fault: Annotated[
        OnFault | None,
        typer.Option(help="What a bot's fault does to the deal.  [default: the game decides]"),
    ] = None,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Where the record goes.  [default: in records/]"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Plays a match. Exit code 0, or 1 when a bot was faulted."""
    if game is None and f"briscola-{len(bots)}" not in catalogue():
        raise RefereeError(f"a match of briscola needs 2, 3, 4 or 6 bots; got {len(bots)}")
    asked = MatchConfig(
        game=game or f"briscola-{len(bots)}",
        options=tuple(options or ()),
        bots=len(bots),
        deals=deals,
        key=key,
        deck=deck,
        dealer=dealer,
        seating=seating,
        time=time,
        on_fault=on_fault,
        freeze=freeze,
        pace=pace,
    )
    plan = make_plan(asked)
    settings = read_settings()
    found = [find(bot, settings) for bot in bots]
    result, path = _play(plan, found, sandbox, settings, record)
    if as_json:
        print(json.dumps(_object(plan, found, result, path)))
    else:
        _print_result(plan, found, result, path, repeatable=key is None and deck is None)
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
    bots: list[Found],
    name: SandboxName,
    settings: Settings,
    record: Path | None,
) -> tuple[MatchResult, Path]:
    path = record or _default_path(plan, bots)
    talk = console(stderr=True)

    async def conduct() -> MatchResult | None:
        preparing, playing = trio.CancelScope(), trio.CancelScope()
        async with interruptible(preparing, playing), AsyncExitStack() as stack:
            with preparing, busy(talk, f"preparing {', '.join(bot.typed for bot in bots)} ..."):
                sandbox = await stack.enter_async_context(opened_for(name, bots, settings))
                specs = [await sandbox.prepare(bot) for bot in bots]
            if preparing.cancelled_caught:
                return None
            with _recorder(path) as recorder, _progress(plan, talk) as watch:
                talk.print(_where(sandbox), style="dim")
                return await play_match(
                    plan, specs, sandbox, recorder, interrupt=playing, watch=watch
                )
        raise AssertionError  # the block above returns or raises

    result = trio.run(conduct)
    if result is None:
        raise KeyboardInterrupt
    return result, path


def _where(sandbox: Sandbox) -> str:
    if sandbox.name == SandboxName.BARE:
        return "bots run bare, without a sandbox: run only bots you trust"
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
    columns = (TextColumn("deals"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = talk.is_terminal and (total is None or total > 1)
    with Progress(*columns, console=talk, transient=True, disable=not shown) as progress:
        task = progress.add_task("deals", total=total)

        def watch(_: DealResult) -> None:
            progress.advance(task)

        yield watch


def _default_path(plan: MatchPlan, bots: list[Found]) -> Path:
    """A name that no record has yet: the game, the bots, the day and the time."""
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    names = "_".join("".join(filter(str.isalnum, bot.name))[:20] or "bot" for bot in bots)
    for number in count(1):
        tail = "" if number == 1 else f"-{number}"
        path = Path("records") / f"{plan.game}_{names}_{now}{tail}.jsonl"
        if not path.exists():
            return path
    raise AssertionError  # count does not end


def _side(bots: tuple[int, ...], side: tuple[int, ...], names: list[str]) -> str:
    return "+".join(dict.fromkeys(names[bots[seat]] for seat in side))


def _remark(row: DealRow, names: list[str]) -> str:
    """What was not as usual in a deal: whose fault, or that it was only counted."""
    if row.reason is DealReason.UNPLAYED:
        return str(row.reason)
    return f"fault: {', '.join(names[bot] for bot in row.at_fault)}" if row.at_fault else ""


def _why(reason: str, deals: int) -> str:
    count = "1 deal" if deals == 1 else f"{deals} deals"
    said = {
        Reason.TARGET: f"target reached after {count}",
        Reason.DEALS: f"after {count}",
        Reason.CAP: f"no end in sight after {count}",
        Reason.FAULT: f"a fault ended it after {count}",
    }
    return next((text for key, text in said.items() if key == reason), reason)


def _duration(us: int) -> str:
    return f"{us / 1e6:.2f} s" if us >= 1_000_000 else f"{us / 1000:.1f} ms"


def _names(bots: list[Found]) -> list[str]:
    """The bots' names, told apart where two are the same."""
    names = [bot.name for bot in bots]
    return [
        f"{name}#{names[: at + 1].count(name)}" if names.count(name) > 1 else name
        for at, name in enumerate(names)
    ]


def _object(
    plan: MatchPlan, bots: list[Found], result: MatchResult, path: Path
) -> dict[str, Any]:  # JSON
    totals, end = result.totals, result.end
    return {
        "game": plan.game,
        "options": plan.options,
        "bots": [{"name": bot.name, "hash": bot.hash} for bot in bots],
        "deals": totals.deals,
        "result": {
            "scores": list(end.scores),
            "winner": None if end.winner is None else list(end.winner),
            "reason": end.end,
        },
        "faults": [
            {
                "leg": fault.leg,
                "deal": fault.deal,
                "bot": fault.bot,
                "code": str(fault.code),
                "detail": fault.detail,
            }
            for fault in totals.faults
        ],
        "fault_counts": totals.fault_counts,
        "used_ms": [used // 1000 for used in result.used_us],
        "acts": totals.acts,
        "wall_us_per_act": round(result.wall_us / totals.acts, 2) if totals.acts else None,
        "key": plan.key,
        "game_digest": end.game_digest,
        "record": str(path),
    }


def _print_result(
    plan: MatchPlan, bots: list[Found], result: MatchResult, path: Path, *, repeatable: bool
) -> None:
    to, names, totals, end = console(), _names(bots), result.totals, result.end
    widest = max(
        (len(_side(row.bots, side, names)) for row in totals.rows for side in row.sides), default=0
    )
    rows = [
        (
            f"{row.leg + 1}.{row.deal}" if len(plan.seatings) > 1 else str(row.deal),
            "  ".join(
                f"{_side(row.bots, side, names):<{widest}} {points:>3}"
                for side, points in zip(row.sides, row.points, strict=True)
            ),
            " ".join(f"{'/'.join(map(str, scores)):>4}" for scores in row.scores),
            _remark(row, names),
        )
        for row in totals.rows
    ]
    counted = "deal value" if plan.decks is not None else "score"
    print_table(to, ("#deal", "card points", f"#{counted}", ""), rows)
    if totals.deals > ROWS_KEPT:
        to.print(f"... and {totals.deals - ROWS_KEPT} more: referee replay {path}", style="dim")
    to.print()
    per_deal = plan.decks is not None and totals.deals > 0
    print_table(
        to,
        ("bot", "#score", *(("#a deal",) if per_deal else ()), "#faults", "#time used"),
        [
            (
                names[bot],
                str(end.scores[bot]),
                *((f"{end.scores[bot] / totals.deals:+.1f}",) if per_deal else ()),
                str(totals.fault_counts[bot]),
                _duration(result.used_us[bot]),
            )
            for bot in range(len(bots))
        ],
    )
    to.print()
    for fault in totals.faults[:10]:
        where = f"deal {fault.deal}" if fault.deal else "after the last deal"
        to.print(f"fault: {names[fault.bot]}, {where}: {fault.code}: {fault.detail}", style="red")
        if fault.last_words:
            to.print(f"       the last line on its stderr: {fault.last_words}", style="dim")
    if totals.faults:
        to.print(f"the evidence: referee replay {path} --deal N", style="dim")
    winner = "drawn" if end.winner is None else " and ".join(names[bot] for bot in end.winner)
    if end.end != Reason.INTERRUPTED:
        label = "winner: " if end.winner is not None else "result: "
        to.print(f"{label}{winner} ({_why(end.end, totals.deals)})", style="bold")
    to.print(f"record: {path}", soft_wrap=True)
    if repeatable:
        to.print(f"key: {plan.key} (--key deals the same cards again)", style="dim")

"""What came of a match: as one JSON object, and as tables for a person."""

from pathlib import Path
from typing import Final

from msgspec import Struct
from rich.console import Console

from referee.bots.find import BotSource
from referee.match.leg import DealReason
from referee.match.lines import BotLine, EndLine
from referee.match.outcome import FaultFound
from referee.match.plan import MatchPlan
from referee.match.totals import ROWS_KEPT, DealRow, Totals, VoidRow
from referee.match.verdict import FaultCode
from referee.play.conductor import MatchResult
from referee.record.as_json import ResultJson
from referee.record.slowest import SlowAct, slowest_acts
from referee.rules.match_end import Reason
from referee.terminal.console import console, print_table
from referee.terminal.debug_command import debug_command
from referee.text import plural, told_apart

_TROUBLES_SHOWN: Final = 10
_MOST_LOOKED_AT: Final = 20_000
"""Acts of a match of which the slowest are looked for: that takes a quarter of a second."""

_ALONE: Final = (
    "(in a sandbox a bot sees only /usr and its own file: what it needs beside that goes into a "
    "folder with a bot.toml)"
)


def _side(bots: tuple[int, ...], side: tuple[int, ...], names: list[str]) -> str:
    return "+".join(dict.fromkeys(names[bots[seat]] for seat in side))


def _remark(row: DealRow, names: list[str]) -> str:
    """What was not as usual in a deal: whose fault, who plays no more, or that none played."""
    if row.reason is DealReason.UNPLAYED:
        return str(row.reason)
    said = {"fault": row.at_fault, "played for": row.benched}
    remarks = (
        f"{what}: {', '.join(names[bot] for bot in bots)}" for what, bots in said.items() if bots
    )
    return "; ".join(remarks)


def _why(reason: str, deals: int) -> str:
    count = plural(deals, "deal")
    said = {
        Reason.TARGET: f"target reached after {count}",
        Reason.DEALS: f"after {count}",
        Reason.CAP: f"no end in sight after {count}",
        Reason.FAULT: f"a fault ended it after {count}",
    }
    return next((text for key, text in said.items() if key == reason), reason)


def _duration(us: int) -> str:
    return f"{us / 1e6:.2f} s" if us >= 1_000_000 else f"{us / 1000:.1f} ms"


class MatchJson(Struct, frozen=True, kw_only=True):
    """What `referee match --json` prints.

    Attributes:
        deals: how many came to their end.
        faults: the first hundred; `fault_counts` has all, by bot.
        voids: the first hundred of `void_count`.
        slowest: the acts that took longest, of a match of 20,000 acts at most.
        used_ms: how long each bot took for its acts, those that were faults included.
        wall_us_per_act: from a question to the next, on average.
        key: deals the same cards again.
    """

    game: str
    options: dict[str, str]
    bots: tuple[BotLine, ...]
    deals: int
    result: ResultJson
    faults: tuple[FaultFound, ...]
    fault_counts: tuple[int, ...]
    void_count: int
    voids: tuple[VoidRow, ...]
    used_ms: tuple[int, ...]
    slowest: tuple[SlowAct, ...]
    acts: int
    wall_us_per_act: float | None
    key: str
    game_digest: str
    sandbox: str
    record: str


def match_report(
    plan: MatchPlan, bots: list[BotSource], result: MatchResult, path: Path, sandbox: str
) -> MatchJson:
    """Return what there is to say of a match, for programs.

    Args:
        plan: what was agreed.
        bots: who played.
        result: how it ended.
        path: where the record is.
        sandbox: where the bots ran.
    """
    totals, end = result.totals, result.end
    return MatchJson(
        game=plan.terms.game,
        options=plan.terms.options,
        bots=tuple(BotLine(bot.name, bot.hash) for bot in bots),
        deals=totals.deals,
        result=ResultJson(end.scores, end.winner, end.end),
        faults=tuple(totals.faults),
        fault_counts=tuple(totals.fault_counts),
        void_count=totals.void_count,
        voids=tuple(totals.voids),
        used_ms=tuple(used // 1000 for used in result.match.used_us),
        acts=totals.acts,
        wall_us_per_act=round(result.wall_us / totals.acts, 2) if totals.acts else None,
        slowest=_slowest(path, totals),
        key=plan.key,
        game_digest=end.game_digest,
        sandbox=sandbox,
        record=str(path),
    )


def print_report(
    plan: MatchPlan,
    bots: list[BotSource],
    result: MatchResult,
    path: Path,
    sandbox: str,
    *,
    repeatable: bool,
) -> None:
    """Prints the deals, the bots and the winner; with the key, where that deals the cards again."""
    to, names = console(), told_apart([bot.name for bot in bots])
    _print_deals(to, plan, names, result.totals, path)
    to.print()
    _print_bots(to, plan, names, result)
    to.print()
    _print_troubles(to, plan, names, result.totals, sandbox=sandbox, path=path)
    slowest = _slowest(path, result.totals)
    for slow in slowest:
        where = f"deal {_deal(plan, slow.leg, slow.deal)}, act {slow.act}"
        to.print(f"slow: {names[slow.bot]}, {where}: {_duration(slow.us)}", style="dim")
    acts: list[FaultFound | SlowAct] = [one for one in result.totals.faults if one.deal]
    acts += slowest
    for act in acts[:1]:
        to.print(
            f"look at it: {_look(plan, bots, act, path, sandbox)}", style="dim", soft_wrap=True
        )
    _print_result(to, names, result.end, result.totals)
    to.print(f"record: {path}", soft_wrap=True)
    if repeatable:
        to.print(f"key: {plan.key} (--key deals the same cards again)", style="dim")


def _deal(plan: MatchPlan, leg: int, deal: int) -> str:
    """The number of a deal, as `referee replay --deal` takes it."""
    return f"{leg + 1}.{deal}" if len(plan.seatings) > 1 else str(deal)


def _print_deals(
    to: Console, plan: MatchPlan, names: list[str], totals: Totals, path: Path
) -> None:
    widest = max(
        (len(_side(row.bots, side, names)) for row in totals.rows for side in row.sides), default=0
    )
    rows = [
        (
            _deal(plan, row.leg, row.deal),
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


def _print_bots(to: Console, plan: MatchPlan, names: list[str], result: MatchResult) -> None:
    totals, end = result.totals, result.end
    per_deal = plan.decks is not None and totals.deals > 0
    print_table(
        to,
        ("bot", "#score", *(("#a deal",) if per_deal else ()), "#faults", "#time used"),
        [
            (
                name,
                str(end.scores[bot]),
                *((f"{end.scores[bot] / totals.deals:+.1f}",) if per_deal else ()),
                str(totals.fault_counts[bot]),
                _duration(result.match.used_us[bot]),
            )
            for bot, name in enumerate(names)
        ],
    )


def _print_troubles(
    to: Console, plan: MatchPlan, names: list[str], totals: Totals, *, sandbox: str, path: Path
) -> None:
    """The first faults and void deals."""
    for fault in totals.faults[:_TROUBLES_SHOWN]:
        deal = _deal(plan, fault.leg, fault.deal)
        where = f"deal {deal}, act {fault.act}" if fault.deal else "after the last deal"
        to.print(f"fault: {names[fault.bot]}, {where}: {fault.code}: {fault.detail}", style="red")
        if fault.code is FaultCode.STARTUP and sandbox != "bare":
            to.print(f"       {_ALONE}", style="dim")
        if fault.error:
            to.print(f"       on its stderr: {fault.error}", style="dim")
    if totals.faults:
        to.print(f"the evidence: referee replay {path} --deal N", style="dim")
    for void in totals.voids[:_TROUBLES_SHOWN]:
        deal = _deal(plan, void.leg, void.deal)
        line = f"void: deal {deal}, no bot's doing ({void.family}): {void.detail}"
        to.print(line, style="yellow", soft_wrap=True)


def _slowest(path: Path, totals: Totals) -> tuple[SlowAct, ...]:
    return slowest_acts(path) if totals.acts <= _MOST_LOOKED_AT else ()


def _look(
    plan: MatchPlan, bots: list[BotSource], act: FaultFound | SlowAct, path: Path, sandbox: str
) -> str:
    """Return the command that looks at an act."""
    bot, name = bots[act.bot], told_apart([bot.name for bot in bots])[act.bot]
    return debug_command(
        str(path),
        f"--deal {_deal(plan, act.leg, act.deal)} --act {act.act}",
        (bot.typed,),
        called=None if name == bot.name else name,
        sandbox=sandbox,
    )


def _print_result(to: Console, names: list[str], end: EndLine, totals: Totals) -> None:
    winner = "drawn" if end.winner is None else " and ".join(names[bot] for bot in end.winner)
    if end.end == Reason.INTERRUPTED:
        to.print(f"result: interrupted after {plural(totals.deals, 'deal')}", style="bold")
    elif end.end != Reason.HOST:
        label = "winner: " if end.winner is not None else "result: "
        to.print(f"{label}{winner} ({_why(end.end, totals.deals)})", style="bold")

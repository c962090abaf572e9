"""What came of a comparison: as one JSON object, and in words for a person."""

import shlex
from typing import Any, Final

from msgspec import UNSET, Struct, UnsetType
from rich.console import Console

from ladder.compare.blocks import BlockJson, costliest_deal
from ladder.compare.comparison import FEWEST, Comparison, ComparisonEnd
from ladder.show.sentences import WARNING, again_lines
from ladder.standings.rows import again
from ladder.standings.table import Again
from ladder.stats.confidence_sequence import Conclusion
from ladder.stats.estimates import Estimate
from ladder.stats.head_to_head import Versus, observed_in, versus
from ladder.stats.sprt import Model, Sprt, SprtResult
from referee.bots.find import BotSource
from referee.match.outcome import FaultFound
from referee.match.seating import Seating
from referee.match.terms import unusual_options
from referee.terminal.console import print_table
from referee.terminal.debug_command import debug_command
from referee.text import plural, printable, told_apart

_SIDES: Final = "AB"
_LEANS: Final = (
    "What was played decided when to stop: only the interval above allows for that; the figures of "
    "the table lean towards the answer."
)
_HOLDS: Final = (
    "How many blocks there are was settled beforehand: the intervals hold, looked at once."
)


def answer(comparison: Comparison, names: tuple[str, str]) -> str:
    """The answer in one line."""
    plan, sprt = comparison.plan, comparison.sprt
    if sprt is not None:
        first = names[0]
        said = {
            SprtResult.H0: f"H0 accepted: {first} (A) is no better than elo0 = {sprt.plan.elo0:g}",
            SprtResult.H1: f"H1 accepted: {first} (A) is better by elo1 = {sprt.plan.elo1:g}",
            SprtResult.OPEN: "undecided: neither hypothesis is accepted",
        }
        return said[sprt.verdict]
    match comparison.decision:
        case Conclusion.A:
            return f"{names[0]} (A) is better than {names[1]} (B)"
        case Conclusion.B:
            return f"{names[1]} (B) is better than {names[0]} (A)"
        case Conclusion.NO_DIFFERENCE:
            return f"no difference beyond {_plain(plan.within or 0)} a deal"
        case Conclusion.UNDECIDED if comparison.too_few:
            return f"undecided: too few, {FEWEST} matches are the least that tells anything"
        case Conclusion.UNDECIDED:
            return "undecided: either may be better"


class ComparedBotJson(Struct, frozen=True):
    """One of the two bots."""

    name: str
    hash: str
    faults: int
    voids: int
    used_ms: int
    second_meetings: Again | None


class MeasureJson(Struct, frozen=True):
    """A figure of A's; without an interval where what was played decided when to stop."""

    value: float
    interval: tuple[float, float] | None


class SprtJson(Struct, frozen=True):
    """How a sequential probability ratio test stands."""

    elo0: float
    elo1: float
    alpha: float
    beta: float
    model: Model
    ratio: float
    bounds: tuple[float, float]
    elo: float


class ComparisonJson(Struct, frozen=True, kw_only=True):
    """What `referee compare --json` prints; what is measured is left out without a match.

    Attributes:
        decision: A, B, no difference, or undecided; with hypotheses, the one that is accepted.
        answer: the same in words.
        ending: why it ended.
        adaptive: whether what was played decided when to stop.
        field: who else sat at the table; then values are what A had more than B, from the same
            seats on the same decks, and less.
        interval: where A's true mean deal value lies, at a risk of 5 %.
        block_values: the blocks that count, one by one.
        given_up: what was wrong with the host, if that ended it.
    """

    game: str
    options: tuple[str, ...]
    bots: tuple[ComparedBotJson, ...]
    field: tuple[str, ...]
    decision: str
    answer: str
    ending: ComparisonEnd | None
    adaptive: bool
    within: float | None
    match_blocks: int
    matches: int
    blocks: int
    deals: int
    interval: tuple[float, float]
    unplayed: tuple[int, ...] | UnsetType = UNSET
    mean: MeasureJson | UnsetType | None = UNSET
    luck: float | UnsetType | None = UNSET
    adjusted: MeasureJson | UnsetType | None = UNSET
    gain: float | UnsetType | None = UNSET
    won: int | UnsetType = UNSET
    level: int | UnsetType = UNSET
    lost: int | UnsetType = UNSET
    elo: MeasureJson | UnsetType | None = UNSET
    los: float | UnsetType | None = UNSET
    sprt: SprtJson | None
    acts: int
    faults: tuple[FaultFound, ...]
    block_values: tuple[BlockJson, ...]
    given_up: str | None
    seating: Seating
    key: str
    sandbox: str


def report(
    comparison: Comparison, bots: tuple[BotSource, BotSource], blocks: tuple[BlockJson, ...]
) -> ComparisonJson:
    """Return what there is to say of a comparison, for programs."""
    plan, sprt = comparison.plan, comparison.sprt
    terms = plan.job.terms
    found = versus(comparison.parts) if comparison.parts else None
    low, high = comparison.interval()
    adaptive, again_of = comparison.adaptive, _again(comparison)
    return ComparisonJson(
        game=terms.game,
        options=unusual_options(terms.game, terms.options),
        bots=tuple(
            ComparedBotJson(
                name=bot.name,
                hash=bot.hash,
                faults=comparison.faults[at],
                voids=comparison.voids[at],
                used_ms=comparison.used_us[at] // 1000,
                second_meetings=again_of[at],
            )
            for at, bot in enumerate(bots)
        ),
        field=plan.field,
        decision=str(comparison.decision if sprt is None else sprt.verdict),
        answer=answer(comparison, (bots[0].name, bots[1].name)),
        ending=comparison.ending,
        adaptive=adaptive,
        within=plan.within,
        match_blocks=plan.part,
        matches=len(comparison.parts),
        blocks=comparison.blocks,
        deals=0 if found is None else found.deals,
        interval=(round(low, 3), round(high, 3)),
        **(
            {}
            if found is None
            else _measures(
                found, without=adaptive or comparison.too_few, los=_tells_los(comparison)
            )
        ),
        sprt=None if sprt is None else _sprt(sprt),
        acts=comparison.acts,
        faults=tuple(comparison.fault_list),
        block_values=blocks,
        given_up=comparison.given_up or None,
        seating=terms.seating,
        key=plan.job.key,
        sandbox=comparison.sandbox,
    )


def _tells_los(comparison: Comparison) -> bool:
    """Whether the likelihood of superiority is told: never beside an answer that it contradicts."""
    return not comparison.adaptive and comparison.decision in {Conclusion.A, Conclusion.B}


def _sprt(found: Sprt) -> SprtJson:
    plan = found.plan
    return SprtJson(
        elo0=plan.elo0,
        elo1=plan.elo1,
        alpha=plan.alpha,
        beta=plan.beta,
        model=plan.model,
        ratio=round(found.ratio, 3),
        bounds=(round(plan.lower, 3), round(plan.upper, 3)),
        elo=round(found.elo, 1),
    )


def _again(comparison: Comparison) -> tuple[Again | None, ...]:
    """What second legs brought each bot more than first ones (docs/results.md, 4).

    It holds whatever decided when to stop: that was A's lead over both legs of a part, and which of
    the two came first is one more throw of the dice.
    """
    return again([observed_in(comparison.parts)], 2) if comparison.parts else (None, None)


def _measures(found: Versus, *, without: bool, los: bool) -> dict[str, Any]:  # as ComparisonJson
    """The figures.

    Args:
        found: what was played.
        without: whether to leave out intervals: they do not hold where what was played decided to
            stop, and say nothing of a handful of matches.
        los: whether the likelihood of superiority is told.
    """

    def entry(measure: Estimate | None) -> MeasureJson | None:
        if measure is None:
            return None
        if without or measure.low is None or measure.high is None:
            return MeasureJson(measure.value, None)
        return MeasureJson(measure.value, (measure.low, measure.high))

    return {
        "unplayed": tuple(found.unplayed),
        "mean": entry(found.mean),
        "luck": found.luck,
        "adjusted": entry(found.adjusted),
        "gain": found.gain,
        "won": found.won,
        "level": found.level,
        "lost": found.lost,
        "elo": entry(found.elo),
        "los": found.los if los else None,
    }


def print_report(to: Console, comparison: Comparison, bots: tuple[BotSource, BotSource]) -> None:
    """Prints the answer, what it rests on, and what was not as it should be."""
    names = (bots[0].name, bots[1].name)
    if comparison.ending is ComparisonEnd.INTERRUPTED:
        to.print(f"interrupted after {plural(comparison.blocks, 'block')}", style="yellow")
    to.print(answer(comparison, names), style="bold")
    if comparison.parts:
        _print_versus(to, comparison, names)
    to.print()
    print_table(
        to,
        ("", "bot", "#faults", "#voids", "#time used", "#an act"),
        [
            (
                _SIDES[at],
                name,
                str(comparison.faults[at]),
                str(comparison.voids[at]),
                f"{comparison.used_us[at] / 1e6:.1f} s",
                f"{2 * comparison.used_us[at] / 1000 / max(comparison.acts, 1):.2f} ms",
            )
            for at, name in enumerate(names)
        ],
    )
    for fault in comparison.fault_list:
        to.print(f"fault: {names[fault.bot]}: {fault.code}: {printable(fault.detail)}", style="red")
    to.print(f"key: {comparison.plan.job.key} (--key deals the same cards again)", style="dim")


def print_worst(
    to: Console,
    comparison: Comparison,
    bots: tuple[BotSource, BotSource],
    blocks: tuple[BlockJson, ...],
) -> None:
    """Print the decks that cost A most, with the commands that show them."""
    if not blocks:
        return
    to.print()
    to.print(f"the decks that cost {bots[0].name} (A) most", style="bold")
    name = told_apart([bot.name for bot in bots])[0]
    for block in blocks:
        first = block.block - block.block % comparison.plan.part
        deal = costliest_deal(block, first)
        to.print(f"block {block.block}: {_signed(block.lead)} a deal")
        if deal is not None and block.record is not None:
            record, typed = shlex.quote(block.record), (bots[0].typed,)
            seen = f"referee replay {record} --deal {deal} --bot {shlex.quote(name)}"
            where = comparison.sandbox.partition(":")[0]
            fed = debug_command(block.record, f"--deal {deal}", typed, called=name, sandbox=where)
            to.print(f"   {seen}", style="dim", soft_wrap=True)
            to.print(f"   {fed}", style="dim", soft_wrap=True)
    if blocks[0].record is None:
        to.print("   with --records DIR there are commands that show them", style="dim")


def _print_versus(to: Console, comparison: Comparison, names: tuple[str, str]) -> None:
    found = versus(comparison.parts)
    adaptive = comparison.adaptive
    if adaptive:
        low, high = comparison.interval()
        to.print(
            f"{_measured(comparison)} lies between {_signed(low)} and {_signed(high)} a deal, "
            "at a risk of 5 % however often one looks"
        )
    if comparison.sprt is not None:
        _print_sprt(to, comparison)
    to.print(_played(found))
    to.print()
    what = "more than B" if comparison.plan.field else "deal value"
    rows = [(what, _signed(found.mean.value), _ends(found.mean, 2))]
    if found.adjusted is not None and found.luck is not None:
        rows.append(("of it luck", _signed(found.luck), ""))
        rows.append(("adjusted", _signed(found.adjusted.value), _ends(found.adjusted, 2)))
    rows.append(("Elo by blocks won", f"{found.elo.value:+.0f}", _ends(found.elo, 0)))
    if found.los is not None and _tells_los(comparison):
        rows.append(("likelihood of superiority", f"{100 * found.los:.1f} %", ""))
    if adaptive:
        print_table(to, ("A against B", "#a deal"), [row[:2] for row in rows])
    else:
        if comparison.too_few:
            rows = [(what, value, "too few" if ends else "") for what, value, ends in rows]
        print_table(to, ("A against B", "#a deal", "#95 % interval"), rows)
    if found.luck is not None:
        to.print(_said_of_luck(found.gain), style="dim")
    if not comparison.too_few:
        to.print(_LEANS if adaptive else _HOLDS, style="dim")
    for line in again_lines(list(zip(names, _again(comparison), strict=True))):
        to.print(line, style="yellow" if line.startswith(WARNING) else "dim")


def _measured(comparison: Comparison) -> str:
    return "What A has more than B" if comparison.plan.field else "A's true mean"


def _played(found: Versus) -> str:
    """What was played: what counts as independent first."""
    unplayed = sum(found.unplayed)
    missing = f", {plural(unplayed, 'deal')} of them charged unplayed" if unplayed else ""
    return (
        f"{plural(found.parts, 'match', 'matches')} with processes of their own, "
        f"{plural(found.blocks, 'block')}, {plural(found.deals, 'deal')}{missing}: "
        f"{found.won} blocks won by A, {found.level} level, {found.lost} lost"
    )


def _print_sprt(to: Console, comparison: Comparison) -> None:
    sprt = comparison.sprt
    if sprt is not None:
        to.print(
            f"log-likelihood ratio {sprt.ratio:.2f} ({sprt.plan.lower:.2f}, {sprt.plan.upper:.2f})"
            f", {sprt.plan.model} Elo {sprt.elo:+.1f}"
        )


def _said_of_luck(gain: float | None) -> str:
    if gain is None:
        return "Taking luck out is no gain here: all blocks are alike."
    if gain >= 1:
        return f"Taking luck out is no gain here: the variance is {gain:.2f} times what it was."
    fewer = f": as good as {1 / gain:.1f} times as many blocks" if gain else ""
    return f"With luck taken out the variance is {gain:.2f} times what it was{fewer}."


def _ends(measure: Estimate, digits: int) -> str:
    if measure.low is None or measure.high is None:
        return ""
    return f"{measure.low:+.{digits}f} to {measure.high:+.{digits}f}"


def _signed(number: float) -> str:
    return f"{number:+.2f}"


def _plain(number: float) -> str:
    """As people type it, with a decimal at least."""
    return str(float(number))

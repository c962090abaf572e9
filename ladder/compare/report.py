"""What came of a comparison: as one JSON object, and in words for a person."""

from typing import Any, Final

from rich.console import Console

from ladder.compare.comparison import Comparison, ComparisonEnd
from ladder.show import as_json
from ladder.show.sentences import WARNING, again_lines
from ladder.standings.rows import again
from ladder.standings.table import Again
from ladder.stats.confidence_sequence import Conclusion
from ladder.stats.estimates import Estimate
from ladder.stats.head_to_head import Versus, observed_in, versus
from ladder.stats.sprt import SprtResult
from referee.bots.find import BotSource
from referee.match.terms import unusual_options
from referee.terminal.console import print_table
from referee.text import plural, printable

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
        case Conclusion.UNDECIDED:
            return "undecided: either may be better"


def report(comparison: Comparison, bots: tuple[BotSource, BotSource]) -> dict[str, Any]:  # JSON
    """The object that `referee compare --json` prints."""
    plan, sprt = comparison.plan, comparison.sprt
    terms = plan.job.terms
    found = versus(comparison.parts) if comparison.parts else None
    low, high = comparison.interval()
    adaptive, again_of = comparison.adaptive, _again(comparison)
    decision = str(comparison.decision if sprt is None else sprt.verdict)
    return {
        "game": terms.game,
        "options": list(unusual_options(terms.game, terms.options)),
        "bots": [
            {
                "name": bot.name,
                "hash": bot.hash,
                "faults": comparison.faults[at],
                "voids": comparison.voids[at],
                "used_ms": comparison.used_us[at] // 1000,
                "second_meetings": as_json.again(again_of[at]),
            }
            for at, bot in enumerate(bots)
        ],
        "decision": decision,
        "answer": answer(comparison, (bots[0].name, bots[1].name)),
        "ending": comparison.ending,
        "adaptive": adaptive,
        "within": plan.within,
        "match_blocks": plan.part,
        "matches": len(comparison.parts),
        "blocks": comparison.blocks,
        "deals": 0 if found is None else found.deals,
        "interval": [round(low, 3), round(high, 3)],
        **({} if found is None else _measures(found, adaptive=adaptive)),
        "sprt": None
        if sprt is None
        else {
            "elo0": sprt.plan.elo0,
            "elo1": sprt.plan.elo1,
            "alpha": sprt.plan.alpha,
            "beta": sprt.plan.beta,
            "model": str(sprt.plan.model),
            "ratio": round(sprt.ratio, 3),
            "bounds": [round(sprt.plan.lower, 3), round(sprt.plan.upper, 3)],
            "elo": round(sprt.elo, 1),
        },
        "acts": comparison.acts,
        "faults": [
            {"bot": fault.bot, "code": str(fault.code), "detail": fault.detail}
            for fault in comparison.fault_list
        ],
        "given_up": comparison.given_up or None,
        "seating": str(terms.seating),
        "key": plan.job.key,
        "sandbox": comparison.sandbox,
    }


def _again(comparison: Comparison) -> tuple[Again | None, ...]:
    """What second legs brought each bot more than first ones (SPEC 12.3).

    It holds whatever decided when to stop: that was A's lead over both legs of a part, and which of
    the two came first is one more throw of the dice.
    """
    return again([observed_in(comparison.parts)], 2) if comparison.parts else (None, None)


def _measures(found: Versus, *, adaptive: bool) -> dict[str, Any]:  # JSON
    """The figures; without intervals, which do not hold, where what was played decided to stop."""

    def entry(measure: Estimate | None) -> dict[str, Any] | None:  # JSON
        if measure is None:
            return None
        ends = None if adaptive or measure.low is None else [measure.low, measure.high]
        return {"value": measure.value, "interval": ends}

    return {
        "unplayed": list(found.unplayed),
        "mean": entry(found.mean),
        "luck": found.luck,
        "adjusted": entry(found.adjusted),
        "gain": found.gain,
        "won": found.won,
        "level": found.level,
        "lost": found.lost,
        "elo": entry(found.elo),
        "los": None if adaptive else found.los,
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


def _print_versus(to: Console, comparison: Comparison, names: tuple[str, str]) -> None:
    found = versus(comparison.parts)
    adaptive = comparison.adaptive
    if adaptive:
        low, high = comparison.interval()
        to.print(
            f"A's true mean lies between {_signed(low)} and {_signed(high)} a deal, "
            "at a risk of 5 % however often one looks"
        )
    if comparison.sprt is not None:
        _print_sprt(to, comparison)
    to.print(_played(found))
    to.print()
    rows = [("deal value", _signed(found.mean.value), _ends(found.mean, 2))]
    if found.adjusted is not None and found.luck is not None:
        rows.append(("of it luck", _signed(found.luck), ""))
        rows.append(("adjusted", _signed(found.adjusted.value), _ends(found.adjusted, 2)))
    rows.append(("Elo by blocks won", f"{found.elo.value:+.0f}", _ends(found.elo, 0)))
    if found.los is not None and not adaptive:
        rows.append(("likelihood of superiority", f"{100 * found.los:.1f} %", ""))
    if adaptive:
        print_table(to, ("A against B", "#a deal"), [row[:2] for row in rows])
    else:
        print_table(to, ("A against B", "#a deal", "#95 % interval"), rows)
    if found.luck is not None:
        to.print(_said_of_luck(found.gain), style="dim")
    to.print(_LEANS if adaptive else _HOLDS, style="dim")
    for line in again_lines(list(zip(names, _again(comparison), strict=True))):
        to.print(line, style="yellow" if line.startswith(WARNING) else "dim")


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

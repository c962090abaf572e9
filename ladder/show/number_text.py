"""Numbers of standings as people read them, the same in a terminal and on a page. Pure."""

from collections.abc import Iterable
from typing import Final

from ladder.standings.table import Cell, Row, Standings
from ladder.stats.estimates import Estimate
from referee.text import plural

UNKNOWN: Final = "·"


def place(row: Row, dash: str = "-") -> str:
    """The places that a bot may claim: 3, or 2-4; a bot that has not played has none."""
    if not row.place:
        return UNKNOWN
    return str(row.place) if row.last == row.place else f"{row.place}{dash}{row.last}"


def points(number: float) -> str:
    """Block points: whole, halves, or to two decimals where many share them."""
    return f"{number:.2f}".rstrip("0").rstrip(".")


def signed(number: float | None, digits: int = 1) -> str:
    """A number with its sign; zero has none."""
    if number is None:
        return UNKNOWN
    shown = f"{number:+.{digits}f}"
    return shown[1:] if not shown.strip("+-0.") else shown


def half_width(found: Estimate) -> float | None:
    """Half of what the interval spans."""
    if found.low is None or found.high is None:
        return None
    return (found.high - found.low) / 2


def give_or_take(found: Estimate | None, digits: int = 1) -> str:
    """An estimate as +12.4 ±3.1."""
    if found is None:
        return UNKNOWN
    half = half_width(found)
    return signed(found.value, digits) + ("" if half is None else f" ±{half:.{digits}f}")


def from_to(found: Estimate | None, digits: int = 1) -> str:
    """An interval as +9.3 to +15.5."""
    if found is None or found.low is None:
        return ""
    return f"{signed(found.low, digits)} to {signed(found.high, digits)}"


def decimals(numbers: Iterable[float]) -> int:
    """How many decimals a table of such numbers has room for."""
    return 0 if max(map(abs, numbers), default=0.0) >= 99.95 else 1


def tally(cell: Cell) -> str:
    """Blocks won, level and lost."""
    return f"{cell.won}-{cell.level}-{cell.lost}"


def percent(probability: float | None) -> str:
    """A probability in percent; what only seems certain is not called so."""
    if probability is None:
        return UNKNOWN
    if 0.5 <= 100 * probability <= 99.5:
        return f"{100 * probability:.0f}"
    return "<1" if probability < 0.5 else ">99"


def duration(us: int) -> str:
    """A time in a unit that suits it."""
    if us >= 60_000_000:
        return f"{us // 60_000_000} min {us // 1_000_000 % 60:02d} s"
    return f"{us / 1e6:.2f} s" if us >= 1_000_000 else f"{us / 1000:.1f} ms"


def an_act(row: Row) -> str:
    """Milliseconds an act."""
    found = row.time.ms_per_act
    if found is None:
        return UNKNOWN
    return f"{found:.0f}" if found >= 100 else f"{found:.2f}"


def by_code(row: Row) -> str:
    """Faults by code, as far as they are known: late 3, crashed 1."""
    told = [f"{code} {count}" for code, count in row.codes]
    if row.unplayed:
        told.append("then given up")
    return ", ".join(told)


def luck_line(section: Standings) -> str:
    """What taking luck out does to the variance of blocks."""
    gain = section.gain
    if gain is None:
        counted = any(row.adjusted is not None for row in section.rows)
        return "luck-adjusted: too few blocks to tell a gain" if counted else "luck: not counted"
    if not gain.helps:
        return "luck-adjusted: no gain" + (
            f" (variance x{gain.ratio:.2f} of raw)" if gain.ratio is not None else ""
        )
    if gain.ratio is None:
        return "luck-adjusted: no variance, all blocks of a line-up are alike"
    return f"luck-adjusted: variance x{gain.ratio:.2f} of raw"


def amounts(section: Standings) -> str:
    """How much was played."""
    rounds = plural(len(section.rounds), "round")
    matches = section.matches
    return ", ".join(
        (
            rounds if matches is None else plural(matches, "match", "matches"),
            plural(section.blocks, "block"),
            plural(section.deals, "deal"),
        )
    )


def measured(section: Standings) -> str:
    """What the cells of the cross-table are."""
    if section.two_sided:
        return "mean deal value of the row's bot in blocks against the column's"
    return "mean difference of the deal values of the row's bot and the column's"

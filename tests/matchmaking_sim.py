"""What matchmaking does with bots of known strength: our rule, the former one, tables by chance.

`.venv/bin/python -m tests.matchmaking_sim [shares|newcomer|ranking] [SEASONS]`

A season of `shares` has 12 bots; 1,500 tables are played, then 1,000 with an author that hands in
as much as may be of use to it. Intervals are 95 %; seasons of one number have the same strengths.
"""

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import fmean, stdev
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

from support.seasons import (
    Rule,
    formerly,
    fresh_authors,
    newcomer,
    ours,
    puppets,
    ranking,
    resubmitting,
    uniform,
)

RULES: Final[tuple[Rule, ...]] = (formerly, ours)
FIELDS: Final = ((12, 240, 1.0), (12, 900, 1.0), (12, 900, 0.5), (12, 900, 1.5), (30, 1500, 1.0))
"""Bots, tables and the spread of strengths whose rankings are compared."""


def interval(values: Sequence[float], digits: int = 3) -> str:
    """Return a mean with its 95 % interval, as text."""
    half = 1.96 * stdev(values) / len(values) ** 0.5
    return f"{fmean(values):.{digits}f} ± {half:.{digits}f}"


def shares(seasons: int) -> None:
    """Print at which part of the tables an attacker sits, and each honest author."""
    for attack in (resubmitting, puppets, fresh_authors):
        for rule in RULES:
            found = [attack(rule, number) for number in range(seasons)]
            honest = [share for one in found for share in one.honest]
            print(
                f"{attack.__name__}, {rule.__name__}: {interval([one.watched for one in found])} "
                f"of the tables; an honest author {fmean(honest):.3f}, "
                f"{min(honest):.3f} at least; fair is {2 / 12:.3f}",
                flush=True,
            )


def new_bots(seasons: int) -> None:
    """Print how soon a bot is known that comes to a ladder."""
    for rule in RULES:
        found = [newcomer(rule, number) for number in range(seasons)]
        print(
            f"a new bot, {rule.__name__}: at {interval([sat for sat, _ in found], 1)} of the first "
            f"20 tables; {interval([near for _, near in found], 1)} of its first 20 opponents "
            "are of the nearer half",
            flush=True,
        )


def rankings(seasons: int) -> None:
    """Print how far fits are from the truth after so many blocks, beside those of chance."""
    for bots, tables, spread in FIELDS:
        chance = [
            ranking(uniform, at, bots=bots, tables=tables, spread=spread) for at in range(seasons)
        ]
        wrong, error = (fmean(one.wrong for one in chance), fmean(one.error for one in chance))
        print(f"{bots} bots, spread {spread}, {tables} tables by chance:")
        print(f"  wrong pairs {wrong:.4f}, error {error:.4f}", flush=True)
        for rule in RULES:
            found = [
                ranking(rule, at, bots=bots, tables=tables, spread=spread) for at in range(seasons)
            ]
            pairs = list(zip(found, chance, strict=True))
            less_wrong = [100 * (one.wrong - other.wrong) / wrong for one, other in pairs]
            less_error = [100 * (one.error - other.error) / error for one, other in pairs]
            print(
                f"  {rule.__name__}: wrong pairs {interval(less_wrong, 1)} %, "
                f"error {interval(less_error, 1)} %; the most blocks of a bot are "
                f"{fmean(one.apart for one in found):.2f} times the fewest",
                flush=True,
            )


PARTS: Final[dict[str, Callable[[int], None]]] = {
    "shares": shares,
    "newcomer": new_bots,
    "ranking": rankings,
}


def main() -> None:
    """Print the parts that are asked for, or all."""
    wanted = [word for word in sys.argv[1:] if not word.isdecimal()] or list(PARTS)
    seasons = next((int(word) for word in sys.argv[1:] if word.isdecimal()), 20)
    for part in wanted:
        PARTS[part](seasons)


if __name__ == "__main__":
    main()

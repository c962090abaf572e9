"""The options that games share: names, values, meanings and sources (RULES 4)."""

from typing import Final

from referee.errors import RefereeError
from referee.rules.cards import PROFILES
from referee.rules.variants import Option

SBIRO: Final = "sbiro.eu"
BRISCOLA: Final = "Wikipedia: Briscola"
BISCA: Final = "Wikipedia: Bisca"
PROJECT: Final = "this project"
SISTERS: Final = "sister games"
"""Where the documents are silent, and other games of the family are not."""


def rank_profile(default: str, *, cards: int = 0) -> Option:
    """The option that chooses ranks and points; of packs with so many `cards`, if that matters."""
    fitting = [name for name, one in PROFILES.items() if cards in (0, 4 * len(one.order))]
    others = tuple(name for name in fitting if name != default)
    return Option("rank_profile", (default, *others), default, "ranks and card points", "SPEC 11.1")


def choice(name: str, values: str, meaning: str, source: str) -> Option:
    """Return an option whose first value is the default."""
    found = tuple(values.split())
    return Option(name, found, found[0], meaning, source)


def match(*values: str, source: str = PROJECT) -> Option:
    """The option that says when a match is over; its default follows from the other options."""
    return Option("match", values, None, "what the match is played for", source)


WINS: Final = ("best-of:3", "best-of:5", "first-to:N", "deals:N", "points:N")
POINTS: Final = ("points:N", "deals:N")

REMOVED_TWO: Final = "removed_two"
VOID_KEEPS_DEALER: Final = choice(
    "void_keeps_dealer", "false true", "after a void deal the same dealer deals again", PROJECT
)
TARGET: Final = Option("target", ("N",), None, "the N of match=points:N", PROJECT)
EXCHANGE_TWO: Final = choice(
    "exchange_two",
    "first_trick off while_turnup",
    "the trump two for the turn-up: before the first own card; after a trick won, for 7 and below",
    f"{BRISCOLA}; while_turnup: {SISTERS}",
)
EXCHANGE_SEVEN: Final = choice(
    "exchange_seven",
    "off while_turnup",
    "the trump seven for a higher turn-up, after a trick won",
    SISTERS,
)
BLACK_HAND: Final = choice(
    "black_hand",
    "off on automatic",
    "ace, king and the ten-point trump in one hand win: declared, or at once",
    BRISCOLA,
)


def signals(source: str = BRISCOLA) -> Option:
    """The option that lets partners signal."""
    return choice(
        "signals",
        "off on public",
        "from the second trick on, one signal a seat and trick, seen by partners or by all",
        source,
    )


def team_view(default: str, *, source: str = BRISCOLA) -> Option:
    """The option that lets partners see each other's hands."""
    others = [name for name in ("none", "before_first", "talon_empty", "both") if name != default]
    return Option(
        "team_view",
        (default, *others),
        default,
        "when partners see each other's hands",
        f"{source}; talon_empty: {SISTERS}",
    )


def deal_scoring(*values: str, source: str = BRISCOLA) -> Option:
    """The option that says what a deal is worth."""
    return choice("deal_scoring", " ".join(values), "game points of a deal", source)


def removed_two(source: str) -> Option:
    """The option that says which two leaves a pack that cannot be shared out."""
    values = ("S", "H", "D", "C", "random")
    return Option(REMOVED_TWO, values, None, "which two leaves the pack", source)


def seats(*counts: int, source: str) -> Option:
    """The option that says how many sit at the table, where a game leaves that open."""
    values = tuple(str(count) for count in counts)
    return Option("seats", values, values[0], "how many play; by default as many as bots", source)


def with_default(option: Option, default: str, source: str | None = None) -> Option:
    """The same option with another default."""
    others = tuple(value for value in option.values if value != default)
    return Option(
        option.name,
        (default, *others),
        default,
        option.meaning,
        source or option.source,
    )


def match_as_played(chosen: str | None, usual: str, target: str | None) -> str:
    """The match: what was chosen, else what is usual; with `target` to another number of points.

    Raises:
        RefereeError: the two say different things.
    """
    kind, _, number = (chosen or usual).partition(":")
    if target is None:
        return f"{kind}:{number}"
    if kind != "points":
        raise RefereeError(f"target={target} needs match=points:N, not match={chosen or usual}")
    if chosen is not None and number != target:
        raise RefereeError(f"target={target} and match={chosen} say different things")
    return f"{kind}:{target}"

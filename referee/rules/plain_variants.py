"""Plain variants from data: a `Layout`, the options that may change it, and the match."""

from collections.abc import Callable, Mapping
from typing import Any, Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.rules.deal_scoring import SCORINGS
from referee.rules.layout import Layout, check, leaves_a_two
from referee.rules.match_end import EndingKind, parse_match
from referee.rules.options import (
    REMOVED_TWO,
    VOID_KEEPS_DEALER,
    match_as_played,
    removed_two,
    seats,
)
from referee.rules.plain_game import PlainGame
from referee.rules.rules_text import Rows, shared_rows
from referee.rules.variants import MatchRules, Option, Options, PairGame, Raise, Variant


class GameFamily(Struct, frozen=True):
    """What the variants of a family have in common.

    Attributes:
        match: what a match is played for, by the scoring of its deals.
        source: the document that the rules come from.
        sources: where some of the shared rules come from instead, by point.
        rows: rules of this family alone, as rows of (point, rule, source).
        even_deals: partners play an even number of deals.
    """

    options: tuple[Option, ...]
    match: Mapping[str, str]
    source: str
    sources: Mapping[str, str] = {}
    rows: Rows = ()
    even_deals: bool = False


LayoutFor = Callable[[int], Layout]
"""The layout for so many seats."""

_EFFECTS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {  # values of many types
    "deal_scoring": {
        name: {"scoring": name} for name in ("one", "pennycook", "three_hand_40", "cumulative")
    },
    "bisca_threshold": {"60_reached_first": {"first_to": 60}, "61": {"first_to": None}},
    "bisca_scale": {
        "flat": {"scoring": "one"},
        "91_120": {"scoring": "91_120"},
        "82_all": {"scoring": "82_all"},
    },
    "sueca_flag": {"all_tricks": {"scoring": "sueca"}, "points_120": {"scoring": "sueca_120"}},
}
"""What options with a name of their own do to a layout."""


def layout_with(base: Layout, options: Options) -> Layout:
    """The layout as these options change it; an option with the name of a number is that number.

    Raises:
        RefereeError: it makes no sense.
    """
    numbers = msgspec.to_builtins(base)
    for name, value in options.items():
        if name in _EFFECTS:
            numbers.update(_EFFECTS[name][value])
        elif name in numbers:
            numbers[name] = value
    layout = msgspec.convert(numbers, Layout, strict=False)
    check(layout)
    sides = len(layout.sides)
    if SCORINGS[layout.scoring].sides not in (None, sides):
        raise RefereeError(f"deal_scoring={layout.scoring}: it is not for {sides} sides")
    if REMOVED_TWO in options and not leaves_a_two(layout):
        chosen = options[REMOVED_TWO]
        raise RefereeError(f"removed_two={chosen}: no single two leaves the pack here")
    return layout


def build(options: Options, *, name: str, layout_for: LayoutFor, family: GameFamily) -> MatchRules:
    """The rules of a plain match.

    Args:
        options: a full set, see `Variant.choose`.
        name: the id of the game.
        layout_for: the layout before any option.
        family: what belongs to it.

    Raises:
        RefereeError: the options do not go together.
    """
    layout = layout_with(layout_for(int(options.get("seats", 0))), options)
    usual = family.match[layout.scoring]
    match = match_as_played(options.get("match"), usual, options.get("target"))
    ending = parse_match(match, drop_out=layout.scoring == "three_hand_40")
    if family.even_deals and ending.kind is EndingKind.DEALS and ending.number % 2:
        raise RefereeError(f"match={match}: partners play an even number of deals")
    scoring = SCORINGS[layout.scoring]
    if ending.kind is EndingKind.WINS and scoring.by_points:
        raise RefereeError(f"match={match}: deal_scoring={layout.scoring} is played to points:N")
    most = scoring.most or layout.most_points
    if ending.kind is EndingKind.WINS:
        most = 1
    if ending.kind is not EndingKind.DEALS and ending.number > most * ending.max_deals:
        raise RefereeError(f"match={match}: {ending.max_deals} deals cannot bring that much")
    as_played = {key: value for key, value in options.items() if key != "target"}
    as_played["match"] = match
    if leaves_a_two(layout):
        as_played.setdefault(REMOVED_TWO, layout.removed_two)
    if any(option.name == "teams" for option in family.options):
        as_played["teams"] = layout.teams
    bonus = options.get("sueca_tie_bonus") == "next_plus_one"
    return MatchRules(
        game=PlainGame(layout),
        ending=ending,
        options=as_played,
        data={
            "layout": msgspec.to_builtins(layout),
            "profile": msgspec.to_builtins(layout.profile),
            "ending": msgspec.to_builtins(ending),
            "options": as_played,
        },
        void_keeps_dealer=options["void_keeps_dealer"] == "true",
        after_void=Raise(plus=1) if bonus else Raise(),
        pair=_pair(name, layout, as_played) if ending.drop_out else None,
    )


_OF_THREE_ONLY: Final = ("match", "removed_two", "void_keeps_dealer", "seats")


def _pair(name: str, three: Layout, options: Options) -> PairGame:
    """Two who are level go on with the whole pack and pennycook's points (RULES U14)."""
    kept = {key: value for key, value in options.items() if key not in _OF_THREE_ONLY}
    kept["deal_scoring"] = "pennycook"
    layout = msgspec.structs.replace(three, seats=2, removed_two="S", scoring="pennycook")
    if name.endswith("-3"):
        return PairGame(f"{name.removesuffix('3')}2", kept, PlainGame(layout))
    return PairGame(name, {"seats": "2", **kept}, PlainGame(layout))


def variant(
    name: str, title: str, layout_for: LayoutFor, family: GameFamily, counts: tuple[int, ...]
) -> Variant:
    """A plain variant for so many seats; more than one count adds the option `seats`."""

    def make(chosen: Options) -> MatchRules:
        return build(chosen, name=name, layout_for=layout_for, family=family)

    first = layout_for(counts[0])
    removes = any(leaves_a_two(layout_for(count)) for count in counts)
    return Variant(
        id=name,
        title=title,
        seats=counts,
        options=(
            *((seats(*counts, source=family.source),) if len(counts) > 1 else ()),
            *family.options,
            VOID_KEEPS_DEALER,
            *((removed_two(family.source),) if removes else ()),
        ),
        build=make,
        rules=(*shared_rows(first, family.source, counts, family.sources), *family.rows),
    )


def for_seats(name: str, layout: Layout, family: GameFamily) -> Variant:
    """A plain variant whose id ends in its number of seats."""
    sides = len(layout.sides)
    title = f"{name} for {layout.seats}"
    if sides < layout.seats:
        title += f", two sides of {layout.seats // 2}"
    return variant(f"{name}-{layout.seats}", title, lambda _: layout, family, (layout.seats,))

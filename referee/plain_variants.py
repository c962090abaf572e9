"""Plain variants from data: what biscambiggia and briscola share in options and building."""

from typing import Final

import msgspec

from referee.cards import PROFILES, pack
from referee.endings import EndingKind, parse_match
from referee.errors import RefereeError
from referee.plain import Layout, PlainGame
from referee.tricks import parity_sides
from referee.variants import MatchRules, Option, Options, PairGame, Variant

Rows = tuple[tuple[str, str, str], ...]

BOTH: Final = "sbiro.eu, Wikipedia: Briscola"
"""The documents that the plain games come from."""


def rank_profile(default: str) -> Option:
    """The option that chooses ranks and points."""
    others = tuple(name for name in PROFILES if name != default)
    return Option("rank_profile", (default, *others), default, "ranks and card points", "SPEC 11.1")


REMOVED_TWO: Final = Option(
    "removed_two", ("S", "H", "D", "C"), "S", "which two leaves the pack of three players", BOTH
)
VOID_KEEPS_DEALER: Final = Option(
    "void_keeps_dealer",
    ("false", "true"),
    "false",
    "after a void deal the same dealer deals again",
    "this project",
)
TARGET: Final = Option(
    "target", ("N",), None, "the points that a match to points is played to", "Wikipedia: Briscola"
)


def match_option(default: str | None) -> Option:
    """The option that says when a match is over; None lets the deal scoring choose."""
    return Option(
        "match",
        ("best-of:3", "best-of:5", "first-to:N", "deals:N", "points:N"),
        default,
        "what the match is played for",
        BOTH,
    )


def deal_scoring(*values: str) -> Option:
    """The option that says what a deal is worth."""
    return Option("deal_scoring", values, values[0], "game points of a deal", "Wikipedia: Briscola")


def build(options: Options, *, name: str, seats: int, teams: bool, match: str) -> MatchRules:
    """The rules of a plain match.

    Args:
        options: a full set, see `Variant.choose`.
        name: the id without its number of seats.
        seats: seats at the table.
        teams: whether seats alternate in two sides.
        match: what a match with deal scoring `one` is played for.

    Raises:
        RefereeError: the options do not go together.
    """
    scoring = options.get("deal_scoring", "one")
    layout = Layout(
        seats=seats,
        profile=options["rank_profile"],
        teams=teams,
        removed_two=options.get("removed_two", "S"),
        scoring=scoring,
    )
    chosen = options.get("match", {"one": match}.get(scoring, "points:"))
    ending_text = _with_target(chosen, options.get("target"), scoring)
    ending = parse_match(ending_text, drop_out=scoring == "three_hand_40")
    if teams and ending.kind is EndingKind.DEALS and ending.number % 2:
        raise RefereeError(f"match={ending_text}: partners play an even number of deals")
    if ending.kind is EndingKind.WINS and scoring in ("three_hand_40", "cumulative"):
        raise RefereeError(f"match={ending_text}: deal_scoring={scoring} is played to points:N")
    most = _MOST_A_DEAL[scoring] if ending.kind is EndingKind.POINTS else 1
    if ending.kind is not EndingKind.DEALS and ending.number > most * ending.max_deals:
        raise RefereeError(f"match={ending_text}: {ending.max_deals} deals cannot bring that much")
    as_played = {name: value for name, value in options.items() if name != TARGET.name}
    as_played["match"] = ending_text
    return MatchRules(
        game=PlainGame(layout),
        ending=ending,
        options=as_played,
        data={
            "layout": msgspec.to_builtins(layout),
            "profile": msgspec.to_builtins(PROFILES[layout.profile]),
            "ending": msgspec.to_builtins(ending),
            "options": as_played,
        },
        void_keeps_dealer=options["void_keeps_dealer"] == "true",
        pair=_pair(name, layout.profile) if ending.drop_out else None,
    )


def _pair(name: str, profile: str) -> PairGame:
    """Two who are level go on with the whole pack and pennycook's points (RULES U14)."""
    layout = Layout(seats=2, profile=profile, scoring="pennycook")
    options = {"rank_profile": profile, "deal_scoring": "pennycook"}
    return PairGame(f"{name}-2", options, PlainGame(layout))


_MOST_A_DEAL: Final = {"one": 1, "pennycook": 3, "three_hand_40": 3, "cumulative": 120}
_TARGETS: Final = {"pennycook": 12, "three_hand_40": 12, "cumulative": 121}


def _with_target(match: str, target: str | None, scoring: str) -> str:
    kind, _, number = match.partition(":")
    if target is not None and kind != "points":
        raise RefereeError(f"target={target} needs match=points:N, not match={match}")
    if target is not None and number not in ("", target):
        raise RefereeError(f"target={target} and match={match} say different things")
    return f"{kind}:{target or number or _TARGETS[scoring]}"


def variant(
    name: str, seats: int, *, options: tuple[Option, ...], match: str, rows: Rows
) -> Variant:
    """A plain variant of `name` for `seats` players; 4 and 6 play in two sides."""
    teams = seats in (4, 6)

    def make(chosen: Options) -> MatchRules:
        return build(chosen, name=name, seats=seats, teams=teams, match=match)

    return Variant(
        id=f"{name}-{seats}",
        title=f"{name} for {seats}" + (f", two sides of {seats // 2}" if teams else ""),
        seats=seats,
        options=(*options, VOID_KEEPS_DEALER, *((REMOVED_TWO,) if seats == 3 else ())),
        build=make,
        rules=(*_shared_rows(options[0].values[0], seats, teams=teams), *rows),
    )


def _shared_rows(profile_name: str, seats: int, *, teams: bool) -> Rows:
    profile = PROFILES[profile_name]
    cards = pack(profile, seats)
    worth = ", ".join(f"{rank} {points}" for rank, points in profile.points.items())
    twos = 4 - sum(one[0] == "2" for one in cards)
    gone = {0: "", 1: ": one two is left out", 4: ": the twos are left out"}[twos]
    side_list = " and ".join(str(list(side)) for side in parity_sides(seats))
    sides = f"two sides, seats {side_list}" if teams else "every seat for itself"
    won = (
        "the most card points; level at the top is void"
        if not teams and seats != 2
        else "61 or more; 60-60 is void"
    )
    return (
        ("players", f"{seats}: {sides}", BOTH),
        ("pack", f"{len(cards)} cards{gone}", BOTH),
        ("ranks", f"{' '.join(profile.order)}, highest first ({profile.title})", "SPEC 11.1"),
        ("card points", worth, "SPEC 11.1"),
        ("deal", "3 cards each, one at a time, then one is turned up: its suit is trump", BOTH),
        ("lead", "the dealer's right leads first, then whoever won the last trick", BOTH),
        ("play", "any card of the hand: no duty to follow, to trump or to beat", BOTH),
        (
            "trick",
            "the highest trump, else the highest card of the suit led",
            "sbiro.eu, Wikipedia: Bisca",
        ),
        ("draw", "after a trick one card each, its winner first; the turn-up comes last", BOTH),
        ("deal won by", won, BOTH),
        (
            "next dealer",
            "the dealer's right, after a void deal too",
            "sbiro.eu; void deals: this project",
        ),
    )

"""Briscola and what is played like it: open, Adriatic, Spanish (RULES 8, 9, 12, 16)."""

from collections.abc import Mapping

from referee.rules.layout import Layout, Teams
from referee.rules.options import (
    BLACK_HAND,
    BRISCOLA,
    EXCHANGE_SEVEN,
    EXCHANGE_TWO,
    PROJECT,
    SISTERS,
    TARGET,
    WINS,
    deal_scoring,
    match,
    rank_profile,
    signals,
    team_view,
    with_default,
)
from referee.rules.plain_variants import GameFamily, for_seats, variant
from referee.rules.variants import Option

_SCORINGS = {
    "pennycook": "won 1, 91 or more 2, all 120 3; to 12",
    "three_hand_40": "over 40: two players 1 each, one alone 2, all 120 3; to 12",
    "cumulative": "card points add up, to 121; both over: the higher total",
}


_DEAL_ON = {"next dealer": SISTERS}
_DUPLA = {**_DEAL_ON, "deal": f"{BRISCOLA}; packets: {SISTERS}", "draw": PROJECT}
_SPANISH = dict.fromkeys(("players", "deal", "lead", "play", "draw", "next dealer"), SISTERS)


def _family(
    profile: str,
    *scorings: str,
    exchange: str = "first_trick",
    view: str | None = None,
    source: str = BRISCOLA,
    sources: Mapping[str, str] = _DEAL_ON,
    ends: str = "best-of:3",
) -> GameFamily:
    """The family with these scorings.

    Args:
        profile: ranks and card points.
        scorings: deal scorings besides the won deal.
        exchange: the usual deuce exchange.
        view: when partners usually see each other's hands; None without partners.
        source: where the usual exchange comes from.
        sources: where some of the shared rules come from.
        ends: what a match with won deals is played for.
    """
    partners: tuple[Option, ...] = ()
    if view is not None:
        partners = (team_view(view), signals())
    won = "the most card points; level at the top is void"
    return GameFamily(
        options=(
            rank_profile(profile),
            match(*WINS, source=BRISCOLA),
            deal_scoring("one", *scorings),
            TARGET,
            with_default(EXCHANGE_TWO, exchange, source),
            EXCHANGE_SEVEN,
            BLACK_HAND,
            *partners,
        ),
        match={
            "one": ends,
            "pennycook": "points:12",
            "three_hand_40": "points:12",
            "cumulative": "points:121",
        },
        source=BRISCOLA,
        sources=sources,
        rows=(
            ("deal won by", won if "three_hand_40" in scorings else _MORE_THAN_HALF, BRISCOLA),
            ("match", "the first to win 2 deals", BRISCOLA),
            *((f"  {name}", _SCORINGS[name], BRISCOLA) for name in scorings),
        ),
    )


_MORE_THAN_HALF = "61 card points or more; 60-60 is void"
_TWO_SIDES = ("pennycook", "cumulative")
_SOLO, _SIDES = Teams.SOLO, Teams.ALTERNATE

_BRISCOLA = (
    (2, _SOLO, _family("it3", *_TWO_SIDES)),
    (3, _SOLO, _family("it3", "three_hand_40", ends="first-to:2")),
    (4, _SIDES, _family("it3", *_TWO_SIDES, view="before_first")),
    (6, _SIDES, _family("it3", *_TWO_SIDES, view="none", exchange="off")),
)
_BRISCA = tuple(
    (
        seats,
        profile,
        teams,
        _family(
            profile,
            *_TWO_SIDES,
            exchange="off",
            view=view,
            source=SISTERS,
            sources=_SPANISH,
        ),
    )
    for seats, profile, teams, view in (
        (2, "it3", _SOLO, None),
        (4, "it3", _SIDES, "none"),
        (6, "es48", _SIDES, "none"),
    )
)


def _open(seats: int) -> Layout:
    teams = _SIDES if seats == 4 else _SOLO
    return Layout(rank_profile="it3", seats=seats, teams=teams, open=True)


VARIANTS = (
    *(
        for_seats(
            "briscola",
            Layout(rank_profile="it3", seats=seats, teams=teams),
            family,
        )
        for seats, teams, family in _BRISCOLA
    ),
    variant(
        "briscola-scoperta",
        "open briscola: all hands and the next card to draw are seen",
        _open,
        _family("it3", "pennycook", "three_hand_40", "cumulative"),
        (2, 3, 4),
    ),
    *(
        for_seats("briskula", Layout(rank_profile="it3", seats=seats, teams=teams), family)
        for seats, teams, family in _BRISCOLA
        if seats in (2, 4)
    ),
    variant(
        "briskula-dupla",
        "double briskula: two cards each to a trick",
        lambda _: Layout(rank_profile="it3", hand=4, packet=2, cards_each=2),
        _family("it3", *_TWO_SIDES, sources=_DUPLA),
        (2,),
    ),
    *(
        for_seats("brisca", Layout(rank_profile=profile, seats=seats, teams=teams), family)
        for seats, profile, teams, family in _BRISCA
    ),
)

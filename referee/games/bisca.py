"""Bisca with three, seven and nine cards, for two to eight (RULES 13)."""

from referee.rules.layout import FirstLead, Layout, Teams
from referee.rules.options import (
    BISCA,
    PROJECT,
    SISTERS,
    TARGET,
    WINS,
    choice,
    match,
    rank_profile,
    signals,
    team_view,
)
from referee.rules.plain_variants import GameFamily, variant
from referee.rules.variants import Option

_TEAMS = {4: Teams.PAIRS, 6: Teams.ALTERNATE, 8: Teams.ALTERNATE}
_TABLE = (("bisca-tres", 3, ""), ("bisca-sete", 7, ""), ("bisca-nove", 9, " 82_all"))


def _options(scales: str) -> tuple[Option, ...]:
    return (
        rank_profile("pt7"),
        match("points:N", *WINS[:-1], source=SISTERS),
        TARGET,
        Option(
            "teams",
            ("pairs", "solo", "alternate"),
            None,
            "who plays together; by default pairs of 4, two sides of 6 and 8",
            f"{BISCA}; 6 and 8: {PROJECT}",
        ),
        choice(
            "first_lead", "cutter dealer_right", "who leads first; the dealer's left cuts", BISCA
        ),
        choice(
            "bisca_threshold",
            "60_reached_first 61",
            "what wins a deal: 60 card points first, or 61 at its end; twice that of two packs",
            f"{BISCA}; 61: {SISTERS}",
        ),
        choice(
            "bisca_scale",
            f"flat 91_120{scales}",
            "points of a won deal: 1; or 2 from 91 and 4 for 120"
            + ("; or 2 from 82, 4 for all tricks" if scales else ""),
            f"{BISCA}; others: {SISTERS}",
        ),
        choice(
            "follow",
            "free after_stock after_stock_trump_led",
            "whether the suit led must be followed once the talon is empty",
            f"{BISCA}; others: {SISTERS}",
        ),
        choice("equal_cards", "first_wins last_wins", "which of two equal cards wins", PROJECT),
        choice("exchange_two", "off while_stock", "the trump two for the turn-up", SISTERS),
        team_view("none", source=PROJECT),
        signals(PROJECT),
    )


VARIANTS = tuple(
    variant(
        name,
        f"bisca with {hand} cards in the hand",
        lambda seats, hand=hand: Layout(  # type: ignore[misc]  # a default binds the loop's hand
            rank_profile="pt7",
            seats=seats,
            hand=hand,
            packs=2 if seats > 4 else 1,
            teams=_TEAMS.get(seats, Teams.SOLO),
            first_lead=FirstLead.CUTTER,
            first_to=60,
        ),
        GameFamily(
            options=_options(scales),
            match={"one": "points:4", "91_120": "points:4", "82_all": "points:4"},
            source=BISCA,
            rows=(
                ("deal won by", "the side that first has 60 card points", BISCA),
                ("", "nobody has, of three or more: the most; level is void", PROJECT),
                ("match", "to 4 points, 1 for each deal won", f"{BISCA}; 4: {SISTERS}"),
            ),
        ),
        (2, 3, 4, 6, 8),
    )
    for name, hand, scales in _TABLE
)

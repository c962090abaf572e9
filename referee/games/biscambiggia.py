"""Biscambiggia for two, three, four and six (RULES 5)."""

from referee.rules.layout import Layout, Teams
from referee.rules.options import PROJECT, SBIRO, WINS, match, rank_profile
from referee.rules.plain_variants import GameFamily, for_seats

_SOLO, _SIDES = Teams.SOLO, Teams.ALTERNATE
_TABLE = (
    (2, _SOLO, "first-to:2", "the first to win 2 deals", SBIRO),
    (3, _SOLO, "first-to:3", "the first to win 3 deals", SBIRO),
    (4, _SIDES, "deals:4", "4 deals: most won, then most card points, else drawn", PROJECT),
    (6, _SIDES, "deals:6", "6 deals: most won, then most card points, else drawn", PROJECT),
)
_WON = {
    2: "61 card points or more; 60-60 is void",
    3: "the most card points; level at the top is void",
}

VARIANTS = tuple(
    for_seats(
        "biscambiggia",
        Layout(rank_profile="gen7", seats=seats, teams=teams),
        GameFamily(
            options=(rank_profile("gen7"), match(*WINS, source=SBIRO)),
            match={"one": ending},
            source=SBIRO,
            rows=(
                ("deal won by", _WON.get(seats, _WON[2]), SBIRO),
                ("match", text, source),
                *((("talk", "none: partners tell each other nothing", SBIRO),) * (seats > 3)),
            ),
            even_deals=teams is _SIDES,
        ),
    )
    for seats, teams, ending, text, source in _TABLE
)

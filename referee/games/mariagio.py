"""Mariagio: seven cards, kings and queens that marry (RULES 7)."""

from referee.rules.layout import Layout
from referee.rules.options import POINTS, SBIRO, SISTERS, TARGET, match, rank_profile
from referee.rules.plain_variants import GameFamily, variant

_PAGE = f"{SBIRO}: mariagio"
_MARRIAGES = f"{SISTERS}: {SBIRO} names the game, its rules of marriages could not be read"

VARIANTS = (
    variant(
        "mariagio",
        "mariagio for 2: king and queen of a suit can be shown for points",
        lambda _: Layout(rank_profile="gen7", hand=7, marriages=True, scoring="cumulative"),
        GameFamily(
            options=(rank_profile("gen7"), match(*POINTS, source=_PAGE), TARGET),
            match={"cumulative": "points:200"},
            source=_PAGE,
            rows=(
                (
                    "marriages",
                    "king and queen of a suit: 20, of trump 40, each suit once",
                    _MARRIAGES,
                ),
                ("", "before a lead, after a trick won; the cards stay in the hand", _MARRIAGES),
                ("match", "card points and marriages add up, to 200; the higher total", _PAGE),
            ),
        ),
        (2,),
    ),
)

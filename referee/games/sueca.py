"""Sueca: all cards are dealt, the suit led is followed (RULES 14)."""

from referee.rules.layout import Follow, Layout, Teams, Trump
from referee.rules.options import SISTERS, TARGET, WINS, choice, match, rank_profile
from referee.rules.plain_variants import GameFamily, variant

_SOURCE = "Wikipedia: Briscola, Wikipedia: Bisca"

VARIANTS = (
    variant(
        "sueca",
        "sueca for 4, two pairs",
        lambda _: Layout(
            rank_profile="pt7",
            seats=4,
            hand=10,
            packet=10,
            teams=Teams.PAIRS,
            trump=Trump.EXPOSED,
            follow=Follow.MUST,
            scoring="sueca",
        ),
        GameFamily(
            options=(
                rank_profile("pt7", cards=40),
                match("points:N", *WINS[:-1], source=SISTERS),
                TARGET,
                choice("exposed_card", "last top", "which card the dealer shows and has", SISTERS),
                choice("sueca_flag", "all_tricks points_120", "what is worth 4", SISTERS),
                choice(
                    "sueca_tie_bonus",
                    "off next_plus_one",
                    "after 60-60 the next won deal brings one more",
                    SISTERS,
                ),
            ),
            match={"sueca": "points:4", "sueca_120": "points:4"},
            source=_SOURCE,
            sources={
                "deal": f"{_SOURCE}; packet and card shown: {SISTERS}",
                "lead": SISTERS,
                "next dealer": SISTERS,
            },
            rows=(
                ("deal won by", "61 card points: 1; from 91: 2; all tricks: 4; 60-60: 0", SISTERS),
                ("match", "to 4 points", SISTERS),
                ("talk", "none", SISTERS),
            ),
        ),
        (4,),
    ),
)

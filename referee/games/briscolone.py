"""Briscolone for two: five cards, no trump (RULES 10)."""

from referee.rules.layout import Layout, Trump
from referee.rules.options import SISTERS, TARGET, WINS, choice, deal_scoring, match, rank_profile
from referee.rules.plain_variants import GameFamily, variant

VARIANTS = (
    variant(
        "briscolone",
        "briscola without a trump, five cards each",
        lambda _: Layout(rank_profile="it3", hand=5, trump=Trump.NONE),
        GameFamily(
            options=(
                rank_profile("it3"),
                match(*WINS, source=SISTERS),
                deal_scoring("cumulative", "one", source=SISTERS),
                TARGET,
                choice("follow", "free must", "whether the suit led must be followed", SISTERS),
            ),
            match={"cumulative": "points:121", "one": "first-to:2"},
            source=SISTERS,
            rows=(("match", "card points add up, to 121; both over: the higher total", SISTERS),),
        ),
        (2,),
    ),
)

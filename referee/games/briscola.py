"""Briscola for two, three, four and six (RULES 8.1, 8.2)."""

from referee.plain_variants import TARGET, deal_scoring, match_option, rank_profile, variant

_TABLE = {
    2: ("best-of:3", "best of 3: the first to win 2 deals", ("pennycook", "cumulative")),
    3: ("first-to:2", "the first to win 2 deals", ("three_hand_40",)),
    4: ("best-of:3", "best of 3: the first to win 2 deals", ("pennycook", "cumulative")),
    6: ("best-of:3", "best of 3: the first to win 2 deals", ("pennycook", "cumulative")),
}
_SCORINGS = {
    "pennycook": "won 1, 91 or more 2, all 120 3; to 12",
    "three_hand_40": "over 40: two players 1 each, one alone 2, all 120 3; to 12",
    "cumulative": "card points add up, to 121; both over: the higher total",
}

VARIANTS = tuple(
    variant(
        "briscola",
        seats,
        options=(
            rank_profile("it3"),
            match_option(None),
            deal_scoring("one", *scorings),
            TARGET,
        ),
        match=match,
        rows=(
            ("match", text, "Wikipedia: Briscola"),
            *((f"  {name}", _SCORINGS[name], "Wikipedia: Briscola") for name in scorings),
        ),
    )
    for seats, (match, text, scorings) in _TABLE.items()
)

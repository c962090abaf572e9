"""Biscambiggia for two, three, four and six (RULES 5)."""

from referee.plain_variants import match_option, rank_profile, variant

_TABLE = {
    2: ("first-to:2", "the first to win 2 deals", "sbiro.eu"),
    3: ("first-to:3", "the first to win 3 deals", "sbiro.eu"),
    4: (
        "deals:4",
        "4 deals: most won, then most card points, else drawn",
        "sbiro.eu; the number: this project",
    ),
    6: (
        "deals:6",
        "6 deals: most won, then most card points, else drawn",
        "sbiro.eu; the number: this project",
    ),
}

VARIANTS = tuple(
    variant(
        "biscambiggia",
        seats,
        options=(rank_profile("gen7"), match_option(match)),
        match=match,
        rows=(("match", text, source),),
    )
    for seats, (match, text, source) in _TABLE.items()
)

"""Who favours whom in a pool, as its standings tell it. Pure values."""

from msgspec import Struct

from ladder.stats.estimates import Estimate


class Favour(Struct, frozen=True):
    """What a taker has of a giver's gifts beyond what the giver saw explains.

    Attributes:
        giver: a bot, or an author; `taker` likewise.
        points: card points a gift.
        gifts: how many there were: cards that the giver played to tricks that the taker held.
        matches: in how many matches.
        named: whether it stands out from the pool; how often honest bots do is in docs/results.md.
    """

    giver: str
    taker: str
    points: Estimate
    gifts: int
    matches: int
    named: bool


class Favours(Struct, frozen=True):
    """What a proof of a ladder has found of favours in a pool.

    Attributes:
        facts: how many the ladder had then.
        matches: how many were looked into.
        pairs: of bots, how many enough matches bore.
        bots: those that stand out, the surest first.
        authors: likewise, all bots of each together.
    """

    facts: int
    matches: int
    pairs: int
    bots: tuple[Favour, ...]
    authors: tuple[Favour, ...]

"""Which matches are played again where not all are. Pure."""

import hashlib

from referee.match.chance import BlockKey, below, words


def drawn(matches: int, wanted: int, seed: str) -> frozenset[int]:
    """Numbers of matches, spread evenly; the same seed draws the same.

    Args:
        matches: how many there are.
        wanted: how many are to be drawn, at most.
        seed: what nobody knew who made the ladder: from a hash of its facts, one who forges them
            would choose which matches are not drawn.
    """
    if wanted >= matches:
        return frozenset(range(1, matches + 1))
    dice = words(BlockKey(hashlib.sha256(seed.encode()).hexdigest()), "sample")
    found = set()
    for part in range(wanted):
        first, last = part * matches // wanted, (part + 1) * matches // wanted
        found.add(1 + first + below(last - first, dice))
    return frozenset(found)

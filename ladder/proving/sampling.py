"""Which matches are played again where not all are. Pure."""

import hashlib

from referee.chance import BlockKey, below, words


def drawn(matches: int, wanted: int, head: str) -> frozenset[int]:
    """Numbers of matches, spread evenly; whoever draws again draws the same.

    Args:
        matches: how many there are.
        wanted: how many are to be drawn, at most.
        head: the hash of the last fact, which nobody knows before all matches are played.
    """
    if wanted >= matches:
        return frozenset(range(1, matches + 1))
    dice = words(BlockKey(hashlib.sha256(head.encode()).hexdigest()), "sample")
    found = set()
    for part in range(wanted):
        first, last = part * matches // wanted, (part + 1) * matches // wanted
        found.add(1 + first + below(last - first, dice))
    return frozenset(found)

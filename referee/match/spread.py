"""Cards laid into groups of places, where some suits cannot lie in some groups. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from math import comb

from referee.match.chance import mixed
from referee.rules.cards import SUITS, Card

_Excluded = tuple[frozenset[str], ...]
_Counts = tuple[int, ...]


def spread(
    groups: Mapping[frozenset[str], Sequence[int]], cards: Sequence[Card], numbers: Iterator[int]
) -> list[list[Card]]:
    """Return the cards of each group, in a random order; each way to lay them is as likely.

    Args:
        groups: places, by the suits that cannot lie there.
        cards: as many as there are places.
        numbers: unsigned 32-bit numbers, each as likely.
    """
    if len(groups) == 1:
        return [list(mixed(cards, numbers))]
    excluded, left = tuple(groups), tuple(map(len, groups.values()))
    by_suit = {suit: mixed([card for card in cards if card[1] == suit], numbers) for suit in SUITS}
    counts = tuple(map(len, by_suit.values()))
    found: list[list[Card]] = [[] for _ in groups]
    for number, suited in enumerate(by_suit.values()):
        shares = list(_splits(counts[number], SUITS[number], excluded, left))
        weights = [
            _orders(share) * _ways(excluded, counts, number + 1, _less(left, share))
            for share in shares
        ]
        share = shares[_pick(weights, numbers)]
        left = _less(left, share)
        rest = iter(suited)
        for group, count in zip(found, share, strict=True):
            group.extend(islice(rest, count))
    return [list(mixed(group, numbers)) for group in found]


@lru_cache(maxsize=65_536)
def _ways(excluded: _Excluded, counts: _Counts, number: int, left: _Counts) -> int:
    """Return how many ways there are to lay the suits from `number` on into what is left."""
    if number == len(counts):
        return int(not any(left))
    return sum(
        _orders(share) * _ways(excluded, counts, number + 1, _less(left, share))
        for share in _splits(counts[number], SUITS[number], excluded, left)
    )


def _splits(count: int, suit: str, excluded: _Excluded, left: _Counts) -> Iterator[_Counts]:
    """Yield how many of so many cards of a suit each group can have."""
    if not left:
        if not count:
            yield ()
        return
    most = 0 if suit in excluded[0] else min(count, left[0])
    for mine in range(most + 1):
        for others in _splits(count - mine, suit, excluded[1:], left[1:]):
            yield (mine, *others)


def _orders(share: _Counts) -> int:
    """Return in how many ways the cards of a suit can be chosen for the groups."""
    ways, rest = 1, sum(share)
    for count in share:
        ways *= comb(rest, count)
        rest -= count
    return ways


def _less(left: _Counts, share: _Counts) -> _Counts:
    return tuple(have - count for have, count in zip(left, share, strict=True))


def _pick(weights: Sequence[int], numbers: Iterator[int]) -> int:
    """Return an index, as likely as its weight says.

    Raises:
        ValueError: all weights are zero: the cards cannot be laid so.
    """
    total = sum(weights)
    if not total:
        raise ValueError("some cards can lie nowhere")
    number = 0
    for word in islice(numbers, 8):  # 256 bits: what favours some is below 2**-128
        number = number << 32 | word
    number %= total
    for index, weight in enumerate(weights):
        if number < weight:
            return index
        number -= weight
    raise AssertionError  # the weights add up to the total

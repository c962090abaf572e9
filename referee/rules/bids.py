"""Bids of an auction: by points, by rank, or both (RULES 6, 11.2 to 11.4). Pure, no cards."""

from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType

from msgspec import Struct

PASS = "pass"  # noqa: S105  # the word that is said, not a secret


class BidKind(StrEnum):
    """What is bid."""

    POINTS = "points"
    """Card points that the side will take; the card is called afterwards."""
    RANK = "rank"
    """The rank of the card to call, lower and lower."""
    MIXED = "mixed"
    """A rank; then, over a two or a forced rank, points."""


class Bid(Struct, frozen=True):
    """A bid that stands.

    Attributes:
        rank: the rank of the card to call, where it is bid.
        points: the card points that the caller's side must take.
        forced: later bids must keep the rank.
    """

    rank: str | None
    points: int
    forced: bool = False


class Bidding(Struct, frozen=True):
    """The rules of an auction.

    Attributes:
        ranks: highest first, the order of a rank auction.
        least: the least points of a first bid; in a mixed auction, of a bid over a plain rank.
        most: the most points that can be bid.
        step: points that a bid goes up by at least, and a multiple of it from `least`.
        force: whether a bid can freeze the rank.
        opener_must_bid: whoever is asked first cannot pass.
    """

    kind: BidKind
    ranks: str
    least: int = 61
    most: int = 120
    step: int = 1
    force: bool = False
    opener_must_bid: bool = False


CONTRACT = 61
"""What the caller's side must take where no points were bid: more than half."""


@lru_cache(maxsize=4096)
def raises(bidding: Bidding, standing: Bid | None) -> MappingProxyType[str, Bid]:
    """Every bid that beats the one that stands, by the action that says it, rising."""
    if bidding.kind is BidKind.POINTS:
        above = 0 if standing is None else standing.points
        points = range(bidding.least, bidding.most + 1, bidding.step)
        found = {f"bid {mine}": Bid(None, mine) for mine in points if mine > above}
    elif bidding.kind is BidKind.RANK:
        found = {f"bid {rank}": Bid(rank, CONTRACT) for rank in _lower(bidding, standing)}
    else:
        found = _mixed(bidding, standing)
    return MappingProxyType(found)


def bids(bidding: Bidding) -> tuple[str, ...]:
    """Return every bid that can ever be made, each once: those over none first."""
    found: dict[str, None] = {}
    fresh = [None, *raises(bidding, None).values()]
    while fresh:
        later: list[Bid | None] = []
        for standing in fresh:
            for action, bid in raises(bidding, standing).items():
                if action not in found:
                    found[action] = None
                    later.append(bid)
        fresh = later
    return tuple(found)


def _lower(bidding: Bidding, standing: Bid | None) -> str:
    """The ranks below the one that stands."""
    if standing is None or standing.rank is None:
        return bidding.ranks
    return bidding.ranks[bidding.ranks.index(standing.rank) + 1 :]


def _mixed(bidding: Bidding, standing: Bid | None) -> dict[str, Bid]:
    """RULES 11.4: (a) a lower rank over a plain one, (b) more points on a rank that stays."""
    lowest = bidding.ranks[-1]
    plain: dict[str, Bid] = {}
    forced: dict[str, Bid] = {}
    if standing is None or (standing.points == CONTRACT and not standing.forced):
        for rank in _lower(bidding, standing):
            plain[f"bid {rank}"] = Bid(rank, CONTRACT)
            if bidding.force and rank != lowest:  # nothing is lower: a two is frozen anyway
                forced[f"force {rank}"] = Bid(rank, CONTRACT, forced=True)
    if standing is not None:
        kept, least = standing.rank, standing.points + 1
        if standing.points == CONTRACT:
            least = max(least, bidding.least)
        frozen = standing.forced or kept == lowest
        for points in range(least, bidding.most + 1):
            if frozen:
                plain[f"bid {kept} {points}"] = Bid(kept, points, standing.forced)
            elif bidding.force:
                forced[f"force {kept} {points}"] = Bid(kept, points, forced=True)
    return plain | forced


class Offer(Struct, frozen=True):
    """A bid, and who made it."""

    seat: int
    bid: Bid


class Auction(Struct, frozen=True):
    """An auction under way.

    Attributes:
        live: the seats that have not passed, the next to speak first.
        highest: the bid that stands.
        said: everything that was said: seat and action.
    """

    live: tuple[int, ...]
    highest: Offer | None = None
    said: tuple[tuple[int, str], ...] = ()

    @property
    def standing(self) -> Bid | None:
        """The bid to beat."""
        return None if self.highest is None else self.highest.bid


def options(bidding: Bidding, auction: Auction) -> tuple[str, ...]:
    """What the seat that is to speak may say: pass, then bids rising."""
    must = bidding.opener_must_bid and not auction.said
    return (*(() if must else (PASS,)), *raises(bidding, auction.standing))


def speak(bidding: Bidding, auction: Auction, action: str) -> Auction:
    """The auction after one of `options`."""
    seat, *others = auction.live
    said = (*auction.said, (seat, action))
    if action == PASS:
        return Auction(tuple(others), auction.highest, said)
    offer = Offer(seat, raises(bidding, auction.standing)[action])
    return Auction((*others, seat), offer, said)


def is_over(bidding: Bidding, auction: Auction) -> bool:
    """Whether no seat is left to speak, or nothing more can be bid."""
    if not auction.live:
        return True
    if auction.highest is None:
        return False
    return auction.live == (auction.highest.seat,) or not raises(bidding, auction.standing)


def most_bids(bidding: Bidding) -> int:
    """The most bids, passes aside, that an auction can have."""
    ranks = 0 if bidding.kind is BidKind.POINTS else len(bidding.ranks)
    points = 0 if bidding.kind is BidKind.RANK else bidding.most - bidding.least + 1
    return ranks + points

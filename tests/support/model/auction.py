"""Bidding: RULES 6, 11.2, 11.3, 11.4 and 15."""

from dataclasses import dataclass

from support.model.rules import Rules

ALL_POINTS = 120
PLAIN_PLEDGE = 61  # RULES 11.1


@dataclass(frozen=True)
class Bid:
    rank: str | None  # None in an auction of points
    points: int
    forced: bool = False


class Auction:
    """A pass is final; the auction goes round until one is left or nothing higher can be bid."""

    def __init__(self, rules: Rules, dealer: int) -> None:
        self.rules = rules
        self.to_bid = (dealer + 1) % rules.seats
        self.passed: set[int] = set()
        self.standing: Bid | None = None
        self.bidder: int | None = None
        self.log: list[tuple[int, str]] = []
        self.over = False

    def legal(self) -> list[str]:
        must_bid = not self.log and self.rules.yes("opener_must_bid")  # RULES U06
        return ([] if must_bid else ["pass"]) + list(higher_bids(self.rules, self.standing))

    def act(self, action: str) -> None:
        self.log.append((self.to_bid, action))
        if action == "pass":
            self.passed.add(self.to_bid)
        else:
            self.standing = higher_bids(self.rules, self.standing)[action]
            self.bidder = self.to_bid
        self.over = self._ends()
        if not self.over:
            self._next()

    def _ends(self) -> bool:
        if self.standing is None:
            return len(self.passed) == self.rules.seats
        alone = len(self.passed) == self.rules.seats - 1
        return alone or not higher_bids(self.rules, self.standing)

    def _next(self) -> None:
        self.to_bid = (self.to_bid + 1) % self.rules.seats
        while self.to_bid in self.passed:
            self.to_bid = (self.to_bid + 1) % self.rules.seats


def higher_bids(rules: Rules, standing: Bid | None) -> dict[str, Bid]:
    """Every bid that beats the standing one: its action and what it means, rising."""
    if rules.auction == "points":
        return _higher_points(rules, standing)
    if rules.auction == "rank":
        return {f"bid {rank}": Bid(rank, PLAIN_PLEDGE) for rank in _lower_ranks(rules, standing)}
    return _higher_mixed(rules, standing)


def _higher_points(rules: Rules, standing: Bid | None) -> dict[str, Bid]:
    """RULES 11.3."""
    first, last = rules.number("bid_min"), rules.number("bid_max")
    return {
        f"bid {points}": Bid(None, points)
        for points in range(first, last + 1, rules.number("bid_step"))
        if standing is None or points > standing.points
    }


def _lower_ranks(rules: Rules, standing: Bid | None) -> str:
    """RULES 11.2: each bid names a strictly lower rank; the highest rank is the lowest bid."""
    order = rules.profile.order
    return order if standing is None else order[order.index(standing.rank or "") + 1 :]


def _higher_mixed(rules: Rules, standing: Bid | None) -> dict[str, Bid]:
    """RULES 11.4 and U27: (a) a lower rank at 61, (b) the same rank with more points."""
    may_force = rules.option("force_bid") == "on"
    bids: dict[str, Bid] = {}
    forces: dict[str, Bid] = {}
    if standing is None or (not standing.forced and standing.points == PLAIN_PLEDGE):  # (a)
        for rank in _lower_ranks(rules, standing):
            bids[f"bid {rank}"] = Bid(rank, PLAIN_PLEDGE)
            if may_force and rank != "2":
                forces[f"force {rank}"] = Bid(rank, PLAIN_PLEDGE, forced=True)
    if standing is not None:  # (b)
        frozen = standing.rank == "2" or standing.forced
        least = max(standing.points + 1, rules.number("bid_min"))  # RULES U26
        for points in range(least, ALL_POINTS + 1):
            text = f"{standing.rank} {points}"
            if frozen:
                bids[f"bid {text}"] = Bid(standing.rank, points, standing.forced)
            elif may_force:
                forces[f"force {text}"] = Bid(standing.rank, points, forced=True)
    return bids | forces

"""Which records a ladder lets go, by policy or with a bot: it follows from the facts alone. Pure.

A policy speaks of the newest matches, so what it lets go are all matches up to some number, the
horizon. Facts are only added, and a horizon never falls: what went by an earlier policy is gone
under a later one, too. A record beyond the horizon that is not there was not removed by policy.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from ladder.core.facts import Decision, Deed, Fact, Keep, Retention, Submission

AT_ONCE = 256
"""Records of so many matches are removed in one step, at most."""

Span = tuple[int, int]
"""Numbers of matches, the first and the last."""


class Policies:
    """The policies of a ladder and its matches, in the order of the facts.

    Attributes:
        matches: how many there were so far.
        horizon: records of matches up to this number may be gone.
    """

    def __init__(self) -> None:
        """Keeps all records of no matches."""
        self.matches = self.horizon = 0
        self._newest: int | None = None

    def decide(self, policy: Retention) -> None:
        """Puts a policy in force."""
        self._newest = policy.newest
        self._move()

    def count(self, matches: int) -> None:
        """Counts some more matches."""
        self.matches += matches
        self._move()

    def _move(self) -> None:
        if self._newest is not None:
            self.horizon = max(self.horizon, self.matches - self._newest)


def horizon_of(policies: Iterable[tuple[Retention, int]], matches: int) -> int:
    """Return the number of the last match whose record may be gone; 0 where all have to stay.

    Args:
        policies: in their order, each with how many matches there were before it.
        matches: how many there are now.
    """
    found = Policies()
    for policy, before in policies:
        found.count(before - found.matches)
        found.decide(policy)
    found.count(matches - found.matches)
    return found.horizon


def erased_in(facts: Iterable[Fact]) -> frozenset[int]:
    """Return the entrants that were erased: records of all their matches may be gone."""
    bots: dict[int, int] = {}
    erased: set[int | None] = set()
    for fact in facts:
        match fact:
            case Submission():
                bots[fact.entrant] = fact.bot
            case Decision(deed=Deed.ERASED):
                erased.add(bots.get(fact.entrant))
    return frozenset(entrant for entrant, bot in bots.items() if bot in erased)


class RecordsGone(Struct, frozen=True):
    """Of which matches records may be gone.

    Attributes:
        horizon: of all up to this number, by policy.
        erased: of those in which one of these entrants played, as their bots were erased.
    """

    horizon: int = 0
    erased: frozenset[int] = frozenset()

    def may_be(self, number: int, entrants: Iterable[int]) -> bool:
        """Whether that of a match may be, by its number and by who played."""
        return number <= self.horizon or not self.erased.isdisjoint(entrants)


class Sweep(Struct, frozen=True):
    """How far the removal of records has come; it takes bounded steps.

    What has newly come below the horizon goes first. Then what a runner that was killed, or an
    earlier policy, may have left below, from the horizon down.

    Attributes:
        high: all up to here was below the horizon at the last step; -1 before the first.
        low: what lies between is gone; what lies below may be there.
    """

    high: int = -1
    low: int = 0

    def step(self, horizon: int) -> tuple["Sweep", tuple[Span, ...]]:
        """Return what is to be removed now, and how far that brings us."""
        now = self
        if self.high < 0 or horizon - self.high > AT_ONCE:
            now = Sweep(horizon, horizon)
        fresh = (now.high + 1, horizon)
        room = AT_ONCE - (horizon - now.high)
        old = (max(now.low - room, 0) + 1, now.low)
        spans = tuple(span for span in (fresh, old) if span[0] <= span[1])
        return replace(now, high=horizon, low=old[0] - 1), spans

    @property
    def is_done(self) -> bool:
        """Whether nothing is left below the last horizon."""
        return self.high >= 0 and self.low == 0


def in_words(policy: Retention) -> str:
    """Say which records stay."""
    match policy.keep:
        case Keep.ALL:
            return "all"
        case Keep.LAST:
            return f"the last {policy.last:,}"
        case Keep.FACTS:
            return "none, only facts"

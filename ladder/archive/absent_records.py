"""Records that an archive does not have, and whether it has to, as its facts say in the end. Pure.

That a bot was erased is said after the matches that it has played.
"""

from ladder.core.facts import Fact, Match, Retention
from ladder.core.retention import Policies, RecordsGone, erased_in
from referee.errors import RefereeError


class AbsentRecords:
    """Hears of all facts in their order, and of each record that is not there.

    Attributes:
        gone: how many those are.
    """

    def __init__(self) -> None:
        """Nothing has come yet."""
        self.gone = 0
        self._policies = Policies()
        self._plain: list[Fact] = []
        self._last: dict[frozenset[int], tuple[int, str]] = {}
        """By entrants, the last match whose record is not there, and what to say if it had to be:
        it is the one that has to if any has to."""

    @property
    def matches(self) -> int:
        """How many came so far."""
        return self._policies.matches

    def see(self, fact: Fact) -> None:
        """The next fact."""
        if isinstance(fact, Match):
            self._policies.count(1)
            return
        self._plain.append(fact)
        if isinstance(fact, Retention):
            self._policies.decide(fact)

    def add(self, match: Match, trouble: str) -> None:
        """The record of the last match is not there.

        Args:
            match: it.
            trouble: what to say if it had to be.
        """
        self.gone += 1
        self._last[frozenset(match.job.entrants)] = (self.matches, trouble)

    def end(self) -> None:
        """All facts have come.

        Raises:
            RefereeError: one has to be there.
        """
        gone = RecordsGone(self._policies.horizon, erased_in(self._plain))
        for entrants, (number, trouble) in self._last.items():
            if not gone.may_be(number, entrants):
                raise RefereeError(trouble)

"""Whether bots moved between divisions as what they had played has it, and when a season ended."""

from collections import deque
from collections.abc import Iterator

from ladder.core.block_codec import Gathering, Results, packed, packed_counts
from ladder.core.facts import Decision, Deed, Fact, Match, Pool
from ladder.core.roster import Roster
from ladder.standings.divisions import placements
from referee.errors import RefereeError


class Placements:
    """The matches of divisions, and who had to be placed by them."""

    def __init__(self) -> None:
        """None was played."""
        self._played: dict[int, Gathering] = {}
        self._due: dict[tuple[str, int], deque[Decision]] = {}
        """Those that have not come, by league and by when its season ended."""
        self._unbegun: tuple[str, int] | None = None
        """A league of which bots were placed, and no next season has begun."""

    def add(self, roster: Roster, match: Match) -> None:
        """The next match, which makes sense."""
        job, outcome = match.job, match.outcome
        pool = roster.pools[job.pool]
        if not pool.league:
            return
        gathered = self._played.setdefault(pool.pool, Gathering(pool.places))
        gathered.add(
            [job.name],
            [packed(outcome.blocks, pool.places)],
            [packed_counts(job.entrants, outcome)],
            [outcome.acts],
            [outcome.wall_us],
        )

    def before(self, roster: Roster, fact: Fact | None) -> Iterator[str]:
        """What is wrong about the next fact, in words.

        Args:
            roster: who there is, without this fact.
            fact: None for the end.
        """
        league = self._league(roster, fact)
        if fact is None or not league:
            yield from self._left_unbegun()
            return
        ended = league, fact.at_ms
        if ended not in self._due:
            yield from self._left_unbegun()
            pools = [pool for pool in roster.open_pools if pool.league == league]
            try:
                found = placements(roster, pools, self._results, fact.at_ms)
            except (RefereeError, ValueError) as error:  # what was found wrong before leads here
                yield f"who goes up and down cannot be told: {error}"
                found = []
            self._due[ended] = deque(found)
        due = self._due[ended]
        if isinstance(fact, Decision):
            self._unbegun = ended
            wanted = due.popleft() if due else None
            if wanted is None:
                yield "nothing that was played places it there"
            elif wanted != fact:
                yield f"{_said(wanted)}, and no other"
            return
        self._unbegun = None
        while due:
            yield f"before it, {_said(due.popleft())}"

    def _left_unbegun(self) -> Iterator[str]:
        if self._unbegun is not None:
            yield f"before it, bots of {self._unbegun[0]} were placed, and no season begins"
        self._unbegun = None

    def _league(self, roster: Roster, fact: Fact | None) -> str:
        """Return whose season a fact ends; "" for none."""
        match fact:
            case Decision(deed=Deed.PLACED, pool=number):
                found = roster.pools.get(number)
                return "" if found is None else found.league
            case Pool(season=season, league=league) if season:
                return league
        return ""

    def _results(self, pool: Pool) -> Results:
        return self._played.get(pool.pool, Gathering(pool.places)).results()


def _said(decision: Decision) -> str:
    return f"bot {decision.entrant} goes to pool {decision.pool}: {decision.reason}"

"""Whether online ratings, and who was benched, follow from the matches."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping

from ladder.audit.findings import LAST, AuditFindings
from ladder.benching import Misconduct, counted
from ladder.core.benching import benchings
from ladder.core.facts import Decision, Deed, Fact, Match, Pool
from ladder.core.roster import Roster
from ladder.core.tallies import EntrantTotals, Ledger, StandingTable
from ladder.store.raw_rows import Fetched


class Ratings:
    """Rates the matches again, and compares what comes of it with what is written."""

    def __init__(
        self, pools: Mapping[int, Pool], steps: Iterator[Fetched], findings: AuditFindings
    ) -> None:
        """Has rated nothing yet.

        Args:
            pools: by number; more may come.
            steps: those that are written, by match and entrant.
            findings: is told.
        """
        self._ledger = Ledger(pools)
        self._steps = steps
        self._next = next(steps, None)
        self._findings = findings
        self._told: set[tuple[int, int]] = set()
        """Whose ratings are known to differ, by pool and entrant: all later ones would, too."""

    def standings(self, pool: int) -> StandingTable:
        """All that have played in a pool."""
        return {at: one for at, one in self._ledger.standings.items() if at[0] == pool}

    def add(self, number: int, match: Match) -> None:
        """The match of this number."""
        self._ledger.number = number - 1
        self._ledger.add(match)
        pool = match.job.pool
        wanted = {step["entrant"]: (step["mu"], step["sigma"]) for step in self._ledger.steps}
        self._ledger.steps.clear()
        written = {int(row["entrant"]): (row["mu"], row["sigma"]) for row in self._until(number)}
        for entrant in sorted({*wanted, *written}):
            if wanted.get(entrant) != written.get(entrant) and (pool, entrant) not in self._told:
                self._told.add((pool, entrant))
                where = f"step of entrant {entrant} after match {number}"
                self._findings.add(where, _differs(written.get(entrant), wanted.get(entrant)))

    def skip(self, number: int) -> None:
        """The match of this number cannot be rated."""
        for _ in self._until(number):
            pass

    def end(self, skills: Iterable[Fetched]) -> None:
        """All matches are rated; compares what entrants have in the end.

        Args:
            skills: those that are written.
        """
        for row in self._until(LAST):
            self._stray(row)
        wanted = dict(self._ledger.standings)
        for row in skills:
            at = (int(row["pool"]), int(row["entrant"]))
            self._compare(at, wanted.pop(at, None), row)
        for at in sorted(wanted):
            self._compare(at, wanted[at], None)

    def _compare(
        self, at: tuple[int, int], wanted: EntrantTotals | None, row: Fetched | None
    ) -> None:
        where = f"skill of entrant {at[1]} in pool {at[0]}"
        there = None if row is None else tuple(row[name] for name in ("mu", "sigma"))
        here = None if wanted is None else (wanted.skill.mu, wanted.skill.sigma)
        if here != there:
            self._findings.add(where, _differs(there, here))
        elif wanted is not None and row is not None:
            for name in ("blocks", "faulty", "deals", "voids"):
                if row[name] != getattr(wanted, name):
                    what = f"{name} is {row[name]}, and should be {getattr(wanted, name)}"
                    self._findings.add(where, what)

    def _until(self, number: int) -> Iterator[Fetched]:
        """The written steps of a match; those before it are of none."""
        while self._next is not None and self._next["match"] <= number:
            row, self._next = self._next, next(self._steps, None)
            if row["match"] == number:
                yield row
            else:
                self._stray(row)

    def _stray(self, row: Fetched) -> None:
        where = f"step of entrant {row['entrant']} after match {row['match']}"
        self._findings.add(where, "there is no such match")


def _differs(written: Iterable[float] | None, wanted: Iterable[float] | None) -> str:
    if wanted is None:
        return "it is written, and follows from no match"
    numbers = " and ".join(f"{one!r}" for one in wanted)
    if written is None:
        return f"it is missing, and should be {numbers}"
    return f"it is {' and '.join(f'{one!r}' for one in written)}, and should be {numbers}"


class Benchings:
    """Who had to be benched by the rule, and who was."""

    def __init__(self, standings: Callable[[int], StandingTable]) -> None:
        """None was.

        Args:
            standings: of a pool, as they are when they are asked for.
        """
        self._standings = standings
        self._due: deque[Decision] = deque()
        self._last: dict[tuple[int, int], deque[Misconduct]] = {}
        """What the last matches count against an entrant, by pool and entrant."""

    def add(self, roster: Roster, fact: Fact | None) -> Iterator[str]:
        """The next fact, its match rated; what is wrong about benching, in words.

        Args:
            roster: who there is.
            fact: None for the end.
        """
        if isinstance(fact, Decision) and fact.deed is Deed.BENCHED:
            wanted = self._due.popleft() if self._due else None
            if wanted is None:
                yield "nothing that was played benches it"
            elif wanted != fact:
                yield f"after the match before it, {_said(wanted)}"
            return
        for decision in self._due:
            yield f"before it, {_said(decision)}"
        self._due.clear()
        if isinstance(fact, Match):
            pool = roster.pools[fact.job.pool]
            for place, entrant in enumerate(fact.job.entrants):
                kept = self._last.setdefault(
                    (pool.pool, entrant), deque(maxlen=max(4 * pool.bench, 1))
                )
                kept.appendleft(counted(fact.outcome.blocks, fact.outcome.voids, place))
            self._due.extend(
                benchings(
                    roster,
                    fact,
                    standings=lambda: self._standings(pool.pool),
                    last=lambda entrant: self._last[pool.pool, entrant],
                )
            )


def _said(decision: Decision) -> str:
    return f"entrant {decision.entrant} is benched in pool {decision.pool}: {decision.reason}"

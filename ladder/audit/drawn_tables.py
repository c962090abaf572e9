"""Whether the tables of a sealed ladder are those that had to be drawn.

A table follows from the key of its draw and from what the ladder was then: all facts so far, which
other matches were under way, and which bots the runner left out.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Mapping

from ladder.audit.draws import DrawnMatch, Draws
from ladder.audit.findings import AuditFindings
from ladder.audit.plausibility import Story
from ladder.audit.pool_rules import pool_misfit
from ladder.core.candidates import RECENT, SeatedTable, Situation, UnderWay, fields_of
from ladder.core.epochs import NextDraw
from ladder.core.facts import DrawName, Fact, Match, Pool, Submission
from ladder.core.matchmaking import RULE, next_table
from ladder.core.tallies import Ledger


class DrawnTables:
    """Goes through the facts once more, and draws each table where it was drawn."""

    def __init__(self, draws: Draws, findings: AuditFindings) -> None:
        """Have all that were drawn.

        Args:
            draws: of the whole ladder.
            findings: is told.
        """
        self._draws = draws
        self._findings = findings
        self._due: defaultdict[int, list[DrawnMatch]] = defaultdict(list)
        for found in draws.matches.values():
            self._due[found.draw.facts].append(found)
        self._story = Story()
        self._ledger = Ledger(self._story.roster.pools)
        self._recent = deque[SeatedTable](maxlen=RECENT)
        self._is_strange = False
        """Whether a pool is of no game of ours, so that no table of it is to be drawn here."""
        self._unnamed: set[int] = set()
        """Bots that were erased later: who was their author is known no more."""
        self._open: dict[DrawName, int] = {}
        """Matches under way, by the draw that has seated them: the fact that is their result."""

    def go(self, facts: Iterable[tuple[int, Fact]], watch: Callable[[int], None]) -> None:
        """Draw the tables of a ladder again.

        Args:
            facts: its facts with their numbers, in their order.
            watch: is told how many matches are done.
        """
        matches = 0
        for seq, fact in facts:
            if isinstance(fact, Match):
                matches += 1
                watch(matches)
            if not self._story.add(fact):
                self._take(seq, fact)
            due = self._due.pop(seq, ())
            for found in sorted(due, key=lambda one: one.draw.seated_by):
                if self._could_be(found):
                    self._check(found)
                    seated_by = found.draw.seated_by
                    self._open[seated_by] = max(found.fact, self._open.get(seated_by, 0))

    def _take(self, seq: int, fact: Fact) -> None:
        if isinstance(fact, Match):
            self._ledger.add(fact)
            self._ledger.steps.clear()
            self._recent.append(SeatedTable(fact.job.pool, fact.job.entrants, seq))
            draw = fact.job.draw
            if draw is not None and self._open.get(draw.seated_by) == seq:
                del self._open[draw.seated_by]
        elif isinstance(fact, Submission) and fact.names:
            self._unnamed.add(fact.bot)
        elif isinstance(fact, Pool) and pool_misfit(fact) is not None:
            self._is_strange = True

    def _could_be(self, found: DrawnMatch) -> bool:
        """Whether a match could be drawn then: its epoch was under way, and its bots were there."""
        roster, epoch = self._story.roster, found.draw.seated_by.epoch
        drawing = roster.drawing
        there = set(found.job.entrants) <= roster.entrants.keys()
        if there and drawing is not None and drawing.sealed.epoch == epoch:
            return True
        what = f"when its table was drawn, epoch {epoch} was not under way, or a bot was not there"
        self._findings.add(found.where, what, fact=found.fact)
        return False

    def _check(self, found: DrawnMatch) -> None:
        job, draw = found.job, found.draw
        beside = [self._draws.of_table(name) for name in draw.beside]
        key = self._draws.key_of_table(found)
        told = {one.draw.seated_by: one for one in beside if one is not None}
        others = [told[name] for name in sorted(told)]
        were_open = self._check_beside(found, told)
        rule = self._draws.sealed[draw.seated_by.epoch].fact.rule
        is_known = None not in beside and self._unnamed <= self._story.roster.erased
        if key is None or self._is_strange or rule != RULE or not (is_known and were_open):
            self._draws.count_untold(found)
            return
        situation = Situation(
            self._story.roster,
            self._ledger.standings,
            tuple(UnderWay(one.job, one.draw.facts) for one in others),
            tuple(self._recent),
            NextDraw(draw.seated_by, key, draw.facts),
        )
        table = next_table(fields_of(situation, draw.without), key.encode())
        if table is None or (table.pool, table.entrants) != (job.pool, job.entrants):
            seated = "no table" if table is None else f"{table.entrants} in pool {table.pool}"
            self._findings.add(found.where, f"its draw seats {seated}", fact=found.fact)

    def _check_beside(self, found: DrawnMatch, told: Mapping[DrawName, DrawnMatch]) -> bool:
        """Compare what was under way with what is told of; whether all of that was under way."""
        over = [one for seated_by, one in told.items() if seated_by not in self._open]
        for one in over:
            what = f"{one.where} was not under way when it was drawn"
            self._findings.add(found.where, what, fact=found.fact)
        mine = found.draw.seated_by
        if any(one not in told for one in self._open if one != mine):
            self._draws.count_omitted(found)
        return not over

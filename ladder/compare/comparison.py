"""A comparison of two bots: what is asked, and what the blocks have shown so far."""

from enum import StrEnum
from typing import Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from ladder.compare.against_field import job_with
from ladder.stats.confidence_sequence import Conclusion, Decider, decision_by, interval
from ladder.stats.head_to_head import lead
from ladder.stats.sprt import Sprt, SprtPlan, SprtResult
from ladder.stats.student import means
from referee.errors import RefereeError
from referee.games import find
from referee.match.outcome import BlockResult, FaultFound, MatchOutcome
from referee.rules.game import best_value
from referee.text import plural
from referee.workers.job_plan import plan_of
from referee.workers.jobs import Job

MOST_BLOCKS: Final = 20_000
"""Blocks after which a comparison is given up, where nothing else is said."""

PART: Final = 2
"""Blocks for which processes live, where it is not said.

The number of parts that an answer takes hardly depends on their length, since a part may bring all
that a deal can; so they are short. One of a single block would start processes for each deal.
"""

FEWEST: Final = 5
"""Matches of a fixed number of blocks from which an interval is made: of fewer, whose values may be
the same by chance, it could be of any width."""

_MOST_ASKED: Final = 200_000
_LONGEST_PART: Final = 1000
_FAULTS_KEPT: Final = 10


class ComparisonPlan(Struct, frozen=True):
    """A comparison as it will be played.

    Attributes:
        job: what is played, but for `first` and `blocks`.
        bound: the largest deal value, and less its smallest.
        deals: how many deals a block has.
        part: for how many blocks processes live: what counts as independent is a part's mean.
        fixed: how many blocks are played whatever they say; None to play until it is decided.
        within: the difference that matters; None if any does.
        most: after how many blocks it is given up.
        sprt: the hypotheses, where they decide.
        field: who else sits at the table, where A and B play by seats; empty where they meet.
        field_hashes: what these must be.
    """

    job: Job
    bound: int
    deals: int
    part: int = PART
    fixed: int | None = None
    within: float | None = None
    most: int = MOST_BLOCKS
    sprt: SprtPlan | None = None
    field: tuple[str, ...] = ()
    field_hashes: tuple[str, ...] = ()

    @property
    def parts(self) -> int:
        """How many match parts are played at most."""
        return (self.most if self.fixed is None else self.fixed) // self.part


def make_comparison(
    job: Job,
    *,
    until: str = "decided",
    part: int = PART,
    within: float | None = None,
    most: int | None = None,
    sprt: SprtPlan | None = None,
    field: tuple[str, ...] = (),
) -> ComparisonPlan:
    """Checks what was asked for.

    Args:
        job: what is played; `first` and `blocks` do not matter.
        until: "decided", or a number of blocks.
        part: for how many blocks processes live.
        within: the difference that matters.
        most: after how many blocks to give up; None for the usual number.
        sprt: the hypotheses, where they are to decide.
        field: who else sits at the table, one for all other seats or one for each; empty where the
            game has two sides.

    Raises:
        RefereeError: naming the first thing that is wrong, and what would be right.
    """
    sides = len(find(job.terms.game).rules_of(job.terms.options)[0].game.partners)
    field = _whole_field(job, field)
    if not field and (sides != 2 or len(job.bots) != 2):
        raise RefereeError(
            f"compare is for two sides with a bot each; {job.terms.game} has {sides}: "
            "--with BOT says who else sits at the table"
        )
    together = job_with(job, 0, field, ()) if field else job
    plan = plan_of(replace(together, first=0, blocks=1))
    worst = plan.rules.game.stakes.worst_value
    bound = best_value(plan.rules.game) - worst if field else -worst
    fixed = _fixed(until)
    if within is not None and not 0 < within < bound:
        raise RefereeError(f"within {within:g}: between 0 and {bound}, the largest deal value")
    if sprt is not None and (within is not None or fixed is not None):
        raise RefereeError("sprt decides by itself: it goes with neither --within nor --until N")
    if most is not None and fixed is not None:
        raise RefereeError(f"max-blocks {most}: --until {fixed} says already how many")
    if most is not None and not 1 <= most <= _MOST_ASKED:
        raise RefereeError(f"max-blocks {most}: from 1 to {_MOST_ASKED}")
    if not 1 <= part <= _LONGEST_PART:
        raise RefereeError(f"match-blocks {part}: from 1 to {_LONGEST_PART}")
    for name, blocks in (("until", fixed), ("max-blocks", most)):
        if blocks is not None and blocks % part:
            raise RefereeError(
                f"{name} {blocks}: processes live for {plural(part, 'block')} (--match-blocks), "
                f"so a multiple of {part}"
            )
    given_up = most or MOST_BLOCKS // part * part
    seatings = len(plan.seatings)
    return ComparisonPlan(job, bound, seatings, part, fixed, within, given_up, sprt, field)


def _whole_field(job: Job, field: tuple[str, ...]) -> tuple[str, ...]:
    """Return a bot for each other seat.

    Raises:
        RefereeError: there are too many or too few.
    """
    if not field:
        return ()
    terms = job.terms
    game = find(terms.game).rules_of(terms.options)[0].game
    others = game.seats - 1
    if others == 1:
        raise RefereeError(f"with: {terms.game} has no seat beside those of A and B: leave it out")
    if len(field) not in {1, others}:
        raise RefereeError(f"with: {terms.game} has {others} other seats: one bot, or {others}")
    return field if len(field) == others else field * others


def _fixed(until: str) -> int | None:
    if until == "decided":
        return None
    if not (until.isascii() and until.isdigit() and 1 <= int(until[:9]) <= _MOST_ASKED):
        raise RefereeError(f"until {until!r}: `decided`, or a number of blocks up to {_MOST_ASKED}")
    return int(until)


class ComparisonEnd(StrEnum):
    """Why a comparison ended."""

    DECIDED = "decided"
    BLOCKS = "blocks"
    """All blocks that were asked for, or allowed, have been played."""
    HOST = "host"
    INTERRUPTED = "interrupted"


class Comparison:
    """What a comparison has shown so far: takes outcomes of match parts in, in their order.

    Attributes:
        parts: the blocks of those that count: up to the one that decided.
        ending: why it ended, None if it goes on.
        sprt: the sequential test, where that decides.
        given_up: what was wrong with the host, if that ended it; else "".
        acts: decisions that were asked of both bots, in all parts that were taken in.
    """

    def __init__(self, plan: ComparisonPlan) -> None:
        """Begins without blocks."""
        self.plan = plan
        self.parts: list[tuple[BlockResult, ...]] = []
        self.ending: ComparisonEnd | None = None
        self.given_up = ""
        self.sandbox = ""
        self.acts = 0
        self.used_us = [0, 0]
        self.faults = [0, 0]
        self.voids = [0, 0]
        self.fault_list: list[FaultFound] = []
        self._leads: list[float] = []
        self._decider = Decider(plan.bound, plan.within)
        deals = plan.deals * plan.part
        self.sprt = None if plan.sprt is None else Sprt(plan.sprt, plan.bound, deals)

    @property
    def blocks(self) -> int:
        """How many blocks count."""
        return len(self.parts) * self.plan.part

    @property
    def adaptive(self) -> bool:
        """Whether what was played decided when to stop, so that estimates lean away from 0."""
        return self.plan.fixed is None or self.ending is not ComparisonEnd.BLOCKS

    @property
    def too_few(self) -> bool:
        """Whether a number of blocks that was fixed is too small to tell anything."""
        return not self.adaptive and len(self.parts) < FEWEST

    @property
    def decision(self) -> Conclusion:
        """What the parts say; of a number of blocks that was fixed, what all of them say."""
        if self.plan.fixed is None:
            return self._decider.decision
        return decision_by(*self.interval(), self.plan.within)

    def interval(self) -> tuple[float, float]:
        """Where A's true mean deal value lies, at a risk of 5 %.

        Where the number of blocks was fixed and all were played, that is Student's interval; else
        that of the confidence sequence, which holds for all times together.
        """
        bound = float(self.plan.bound)
        if self.adaptive:
            return interval(self._leads, bound)
        if self.too_few:
            return -bound, bound
        one = np.zeros(len(self._leads), np.int64)
        found = means(np.array(self._leads), one, 1, (np.arange(len(self._leads)),)).interval(0)
        low, high = found or (-bound, bound)
        return max(low, -bound), min(high, bound)

    def add(self, outcome: MatchOutcome) -> ComparisonEnd | None:
        """Takes in the next match part; says why it is over, if it is.

        A part that the host did not let us finish does not count: its processes lived shorter.
        """
        self.sandbox = outcome.sandbox
        self.acts += outcome.acts
        for bot in (0, 1):
            self.used_us[bot] += outcome.used_us[bot]
            self.voids[bot] += outcome.voids[bot]
            in_blocks = sum(block.faults[bot] for block in outcome.blocks)
            self.faults[bot] += max(in_blocks, *outcome.faults[bot : bot + 1], 0)
        self.fault_list += outcome.fault_list[: _FAULTS_KEPT - len(self.fault_list)]
        if len(outcome.blocks) == self.plan.part:
            self._count(outcome.blocks)
        if self.ending is None and outcome.given_up:
            self.give_up(outcome.given_up)
        elif self.ending is None and len(self.parts) >= self.plan.parts:
            self.ending = ComparisonEnd.BLOCKS
        return self.ending

    def _count(self, blocks: tuple[BlockResult, ...]) -> None:
        """Counts a part, and looks at whether it decides."""
        self.parts.append(blocks)
        self._leads.append(lead(blocks))
        if self.plan.fixed is not None:
            return
        if self.sprt is not None:
            decided = self.sprt.add(self._leads[-1]) is not SprtResult.OPEN
        else:
            decided = self._decider.look(self._leads[-1:]) is not Conclusion.UNDECIDED
        if decided:
            self.ending = ComparisonEnd.DECIDED

    def give_up(self, why: str) -> None:
        """No more outcomes will come, by a fault of the host; what it was is in words."""
        if self.ending is None:
            self.given_up, self.ending = why, ComparisonEnd.HOST

    def interrupt(self) -> None:
        """No more outcomes will come."""
        if self.ending is None:
            self.ending = ComparisonEnd.INTERRUPTED

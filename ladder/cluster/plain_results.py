"""Results with which nothing is odd: a match can have come to them. Pure.

Only of these it may be left to chance whether the record is played again: whatever charges a bot,
and whatever the rest of the referee would stumble over, is proved each time.
"""

from itertools import chain
from typing import Final

from msgspec import UNSET

from referee.match.outcome import BlockResult, MatchOutcome
from referee.match.plan import MatchPlan
from referee.rules.game import best_value
from referee.workers.jobs import Job

_MOST: Final = 2**40
"""No number of a match is as large, microseconds included (twelve days)."""


def is_plain(job: Job, plan: MatchPlan, said: MatchOutcome) -> bool:
    """Whether a match can have come to this, without a fault, a void deal or a missing block.

    Args:
        job: what was to be played.
        plan: the job as a match.
        said: what it is said to have come to.
    """
    bots, blocks = len(job.bots), [block.block for block in said.blocks]
    return (
        not (said.given_up or said.fault_list or job.benched or job.unbuilt)
        and (said.faults, said.voids) == ((0,) * bots,) * 2
        and len(said.used_us) == bots
        and all(0 <= number < _MOST for number in (said.acts, said.wall_us, *said.used_us))
        and blocks == list(range(job.first, job.first + job.blocks))
        and all(_is_plain_block(job, plan, block) for block in said.blocks)
    )


def _is_plain_block(job: Job, plan: MatchPlan, block: BlockResult) -> bool:
    bots, legs, game = len(job.bots), len(plan.seatings), plan.rules.game
    least, most = legs * game.stakes.worst_value, legs * best_value(game)
    return (
        block.deals == legs
        and (block.faults, block.unplayed) == ((0,) * bots, ())
        and len(block.values) == bots
        and all(least <= value <= most for value in block.values)
        and len(block.luck) in ({0, bots} if job.luck else {0})
        and all(abs(part) < _MOST for part in block.luck)
        and _are_plain_meetings(block, bots, legs)
    )


def _are_plain_meetings(block: BlockResult, bots: int, legs: int) -> bool:
    if block.meetings is UNSET:
        return legs == 1
    rows = block.meetings
    return (
        legs > 1
        and [len(row) for row in rows] == [bots, bots]
        and all(abs(value) < _MOST for value in chain.from_iterable(rows))
    )

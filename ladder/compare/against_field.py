"""Two bots compared by seats: each plays the same decks from the same seats among the same others.

Where a game has no two sides of one bot each, A and B cannot meet alone: A plays a match with the
field, B the same match in its place, and what counts is what A had more than B. Pure.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from referee.match.outcome import BlockResult, FaultFound, MatchOutcome
from referee.workers.jobs import Job


def job_with(job: Job, at: int, field: Sequence[str], hashes: Sequence[str]) -> Job:
    """Return what one of the two bots plays.

    Args:
        job: of both.
        at: which of its bots.
        field: the others at the table.
        hashes: of these; empty if anything will do.
    """
    mine = job.hashes[at : at + 1]
    return replace(
        job,
        bots=(job.bots[at], *field),
        hashes=(*mine, *hashes) if mine and hashes else (),
        luck=False,
    )


def merged(first: MatchOutcome, second: MatchOutcome) -> MatchOutcome:
    """Return both matches as one of A and B: its values are what each had more than the other.

    Args:
        first: A's with the field, A being its first bot.
        second: B's on the same decks.
    """
    others = {block.block: block for block in second.blocks}
    pairs = [(one, others[one.block]) for one in first.blocks if one.block in others]
    both = (first, second)
    return MatchOutcome(
        blocks=tuple(_difference(one, other) for one, other in pairs),
        acts=(first.acts + second.acts) // len(first.used_us),  # about as many as A and B had
        used_us=tuple(outcome.used_us[0] for outcome in both),
        wall_us=first.wall_us + second.wall_us,
        voids=tuple(outcome.voids[0] for outcome in both),
        faults=tuple(outcome.faults[0] for outcome in both),
        fault_list=tuple(_faults_of(first, 0) + _faults_of(second, 1)),
        given_up=first.given_up or second.given_up,
        game_digest=first.game_digest,
        sandbox=first.sandbox,
    )


def _difference(one: BlockResult, other: BlockResult) -> BlockResult:
    more = one.values[0] - other.values[0]
    unplayed = (sum(one.unplayed[:1]), sum(other.unplayed[:1]))
    return BlockResult(
        block=one.block,
        deals=one.deals,
        values=(more, -more),
        luck=(),
        faults=(one.faults[0], other.faults[0]),
        unplayed=unplayed if any(unplayed) else (),
    )


def _faults_of(outcome: MatchOutcome, bot: int) -> list[FaultFound]:
    """Return the faults of the bot that is compared, under its number there."""
    return [replace(fault, bot=bot) for fault in outcome.fault_list if fault.bot == 0]

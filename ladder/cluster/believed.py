"""Whether a machine has played what it was asked to, by the rules: its record is played again.

What a record proves: decks, acts, legality, the blocks with their luck, faults as they are written,
times as they are written. What it cannot: that those acts and times are the bots'. For that some
jobs are played again on another machine (`ladder.cluster.checks`).
"""

from pathlib import Path

from ladder.audit.record_outcome import Agreed, Decks, KeyedLines, Unfinished, record_outcome
from referee.errors import RefereeError, check_means
from referee.record.reader import Mismatch
from referee.version import own_version
from referee.workers.job_plan import plan_of
from referee.workers.jobs import Job, JobResult


def disbelief(job: Job, result: JobResult, record: Path) -> str | None:
    """Return why a result is not believed, in a line; None if its record proves it.

    Args:
        job: what was to be played, with all names and hashes.
        result: what a machine says of it.
        record: what it brought along.
    """
    plan, said = plan_of(job), result.outcome
    decks = Decks(job.key, job.first, job.blocks, len(plan.seatings), plan.rules.game.seats)
    agreed = Agreed(
        terms=plan.terms,
        rules=plan.name,
        referee=own_version(),
        decks=decks,
        benched=job.benched,
        sandbox=said.sandbox,
        hashes=job.hashes,
        names=job.names,
    )
    try:
        with KeyedLines(record, decks) as lines:
            for what, there, wanted in agreed.rows(lines.header):
                if there != wanted:
                    return f"its record is of another match: {what}"
            bots = len(job.bots)
            found = record_outcome(lines, decks, bots, luck=job.luck, wall_us=said.wall_us)
    except (Mismatch, Unfinished, RefereeError) as error:
        check_means(error)
        return f"its record does not hold: {error}"
    for name in type(found).__struct_fields__:
        if getattr(found, name) != getattr(said, name):
            return f"its record says otherwise: {name}"
    return None

"""Whether a record is of a job, and brings what is said that the job has come to."""

from pathlib import Path

from ladder.audit.record_outcome import Agreed, Decks, KeyedLines, record_outcome
from referee.match.outcome import MatchOutcome
from referee.workers.job_plan import plan_of
from referee.workers.jobs import Job


def agreed_of(job: Job, sandbox: str, referee: str) -> Agreed:
    """Return what the header of a job's record has to say.

    Args:
        job: says the hashes of its bots; their names, if it says none, are not looked at.
        sandbox: where the bots ran.
        referee: the version that was to play.
    """
    plan = plan_of(job)
    decks = Decks(job.key, job.first, job.blocks, len(plan.seatings), plan.rules.game.seats)
    return Agreed(
        terms=plan.terms,
        rules=plan.name,
        referee=referee,
        decks=decks,
        benched=job.benched,
        sandbox=sandbox,
        hashes=job.hashes,
        names=job.names or None,
    )


def record_trouble(job: Job, said: MatchOutcome, record: Path, referee: str) -> str | None:
    """Play a record again; return in a line what is otherwise than it is said, None if nothing is.

    Args:
        job: what was to be played, as for `agreed_of`.
        said: what it is said to have come to.
        record: the file.
        referee: the version that was to play.

    Raises:
        Mismatch: the record does not hold.
        Unfinished: it has no end.
        RefereeError: it cannot be read.
    """
    agreed = agreed_of(job, said.sandbox, referee)
    with KeyedLines(record, agreed.decks) as lines:
        for what, there, wanted in agreed.rows(lines.header):
            if there != wanted:
                return f"its record is of another match: {what}"
        bots = len(job.bots)
        found = record_outcome(lines, agreed.decks, bots, luck=job.luck, wall_us=said.wall_us)
    for name in type(found).__struct_fields__:
        if getattr(found, name) != getattr(said, name):
            return f"its record says otherwise: {name}"
    return None

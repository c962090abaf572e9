"""A job as a match: its decks stand alone, and all of them are played."""

from referee.config import MatchConfig, MatchPlan, make_plan
from referee.errors import RefereeError
from referee.verdict import OnFault
from referee.workers.jobs import Job


def plan_of(job: Job) -> MatchPlan:
    """Checks a job, but for its bots.

    Raises:
        RefereeError: it could not bring whole blocks, or names what else is wrong.
    """
    if job.on_fault is OnFault.END_MATCH:
        raise RefereeError("on-fault end-match: blocks are played to their end, whoever is faulted")
    return make_plan(
        MatchConfig(
            game=job.game,
            options=job.options,
            bots=len(job.bots),
            deals=job.blocks,
            first=job.first,
            key=job.key,
            seating=job.seating,
            time=job.time,
            on_fault=job.on_fault,
            freeze=job.freeze,
            pace=job.pace,
        )
    )

"""A job as a match: its decks stand alone, and all of them are played."""

from referee.errors import RefereeError
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.verdict import OnFault
from referee.workers.jobs import Job


def check_on_fault(rule: OnFault | None, bots: int) -> None:
    """Refuse a rule by which a bot could take a block, or a deal, from others.

    Raises:
        RefereeError: naming the rule, and what to use.
    """
    if rule is OnFault.END_MATCH:
        raise RefereeError("on-fault end-match: blocks are played to their end, whoever is faulted")
    if rule is OnFault.END_DEAL and bots > 2:
        raise RefereeError(
            "on-fault end-deal: at a table of three and more bots a fault would take the deal from "
            "the others; use play-on, or leave it out"
        )


def plan_of(job: Job) -> MatchPlan:
    """Checks a job, but for its bots.

    Raises:
        RefereeError: it could not bring whole blocks, or names what else is wrong.
    """
    check_on_fault(job.terms.on_fault, len(job.bots))
    return make_plan(
        MatchConfig(
            terms=job.terms,
            bots=len(job.bots),
            deals=job.blocks,
            first=job.first,
            key=job.key,
            benched=job.benched,
        )
    )

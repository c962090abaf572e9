"""Why a machine could not play a job, which may be the trouble of that machine alone. Pure."""

from msgspec import Struct

from ladder.cluster.messages import Brought, Ended
from referee.errors import RefereeError
from referee.workers.jobs import BrokenOff, Job
from referee.workers.messages import Broken, Failed, JobPlayed, JobRefused
from referee.workers.pool import error_of


class Refusal(Struct, frozen=True):
    """Why a machine could not play a job.

    Attributes:
        brought: what it has brought.
        error: what to raise; None where it has given a match up, which is a result.
        line: why, in words.
        was_begun: whether bots may have seen their cards.
    """

    brought: Brought
    error: Exception | None
    line: str
    was_begun: bool


def refusal_of(job: Job, brought: Brought) -> Refusal | None:
    """Return why a machine could not play a job; None if it has."""
    report = brought.report
    error: Exception
    match report:
        case JobPlayed(result):
            why = result.outcome.given_up
            return Refusal(brought, None, why, was_begun=True) if why else None
        case Ended(line):
            error = BrokenOff(line)
        case JobRefused(line, bot) if bot is not None and not 0 <= bot < len(job.bots):
            error = RefereeError(line)
        case JobRefused() | Failed() | Broken():
            error = error_of(report)
        case _:
            raise AssertionError(f"{report!r:.100} is no report of a job")  # `ask` has looked
    begun = isinstance(report, Ended | Broken)
    return Refusal(brought, error, str(error), was_begun=begun)

"""Whether a machine has played what it was asked to, by the rules: its record is played again.

What a record proves: decks, acts, legality, the blocks with their luck, faults as they are written,
times as they are written. What it cannot: that those acts and times are the bots'. For that some
jobs are played again on another machine (`ladder.cluster.checks`).
"""

from collections import deque
from enum import Enum
from pathlib import Path

from ladder.audit.job_record import agreed_of, record_trouble
from ladder.audit.record_outcome import Agreed, KeyedLines, Unfinished
from referee.errors import RefereeError, check_means
from referee.match.lines import EndLine
from referee.match.outcome import MatchOutcome
from referee.record.reader import Mismatch
from referee.version import own_version
from referee.workers.jobs import Job, JobResult


class Scrutiny(Enum):
    """How closely a record is looked at."""

    READ = "read"
    """Its header, hashes, decks and end; the rules are asked only where these do not fit."""
    PLAYED_AGAIN = "played again"
    """All of it, by the rules."""


def disbelief(
    job: Job, result: JobResult, record: Path, scrutiny: Scrutiny = Scrutiny.PLAYED_AGAIN
) -> str | None:
    """Return why a result is not believed, in a line; None if its record proves it.

    Args:
        job: what was to be played, with all names and hashes.
        result: what a machine says of it.
        record: what it brought along.
        scrutiny: how closely the record is looked at. None says of one that was only read that it
            is whole, and of this match.
    """
    said, referee = result.outcome, own_version()
    try:
        if scrutiny is Scrutiny.READ:
            agreed = agreed_of(job, said.sandbox, referee)
            if _reads_well(record, agreed, said):
                return None
        return record_trouble(job, said, record, referee)
    except (Mismatch, Unfinished, RefereeError) as error:
        check_means(error)
        return f"its record does not hold: {error}"


def _reads_well(record: Path, agreed: Agreed, said: MatchOutcome) -> bool:
    """Whether a record is whole, of this match, and ends with the sums of its blocks.

    Raises:
        Mismatch: its hashes or its decks do not hold.
        RefereeError: it is no record.
    """
    with KeyedLines(record, agreed.decks) as lines:
        if any(there != wanted for _, there, wanted in agreed.rows(lines.header)):
            return False
        end = next(iter(deque(lines, maxlen=1)), None)
        sums = tuple(map(sum, zip(*(block.values for block in said.blocks), strict=True)))
        return (
            isinstance(end, EndLine)
            and lines.torn is None
            and (end.game_digest, end.scores) == (said.game_digest, sums)
        )

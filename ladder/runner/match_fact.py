"""The fact that a match of a ladder was played, from what the worker has brought. Pure."""

from msgspec.structs import replace

from ladder.core.facts import LadderJob, Match
from ladder.results import FAULTS_KEPT
from referee.match.outcome import MatchOutcome


def match_of(
    job: LadderJob, outcome: MatchOutcome, kept: tuple[str, int], *, referee: str, at_ms: int
) -> Match:
    """Return the fact that a match was played, as `prove_match` wants it to be.

    Args:
        job: what was to be played.
        outcome: what the worker has brought.
        kept: the hash and the bytes of the record, as the store of records has said.
        referee: the version that has played.
        at_ms: milliseconds since 1970, UTC.
    """
    known = replace(outcome, fault_list=outcome.fault_list[:FAULTS_KEPT])
    record, size = kept
    return Match(job=job, outcome=known, record=record, size=size, referee=referee, at_ms=at_ms)

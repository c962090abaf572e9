"""The fact that a match of a ladder was played, from what the worker has brought. Pure."""

from ladder.core.facts import LadderJob, Match
from ladder.results import FAULTS_KEPT
from referee.match.outcome import JobResult


def match_of(
    job: LadderJob, outcome: JobResult, kept: tuple[str, int], *, referee: str, at_ms: int
) -> Match:
    """The fact that a match was played, as `prove_match` wants it to be.

    Args:
        job: what was to be played.
        outcome: what the worker has brought.
        kept: the hash and the bytes of the record, as the vault has said.
        referee: the version that has played.
        at_ms: milliseconds since 1970, UTC.
    """
    return Match(
        job=job,
        blocks=outcome.blocks,
        acts=outcome.acts,
        used_us=outcome.used_us,
        wall_us=outcome.wall_us,
        voids=outcome.voids,
        faults=outcome.faults,
        fault_list=outcome.fault_list[:FAULTS_KEPT],
        given_up="" if outcome.given_up is None else ": ".join(outcome.given_up),
        game_digest=outcome.game_digest,
        record=kept[0],
        size=kept[1],
        referee=referee,
        sandbox=outcome.sandbox,
        at_ms=at_ms,
    )

"""What is played at a table that was chosen. Pure."""

from collections.abc import Collection

from ladder.core.candidates import Situation
from ladder.core.epochs import first_draw
from ladder.core.facts import LadderJob
from ladder.core.matchmaking import TableDraw


def job_of(
    situation: Situation,
    table: TableDraw,
    key: str,
    *,
    without: Collection[int] = (),
    most: int | None = None,
) -> LadderJob:
    """Return the match of a table.

    Args:
        situation: in which it was chosen.
        table: what was chosen.
        key: by which it was, and by which its decks are dealt.
        without: entrants that were left out.
        most: so many blocks at most; None for as many as the pool has.
    """
    roster, draw = situation.roster, situation.draw
    assert roster.opened is not None  # noqa: S101  # every ladder begins with it
    blocks = roster.pools[table.pool].blocks
    return LadderJob(
        ladder=roster.opened.ladder,
        pool=table.pool,
        entrants=table.entrants,
        hashes=tuple(roster.entrants[entrant].hash for entrant in table.entrants),
        key=key,
        blocks=blocks if most is None else min(blocks, most),
        draw=None if draw is None else first_draw(draw, situation.jobs, without),
    )

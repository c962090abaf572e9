"""Whether what facts say of epochs, and of the draws of matches, makes sense. Pure."""

from collections.abc import Iterator
from typing import Final

from ladder.core.facts import Begun, LadderJob, Revealed, Sealed
from ladder.core.roster import Roster
from ladder.core.seal import LONGEST_BEACON, commitment, is_beacon, is_digits
from referee.text import printable

_BELOW: Final = 2**63


def epoch_trouble(roster: Roster, fact: Sealed | Begun | Revealed) -> Iterator[str]:
    """What is wrong with a fact of an epoch, in words.

    Args:
        roster: who there was before it.
        fact: the next one.
    """
    newest = len(roster.epochs)
    if isinstance(fact, Sealed):
        yield from _of_seal(fact, newest + 1)
        return
    epoch = roster.epochs.get(fact.epoch)
    if epoch is None:
        yield f"epoch {fact.epoch} was not sealed before"
    elif isinstance(fact, Begun):
        if epoch.begun is not None or fact.epoch != newest:
            yield f"epoch {fact.epoch} had begun, or another was sealed after it"
        if not is_beacon(fact.beacon):
            yield "what its beacon has published cannot be that"
    else:
        if epoch.begun is None or epoch.revealed is not None:
            yield f"epoch {fact.epoch} had not begun, or was over before"
        if not is_digits(fact.secret) or commitment(fact.secret) != epoch.sealed.commitment:
            yield "its secret is not the one that was committed to"
        if not 0 <= fact.draws < _BELOW:
            yield f"it had {fact.draws} draws"


def _of_seal(fact: Sealed, number: int) -> Iterator[str]:
    if fact.epoch != number:
        yield f"its epoch is {fact.epoch}, and should be {number}"
    if not is_digits(fact.commitment):
        yield "its commitment is not 64 hex digits"
    if not 0 < len(fact.beacon) <= LONGEST_BEACON or printable(fact.beacon) != fact.beacon:
        yield "its beacon has no name that can be printed"
    if not 0 < fact.rule < _BELOW:
        yield f"its tables are drawn by rule {fact.rule}"


def draw_trouble(roster: Roster, job: LadderJob) -> Iterator[str]:
    """What is wrong with what a match was drawn by, in words.

    Args:
        roster: who there was before its fact.
        job: what was played; there are its bots and its pool.
    """
    draw = job.draw
    if draw is None:
        if roster.is_sealed:
            yield "the ladder was sealed, and no draw has its key"
        return
    names = (draw.name, *draw.broken, *draw.beside)
    epoch = roster.epochs.get(draw.name.epoch)
    if epoch is None or epoch.begun is None:
        yield f"its epoch {draw.name.epoch} had not begun"
        return
    if epoch.revealed is not None:
        yield f"epoch {draw.name.epoch} was over before it counted"
    late = [entrant for entrant in job.entrants if entrant > epoch.entrants]
    if late:
        yield f"entrant {late[0]} was handed in after its epoch was sealed"
    if any(not 0 < number < _BELOW for name in names for number in (name.epoch, name.number)):
        yield "its draws have no numbers"
    if not 0 < draw.facts < _BELOW or len(set(names)) != len(names):
        yield "it was drawn at no time, or beside itself"
    row = [*draw.broken, draw.name]
    if row != sorted(row):
        yield "a later draw of it was broken off before an earlier one"
    if job.blocks > roster.pools[job.pool].blocks:
        yield f"it has {job.blocks} blocks, more than its pool"

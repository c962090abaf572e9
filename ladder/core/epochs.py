"""The epochs of a sealed ladder: what the keys of its draws follow from. Pure.

In an epoch every match has the key of a draw, by the draw's number. These keys are made of the
organiser's secret, of all facts up to the one that commits to it, and of what a beacon published
later. So neither the organiser nor an author could choose the decks; and no bot can know them,
since those that play were handed in before that fact.
"""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from ladder.core.facts import Begun, Draw, DrawName, LadderJob, Revealed, Sealed
from ladder.core.seal import Contributions, sealed_key
from referee.match.chance import block_key, event_key


class Epoch(Struct, frozen=True):
    """What the facts say of an epoch.

    Attributes:
        sealed: when it was committed to.
        entrants: how many versions of bots there were then: these may play.
        begun: since when matches are drawn in it; None: not yet.
        revealed: since when it is over; None: it is not.
    """

    sealed: Sealed
    entrants: int
    begun: Begun | None = None
    revealed: Revealed | None = None


class NextDraw(Struct, frozen=True):
    """What the next match of a sealed ladder is drawn by.

    Attributes:
        name: which draw it is.
        key: its key.
        facts: how many the ladder has.
    """

    name: DrawName
    key: str
    facts: int


def epoch_key(secret: str, sealed_hash: str, beacon: str) -> str:
    """Return the text that the keys of all draws of an epoch are made of (docs/results.md, 11).

    Args:
        secret: the organiser's text.
        sealed_hash: of the fact `Sealed`, over it and all before it.
        beacon: what was published.
    """
    return sealed_key(secret, sealed_hash, Contributions(contributions=(), beacon=beacon))


def draw_key(key: str, number: int) -> str:
    """Return the key of a draw: 64 hex digits.

    Args:
        key: of the epoch.
        number: of the draw, from 1.
    """
    return block_key(event_key(key), number)


def seated_by(job: LadderJob) -> DrawName:
    """The draw whose key has seated the table of a match; one before all where it was not drawn."""
    return DrawName(0, 0) if job.draw is None else job.draw.seated_by


def first_draw(draw: NextDraw, under_way: Collection[LadderJob], without: Collection[int]) -> Draw:
    """Return what a table is drawn by.

    Args:
        draw: the next one.
        under_way: the matches under way, in the order of the draws that have seated them.
        without: entrants that the runner leaves out.
    """
    beside = tuple(job.draw.name for job in under_way if job.draw is not None)
    return Draw(
        name=draw.name,
        facts=draw.facts,
        beside=beside,
        without=tuple(sorted(without)),
    )


def drawn_again(job: LadderJob, draw: NextDraw) -> LadderJob:
    """Return the job of a table whose match was broken off, with the decks of another draw."""
    before = job.draw
    assert before is not None  # noqa: S101  # in a sealed ladder every job has one
    again = replace(before, name=draw.name, broken=(*before.broken, before.name))
    return replace(job, key=draw.key, draw=again)

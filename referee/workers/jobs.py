"""What a worker is given to play, and what it brings back. Pure.

A job is a match of decks that stand alone: some blocks that follow one another, each deck in all
its seatings, by bots whose processes live for one leg.
"""

from typing import Final, Protocol, runtime_checkable

from msgspec import Struct

from referee.errors import HostError, RefereeError
from referee.match.outcome import MatchOutcome
from referee.match.terms import Terms

UNFINISHED: Final = ".part"
"""What the name of a record ends with until the record is complete."""


class Job(Struct, frozen=True, kw_only=True):
    """A match to play, of which everything was checked before.

    Attributes:
        bots: as a person would type them, in the order in which they hold seats or sides.
        first: the index of the first block; its deck is the same in every job with the same key.
        blocks: how many blocks, each in all seatings.
        record: the file to write, in a folder that exists; None for no record. It appears under
            its name only when it is complete.
        luck: whether to count what chance alone brought.
        hashes: what the bots must be, by their SHA-256; empty if anything will do.
        names: what the record calls them; empty for the names that they have brought along.
        submitted: whether strangers handed the bots in: then they never run bare.
        benched: which of the bots play no more before the first card, as after their third fault.
        unbuilt: which of them cannot be built any more, and are at fault at their start.
        once: whether no other worker plays it when one has died, so that no deck is dealt again.
    """

    terms: Terms
    bots: tuple[str, ...]
    key: str
    first: int
    blocks: int
    record: str | None = None
    luck: bool = True
    hashes: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    submitted: bool = False
    benched: tuple[int, ...] = ()
    unbuilt: tuple[int, ...] = ()
    once: bool = False


class JobResult(Struct, frozen=True):
    """A job that was played.

    Attributes:
        bug: our own mistake that made a deal void, with its traceback; "" if there was none.
    """

    outcome: MatchOutcome
    bug: str = ""


class BrokenOff(HostError):
    """Workers have died over a job: as many as it may have."""


class Unready(RefereeError):
    """A bot cannot be made ready to play here: it is not what it was, or wants what is not there.

    Attributes:
        bot: which of the job's.
    """

    def __init__(self, line: str, bot: int) -> None:
        """The line says which bot and why."""
        super().__init__(line)
        self.bot = bot


class Players(Protocol):
    """Who plays jobs: the pool of workers, or the machines of a cluster.

    Attributes:
        size: how many at a time.
    """

    @property
    def size(self) -> int:
        """See above."""

    async def play(self, job: Job, /) -> JobResult:
        """Plays a job when it is its turn.

        Raises:
            Unready: a bot is the reason why it cannot be played.
            RefereeError: it cannot be played as it is.
            BrokenOff: it has ended as many workers as it may.
            HostError: the machine does not let us.
        """


@runtime_checkable
class GrowingPlayers(Players, Protocol):
    """Players of whom there may be more later: machines that join."""

    async def more(self, size: int) -> None:
        """Wait until more than so many jobs are played at a time."""

"""What went wrong and who is to blame, as values."""

from enum import StrEnum
from typing import Final

from msgspec import Struct, field

from protocol.errors import Mistake
from protocol.messages import Count
from referee.match.stderr_error import error_of


class FaultCode(StrEnum):
    """What a bot can be guilty of. Anything else that goes wrong costs no bot anything."""

    ILLEGAL = "illegal"
    MALFORMED = "malformed"
    PROTOCOL = "protocol"
    LATE = "late"
    CRASHED = "crashed"
    MEMORY = "memory"
    OUTPUT = "output"
    STARTUP = "startup"


class OnFault(StrEnum):
    """What a fault does to the deal; without one of these the game decides."""

    PLAY_ON = "play-on"
    END_DEAL = "end-deal"
    END_MATCH = "end-match"


class Freeze(StrEnum):
    """When a bot is stopped between its acts."""

    AUTO = "auto"
    """From the first time on that it works while others think."""
    ALWAYS = "always"
    NEVER = "never"


FAULTS_BEFORE_BENCH: Final = 3
"""After so many faults a bot plays no more: its deals are lost, or the stand-in plays for it."""


class Receipt(Struct, frozen=True, array_like=True):
    """When things happened in one act, in microseconds since it began.

    Attributes:
        sent: the pipe had taken the whole line.
        first: the first byte of the answer had come.
        complete: its newline had come; this is what the clock is charged. From each, what others
            took of the processor while the bot was ready to run is left out.
        cpu: processor time that the process used meanwhile; where its last act ended less than a
            millisecond before, since then.
    """

    sent: Count
    first: Count
    complete: Count
    cpu: Count


class Evidence(Struct, frozen=True, omit_defaults=True):
    """What there was to see when a fault was found; cut to sizes that a record can hold."""

    to_bot: str = ""
    from_bot: str = ""
    stderr_head: str = ""
    stderr_tail: str = ""
    exit: str | None = None
    receipt: Receipt | None = None

    def error(self) -> str:
        """Return what stderr says of the error, as far as a person wants to see it."""
        return error_of(self.stderr_tail or self.stderr_head)


class Verdict(Struct, frozen=True, omit_defaults=True):
    """A fault of the process at a place, and the line that a record has of it (SPEC 9).

    Attributes:
        code: what it is, once and for all.
        detail: a sentence for the bot's author.
        mistake: what that author has probably overlooked, where it can be told.
    """

    place: int = field(name="fault")
    code: FaultCode
    detail: str
    evidence: Evidence = Evidence()
    mistake: Mistake | None = None


class Blame(StrEnum):
    """Whose doing it is when no bot is to blame."""

    HOST = "host"
    REFEREE = "referee"


class Mishap(Struct, frozen=True):
    """What went wrong through no bot's doing: the deal is void and is played again.

    Attributes:
        shortage: whether the machine ran out of something; the next match would lack it, too.
    """

    family: Blame
    detail: str
    evidence: Evidence = Evidence()
    shortage: bool = False


ATTEMPTS: Final = 3
"""How often a deal is played at most, when mishaps make it void."""


def starved(allowance_us: int, lag_us: int, cpu_us: int) -> bool:
    """Whether lateness is the host's doing: the bot hardly ran, and neither did we.

    A bot cannot bring this about: what makes us late takes processor time. Its own, that of all its
    processes, is counted; that of other bots and of what we do for any is no lag.

    Args:
        allowance_us: how long the act might take.
        lag_us: for how much of that we ourselves were not woken when it was time.
        cpu_us: what the bot used meanwhile.
    """
    return lag_us * 4 >= allowance_us and cpu_us * 10 <= allowance_us

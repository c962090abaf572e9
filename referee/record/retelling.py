"""What the places of a recorded match were told, step by step, while it is played again. Pure."""

from collections.abc import Callable

from msgspec import Struct

from referee.match.leg import Ask
from referee.match.lines import ActLine
from referee.match.verdict import Verdict


class Greeting(Struct, frozen=True):
    """A new process sits down, and is greeted; `ask` has the bytes.

    Attributes:
        verdict: why it did not get ready; None if it did.
    """

    ask: Ask
    verdict: Verdict | None


class Question(Struct, frozen=True):
    """A place is asked for an act.

    Attributes:
        ask: the bytes, `deal_end` and `deal` before them included.
        leg: of the match, from 0.
        deal: of the leg, from 1.
        number: of the deal through all legs, from 1.
        act: how many acts of the deal were carried out before, as records and faults count them.
        seat: of the place in this deal.
        answer: what came of it.
    """

    ask: Ask
    leg: int
    deal: int
    number: int
    act: int
    seat: int
    answer: ActLine | Verdict


class Parting(Struct, frozen=True):
    """The last line to a process, which leaves: after a fault, at the end of a leg, or void.

    Attributes:
        line: nothing where the deal was void: the process was ended without a word.
    """

    place: int
    line: bytes


Step = Greeting | Question | Parting
Listener = Callable[[Step], None]
"""Is told of each step before anything that follows from it is carried out."""

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


class ActLines:
    """The lines of acts of a record, kept by deal until they are taken; a listener."""

    def __init__(self) -> None:
        """Nothing was played again yet."""
        self._of_deal: dict[int, dict[int, ActLine]] = {}

    def __call__(self, step: Step) -> None:
        """Keep the line of an act; forget those of a deal that is void."""
        match step:
            case Question(answer=ActLine() as line):
                self._of_deal.setdefault(step.number, {})[step.act] = line
            case Parting(line=b""):  # the deal under way, of which alone there are lines
                self._of_deal.clear()
            case _:
                return

    def take(self, number: int) -> dict[int, ActLine]:
        """Return the lines of a deal, counted through all legs, by act; they are kept no longer."""
        return self._of_deal.pop(number, {})

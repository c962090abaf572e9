"""At which act of a record to stop, and whether a bot has answered otherwise than then. Pure."""

from typing import Final

from msgspec import Struct

from protocol.codec import decode_answer
from protocol.errors import RemoteProtocolError
from protocol.limits import LINE_FROM_BOT
from protocol.messages import Answer
from referee.match.lines import ActLine
from referee.match.verdict import FaultCode, Verdict
from referee.record.deal_choice import DealChoice
from referee.record.retelling import Question

_ENDED: Final = frozenset({FaultCode.CRASHED, FaultCode.MEMORY})
"""Faults of a process that ended."""

_UNKNOWN: Final = frozenset({FaultCode.LATE, FaultCode.OUTPUT})
"""Faults of which the record does not have all that the bot said."""


class AtAct(Struct, frozen=True):
    """Stop at an act.

    Attributes:
        deal: which deal.
        act: as `Question.act` counts them; None: the bot's first in the deal.
    """

    deal: DealChoice
    act: int | None = None

    def is_here(self, question: Question) -> bool:
        """Return whether this is the act."""
        return self.is_in(question) and self.act in (None, question.act)

    def is_in(self, question: Question) -> bool:
        """Return whether it is in this deal."""
        return self.deal.is_meant(question.number, question.leg, question.deal)


class AtFault(Struct, frozen=True):
    """Stop at the first act that was a fault of the bot."""

    def is_here(self, question: Question) -> bool:
        """Return whether this is the act."""
        return isinstance(question.answer, Verdict)


class UntilDifference(Struct, frozen=True):
    """Stop where the bot answers otherwise than it did."""

    def is_here(self, _: Question) -> bool:
        """Return False: only the answer tells."""
        return False


Stop = AtAct | AtFault | UntilDifference


class Reply(Struct, frozen=True):
    """What a bot made of a question.

    Attributes:
        line: what it wrote, its newline included; without one where it ended before that.
        us: how long that took, in microseconds.
        stderr: what it wrote there meanwhile, or since its last act.
        exit: how the process ended, if it did.
    """

    line: bytes
    us: int
    stderr: str
    exit: str | None = None

    def answer(self, id_: str) -> Answer | str:
        """Return the answer to the question of this id, or why the line is none."""
        if len(self.line) > LINE_FROM_BOT:
            return f"a line of more than {LINE_FROM_BOT} bytes"
        if not self.line.endswith(b"\n"):
            return f"no answer: {self.exit or 'it has closed its standard output'}"
        try:
            answer = decode_answer(self.line[:-1].removesuffix(b"\r"))
        except RemoteProtocolError as error:
            return error.detail
        return answer if answer.id == id_ else f"its id is {answer.id[:40]!r}, not {id_!r}"


def difference(question: Question, reply: Reply) -> str | None:
    """Return how an answer differs from what the record has, in a sentence; None: it does not.

    An answer that came too late, or too much, is not in the record: nothing differs from it.
    """
    then, now = question.answer, reply.answer(question.ask.id)
    legal = isinstance(now, Answer) and now.action in question.ask.legal
    said = f"now {now.action if isinstance(now, Answer) else now}"
    if isinstance(then, ActLine):
        same = isinstance(now, Answer) and now.action == then.act
        return None if same else f"the record has {then.act}, {said}"
    if then.code in _UNKNOWN:
        return None
    same = reply.exit is not None if then.code in _ENDED else not legal
    return None if same else f"the record has the fault {then.code}, {said}"

"""How a deal of a record ends if its bot plays otherwise at one act."""

from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from protocol.messages import Answer
from referee.debug.fed_process import FedProcess
from referee.errors import RefereeError
from referee.match.leg import Ask, DealResult, Leg
from referee.match.verdict import Receipt
from referee.record.reader import RecordReader
from referee.record.retelling import Question, Step
from referee.record.verify import Resimulation

_NO_TIME = Receipt(0, 0, 0, 0)


class WhatIf(Struct, frozen=True):
    """A deal that was played on from an act.

    Attributes:
        action: what was played there.
        acts: the acts from there on: seat and action.
        points: card points by seat.
        by_seat: what the deal brought, by seat.
        recorded: the same of the record; None where that has no end of the deal.
    """

    action: str
    acts: tuple[tuple[int, str], ...]
    points: tuple[int, ...]
    by_seat: tuple[int, ...]
    recorded: tuple[int, ...] | None


class _Here(Exception):
    """The act has come. Caught by `leg_at`."""


def leg_at(path: Path, at: Question) -> tuple[Leg, Ask]:
    """Play a record again up to an act; return the leg under way, and the question."""
    asked: list[Ask] = []

    def listen(step: Step) -> None:
        if isinstance(step, Question) and step.ask.id == at.ask.id and step.leg == at.leg:
            asked.append(step.ask)
            raise _Here

    with RecordReader(path) as reader:
        record = Resimulation(reader, listen)
        try:
            for _ in record.deals():
                pass
        except _Here:
            return record.match.leg, asked[0]
    raise AssertionError  # the question is of this record


def _recorded(path: Path, at: Question) -> tuple[int, ...] | None:
    """Return what the deal of an act brought by seat in the record."""
    with RecordReader(path) as reader:
        deals = Resimulation(reader).deals()
        for number, deal in enumerate(deals, 1):
            if number == at.number:
                return deal.by_seat
    return None


async def play_on(
    path: Path, at: Question, action: str, processes: Mapping[int, FedProcess]
) -> tuple[WhatIf, DealResult]:
    """Play a deal on from an act with another action; return what came of it, and the deal.

    Args:
        path: the record.
        at: the act.
        action: what is played there.
        processes: by place; each was told all that its place was told until then.

    Raises:
        RefereeError: the action is not legal there, or a bot does not answer with a legal one.
    """
    if action not in at.ask.legal:
        raise RefereeError(f"--what-if {action!r}: legal there are {', '.join(at.ask.legal)}")
    leg, ask = leg_at(path, at)
    answer_with(leg, ask, action)
    while (asked := leg.ask()) is not None:
        process = processes.get(asked.place)
        if process is None:
            raise RefereeError(f"--what-if: no bot lives at place {asked.place} any more")
        answer = (await process.ask(asked.line)).answer(asked.id)
        if not isinstance(answer, Answer) or answer.action not in asked.legal:
            said = answer.action if isinstance(answer, Answer) else answer
            raise RefereeError(f"--what-if: the bot at place {asked.place} went wrong: {said}")
        answer_with(leg, asked, answer.action)
    deal = leg.close_deal()
    found = WhatIf(
        action=action,
        acts=deal.acts[at.act :],
        points=deal.account.points,
        by_seat=deal.by_seat,
        recorded=_recorded(path, at),
    )
    return found, deal


def answer_with(leg: Leg, ask: Ask, action: str) -> None:
    """Carry out an action at a question of a leg, whatever the bot said."""
    answer = Answer(ask.id, action)
    ask.connection.replay(answer)
    leg.answered(answer, _NO_TIME)

"""Which acts of a match took longest."""

import heapq
from itertools import count
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.errors import RefereeError
from referee.match.lines import ActLine
from referee.record.reader import Mismatch, RecordReader
from referee.record.retelling import Question, Step
from referee.record.verify import Resimulation

SHOWN: Final = 3
"""So many acts are shown."""

LEAST_US: Final = 10_000
"""Shorter acts are not worth a look, in microseconds."""


class SlowAct(Struct, frozen=True):
    """An act that took long: how long, in microseconds, whose, and where it is.

    Attributes:
        bot: from 0.
        leg: from 0.
        deal: of the leg, from 1.
        act: how many acts of the deal were carried out before.
    """

    us: int
    bot: int
    leg: int
    deal: int
    act: int


def slowest_acts(path: Path) -> tuple[SlowAct, ...]:
    """Return the slowest acts of a record, faults included, the slowest first.

    A record that cannot be played again has none. People, who have clocks of their own, are left
    out: how long they think is nothing to mend.
    """
    found: list[tuple[int, int, SlowAct]] = []
    numbers = count()

    def listen(step: Step) -> None:
        if not isinstance(step, Question):
            return
        receipt = (
            step.answer.us if isinstance(step.answer, ActLine) else step.answer.evidence.receipt
        )
        if receipt is None or receipt.complete < LEAST_US:
            return
        bot = record.match.bot_at(step.ask.place)
        if bot in reader.header.clocks:
            return
        slow = SlowAct(receipt.complete, bot, step.leg, step.deal, step.act)
        heapq.heappush(found, (slow.us, next(numbers), slow))
        if len(found) > SHOWN:
            heapq.heappop(found)

    try:
        with RecordReader(path) as reader:
            record = Resimulation(reader, listen)
            for _ in record.deals():
                pass
    except (Mismatch, RefereeError):
        return ()
    return tuple(slow for _, _, slow in sorted(found, reverse=True))

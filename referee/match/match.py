"""One match without I/O: its legs and totals, its clocks and faults, and the lines of its record.

`referee.play.conductor` drives it with processes, `referee.record.verify` with the lines of a
record. In order: `next_leg`, in it `next_deal` until that returns None, then `end_leg`; when there
is no other leg, or the match cannot go on, `end`. In a deal: `started` or `fault` for each process
that it needs, `leg.open_deal`, then `answer` or `fault` for each `leg.ask`, and `close_deal`; or
`void` at any time.
"""

from collections.abc import Callable

from protocol.messages import Answer
from referee.match.leg import Ask, DealResult, DealStart, Leg
from referee.match.lines import (
    ActLine,
    DealLine,
    EndLine,
    FrozenLine,
    LegLine,
    Line,
    StartLine,
    VoidLine,
    deal_end_line,
)
from referee.match.outcome import FaultFound
from referee.match.plan import MatchPlan
from referee.match.totals import Totals
from referee.match.verdict import ATTEMPTS, FAULTS_BEFORE_BENCH, FaultCode, Mishap, Receipt, Verdict


class Match:
    """A match under way.

    Attributes:
        totals: what was brought so far, by finished deals and legs.
        used_us: how long each bot took for its acts so far, those that were faults and void deals
            included.
        given_up: what made a deal void for the last time, where that ended the match.
    """

    def __init__(self, plan: MatchPlan, write: Callable[[Line], None]) -> None:
        """Begin before the first leg.

        Args:
            plan: what was agreed.
            write: takes the lines of the record after its header, in their order.
        """
        self.plan = plan
        self.totals = Totals(plan.bots)
        self.used_us = [0] * plan.bots
        self.given_up: Mishap | None = None
        self.write = write
        self._faults = [FAULTS_BEFORE_BENCH * (bot in plan.benched) for bot in range(plan.bots)]
        self._voids = 0
        self._leg: Leg | None = None

    @property
    def leg(self) -> Leg:
        """The leg under way; there is one from `next_leg` to `end_leg`."""
        assert self._leg is not None  # noqa: S101  # a driver out of order is our bug
        return self._leg

    def bot_at(self, place: int) -> int:
        """Return the bot that sits at a place of the leg under way."""
        return self.leg.plan.seating[place]

    def next_leg(self) -> Leg | None:
        """Begin the next leg; return None when there is none."""
        number, plan = self.totals.leg, self.plan
        if self.totals.stopped or number == len(plan.seatings):
            return None
        self.write(LegLine(number, plan.seatings[number], plan.dealer))
        self._leg = Leg(plan.leg(number), self._faults)
        return self._leg

    def next_deal(self) -> DealStart | None:
        """Begin the next deal of the leg; return None when it is over or the match given up."""
        start = self.leg.next_deal() if self.given_up is None else None
        if start is not None:
            deck = " ".join(start.deck)
            self.write(DealLine(start.deal, start.key, deck, start.dealer, start.bots))
            self.totals.open_deal()
        return start

    def started(self, line: StartLine) -> None:
        """Record that a process said `ready` in time."""
        self.write(line)

    def frozen(self, place: int, used_us: int) -> None:
        """Record that a process is stopped between its acts from now on.

        Args:
            place: where it sits.
            used_us: the processor time that it used while others thought.
        """
        self.write(FrozenLine(place, used_us))

    def answer(self, ask: Ask, answer: Answer, receipt: Receipt) -> Verdict | None:
        """Carry out an answer to the last question, or return what is wrong with it."""
        leg = self.leg
        verdict = leg.check_answer(answer, receipt)
        if verdict is None:
            seat = leg.deal.places.index(ask.place)
            more = (answer.note, answer.eval, answer.extra)
            self.write(ActLine(answer.action, seat, receipt, *more))
            leg.answered(answer, receipt)
            self.used_us[leg.plan.seating[ask.place]] += receipt.complete
        return verdict

    def fault(self, verdict: Verdict) -> bytes:
        """Count a fault; return the last line to the process, which must end now.

        Raises:
            LocalProtocolError: the process has been told its end before.
        """
        self.write(verdict)
        if verdict.evidence.receipt is not None and verdict.code is not FaultCode.STARTUP:
            self.used_us[self.bot_at(verdict.place)] += verdict.evidence.receipt.complete
        line = self.leg.faulted(verdict)
        self.totals.add_fault(self.leg.deal.faults[-1])
        return line

    def void(self, mishap: Mishap, place: int | None) -> None:
        """Take the deal back: its cards are dealt again to new processes, or the match is over.

        Args:
            mishap: what made it void.
            place: whose act it was, if any.
        """
        number = self.leg.deal.start.deal
        self.write(VoidLine(number, mishap.family, place, mishap.detail, mishap.evidence))
        self.totals.void_deal(number, None if place is None else self.bot_at(place), mishap)
        self.leg.void()
        self._voids += 1
        if self._voids == ATTEMPTS:
            self.given_up = mishap
            self.totals.give_up()

    @property
    def voids(self) -> int:
        """How often the deal that is next has been void."""
        return self._voids

    def close_deal(self) -> DealResult:
        """Count the deal that was played."""
        deal = self.leg.close_deal()
        self.write(deal_end_line(deal))
        self.totals.add_deal(deal)
        self._voids = 0
        return deal

    def fault_at_end(self, verdict: Verdict) -> FaultFound:
        """Count what a process did wrong when its leg was over."""
        self.write(verdict)
        found = self.leg.faulted_at_end(verdict)
        self.totals.add_fault(found)
        return found

    def end_leg(self) -> None:
        """Count the leg, which is over."""
        self.totals.end_leg(self.leg)
        self._faults = self.leg.course.faults
        self._leg = None

    def end(self) -> EndLine:
        """Close a match that is over, was given up or was interrupted."""
        if self._leg is not None:
            self.end_leg()
        end = self.totals.result(len(self.plan.seatings))
        self.write(end)
        return end

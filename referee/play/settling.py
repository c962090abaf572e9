"""A bot that has answered and works on: what it does until it stands still is of its act.

The kernel stops a thread on its way back from a call, and some calls take it a tenth of a second:
such work would be done in the act of the next bot, which has less time to think by then. So the
next is not asked before.
"""

import time
from typing import Final

import trio
from msgspec.structs import replace

from referee.match.verdict import FaultCode, Verdict
from referee.play.evidence import Heard, Witness
from referee.play.off_turn import OFF_TURN_US
from referee.play.off_turn_table import none_at_work

_FIRST_REST_S: Final = 0.0002
_LONGEST_REST_S: Final = 0.002
_LONGEST_BLOCKED_US: Final = 5000
"""A thread that is blocked for so long is not waited for: it takes nothing from others, and may be
one that calls `execve` and waits for threads that version 1 of control groups has stopped."""


class Settling:
    """The wait until a bot stands still that has answered."""

    def __init__(
        self, witness: Witness, heard: Heard, allowance_us: int, since_us: int = 0
    ) -> None:
        """Take over a bot that was just stopped.

        Args:
            witness: sees what it does.
            heard: its answer.
            allowance_us: how long the act may take.
            since_us: how long ago it answered, in which it may have worked on already. That is what
                it has used beyond the time of its act: all of a match have one core.
        """
        self._witness = witness
        self._heard = heard
        self._allowance_us = allowance_us
        receipt = heard[1]
        self._worked_us = max(min(receipt.cpu - receipt.complete, since_us), 0)
        self._left_us = max(allowance_us - receipt.complete, 0)
        self._before_us = witness.off_turn.since_us

    async def finish(self) -> Heard | Verdict:
        """Wait until the bot stands still, or its time is over; none that works meanwhile may."""
        witness, (message, receipt) = self._witness, self._heard
        async with none_at_work(witness.off_turn_bots()):
            await self._wait()
        if self._worked_us < OFF_TURN_US:
            return self._heard
        complete = receipt.complete + self._worked_us
        used_us = witness.off_turn.begin() - self._before_us
        receipt = replace(receipt, complete=complete, cpu=receipt.cpu + used_us)
        if self._worked_us <= self._left_us:
            return message, receipt
        detail = f"it answered, but did not stop working within {self._allowance_us // 1000} ms"
        return Verdict(witness.place, FaultCode.LATE, detail, witness.evidence(receipt))

    async def _wait(self) -> None:
        """Add up the processor time that the bot uses, which others cannot bring about.

        So is time in which it was blocked before it went on: else it could have a match wait.
        Where it is ready to run and does not, others have the processor: it is not charged for
        that, nor waited for longer than its act may take.
        """
        bot, rest_s, blocked_us = self._witness.off_turn, _FIRST_REST_S, 0
        before, used_us = time.perf_counter_ns(), bot.worked_us()
        until = before + self._left_us * 1000
        while not bot.stands_still() and blocked_us < _LONGEST_BLOCKED_US and before < until:
            await trio.sleep(rest_s)
            now, used_before_us, used_us = time.perf_counter_ns(), used_us, bot.worked_us()
            passed_us, before = (now - before) // 1000, now
            ran_us = min(used_us - used_before_us, passed_us)
            self._worked_us += ran_us
            if bot.runs():
                self._worked_us, blocked_us = self._worked_us + blocked_us, 0
            else:
                blocked_us += passed_us - ran_us
            if self._worked_us > self._left_us:
                return
            rest_s = min(2 * rest_s, _LONGEST_REST_S)

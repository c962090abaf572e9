"""The bots of a match that are not to move: who of them works all the same, and is stopped."""

import time
from collections.abc import AsyncIterator, Callable, Collection, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Final, TypeVar

import trio

from referee.errors import SandboxError
from referee.play.off_turn import NEVER, OFF_TURN_US, OffTurn

LOOK_S: Final = 0.002
"""How often bots are looked at while none is to move, in seconds."""

_LEAST_LOOKS: Final = 5
"""In fewer a bot may be seen ready to run that only waits to do the last of its own act."""

_REST: Final = 3
"""So many times as long as a look took we do without the next: it takes the time, and the core, of
the bot that is to move."""

T = TypeVar("T")


class OffTurnTable:
    """The other bots of a match, as seen while one is to move."""

    def __init__(self, others: Iterable[OffTurn]) -> None:
        """Begin with none of them found at work."""
        self._found_running = dict.fromkeys(others, 0)
        self._looks = 0
        self._next_look_ns = -NEVER
        self._has_room = False
        """Whether one was stopped, or ended, since `make_room`."""
        self._dying = self._who_dies()

    async def aside(self, ask: Callable[[], T]) -> T:
        """Ask for what can take a second, while the other bots are looked at.

        How a bot has ended is a daemon's to know; what it does, the kernel locks during `execve`.
        """
        if not self._found_running:
            return ask()
        async with none_at_work(tuple(self._found_running)):
            return await trio.to_thread.run_sync(ask)

    def check(self) -> None:
        """Stop those that work."""
        for other in self._found_running:
            if other.check():
                self._has_room = True
                self._found_running[other] = 0

    def count_running(self) -> None:
        """Count those that work all the same, though they are stopped or may not be.

        Does nothing soon after a look that took long.
        """
        begin = time.perf_counter_ns()
        if begin < self._next_look_ns:
            return
        self._looks += 1
        for other in self._found_running:
            self._found_running[other] += other.runs()
        end = time.perf_counter_ns()
        self._next_look_ns = end + _REST * (end - begin)

    def rest_free(self) -> bool:
        """Stop those that work and are not, until their next act; return whether any was."""
        has_rested = False
        for other, often in self._found_running.items():
            if not other.was_stopped() and (often or other.worked_us() > OFF_TURN_US):
                other.rest()
                if other.was_stopped():
                    has_rested = True
                    self._found_running[other] = 0
        return has_rested

    def make_room(self, held_up_us: int) -> bool:
        """Stop those that work and are not, until their next act; if none is, end the busiest.

        No look until then says anything against any of them. Nor is one ended for what was before
        another was stopped, or ended, as `check` does it.

        Args:
            held_up_us: for how long others kept the bot that is to move from running.

        Returns:
            Whether there is any such bot, or was since the last time.
        """
        has_room, self._has_room = self.rest_free() or self._has_room, False
        were_dying, self._dying = self._dying, self._who_dies()
        return bool(has_room or were_dying or self._dying) or self._end_busiest(held_up_us)

    def _who_dies(self) -> list[OffTurn]:
        return [other for other in self._found_running if other.is_dying()]

    def _end_busiest(self, held_up_us: int) -> bool:
        """End the bot that took most: by the processor time that it used, or by looks.

        A bot can keep the core so that we cannot look; what it has used meanwhile is counted all
        the same, and what friends have that share the work. By looks it has to be found at work in
        a quarter of them at least.

        Args:
            held_up_us: for how long others kept the bot that is to move from running.

        Returns:
            Whether there is such a bot.
        """
        self.count_running()
        free = [other for other in self._found_running if not other.charge]
        kept = f"it kept another bot from running for {held_up_us // 1000} ms of that one's act"
        took_us = {other: other.took_unasked_us() for other in free}
        if sum(took_us.values()) >= max(held_up_us // 2, OFF_TURN_US):
            worker = max(took_us, key=took_us.__getitem__)
            used_ms = took_us[worker] // 1000
            self._end(worker, f"{kept}: it used {used_ms} ms of the processor off turn")
            return True
        busiest = max(free, key=self._found_running.__getitem__, default=None)
        often = 0 if busiest is None else self._found_running[busiest]
        if busiest is None or often * 4 < max(self._looks, _LEAST_LOOKS * 4):
            return False
        charge = f"{kept}: it was found at work off turn in {often} of {self._looks} looks"
        self._end(busiest, charge)
        return True

    def _end(self, other: OffTurn, charge: str) -> None:
        with suppress(SandboxError):
            other.end_for_good(charge)
        self._found_running = dict.fromkeys(self._found_running, 0)
        self._looks = 0


@asynccontextmanager
async def none_at_work(bots: Collection[OffTurn]) -> AsyncIterator[None]:
    """Stop each of these bots that works before the block is left.

    Yields:
        What may take seconds, in which no clock runs that is theirs.
    """
    async with trio.open_nursery() as nursery:

        async def look() -> None:
            while True:
                await trio.sleep(LOOK_S)
                for bot in bots:
                    bot.check()

        if bots:
            nursery.start_soon(look)
        yield
        nursery.cancel_scope.cancel()

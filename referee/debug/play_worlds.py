"""How a deal goes on from an act on other decks that agree with all that its bot knew then."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.bots.find import BotSpec
from referee.debug.mean_interval import MeanInterval, mean_interval
from referee.debug.untimed_deal import untimed_deal
from referee.debug.what_if import leg_at
from referee.errors import RefereeError, innermost
from referee.match.worlds import NoWorld, World, Worlds
from referee.record.retelling import Question
from referee.rules.game import best_value
from referee.sandbox import Sandbox

Done = Callable[[int], None]
"""Is told how many worlds have been played."""


class WorldsPlayed(Struct, frozen=True):
    """What an action brings the bot on decks that agree with what it knew.

    Attributes:
        count: of decks.
        recorded: the action that the record has, which was played on the same decks; None where
            it is the same action, or the record has a fault.
        action: deal value, by deck on average.
        recorded_action: likewise.
        gain: by how much the action is better.
        better: on how many decks; `equal` and `worse` likewise.
    """

    count: int
    action: MeanInterval
    recorded: str | None = None
    recorded_action: MeanInterval | None = None
    gain: MeanInterval | None = None
    better: int = 0
    equal: int = 0
    worse: int = 0


class WorldPlayer:
    """Plays a deal from an act on, with new processes for each world and action.

    Attributes:
        values: the least deal value that a seat can have, and the most.
    """

    def __init__(
        self, path: Path, at: Question, specs: Mapping[int, BotSpec], sandbox: Sandbox
    ) -> None:
        """Find out what the bot knew at an act of a record.

        Args:
            path: the record.
            at: the act.
            specs: what is started, for each bot of the record.
            sandbox: where.

        Raises:
            RefereeError: the deal is one of two players who are left of three.
        """
        leg, _ = leg_at(path, at)
        self._plan, self._start = leg.plan, leg.deal.start
        if leg.course.pair is not None:
            raise RefereeError("--worlds: not in deals of two who are left of three")
        acts = [action for _, action in leg.deal.table.acts]
        self._at, self._specs, self._sandbox = at, specs, sandbox
        self._game = leg.deal.game
        self.values = (self._game.stakes.worst_value, best_value(self._game))
        self._worlds = Worlds(self._game, self._start.deck, self._start.dealer, acts, at.seat)

    async def play(self, actions: Sequence[str], count: int, done: Done) -> list[list[int]]:
        """Play each action in each world; return the deal values of the bot, by action.

        Raises:
            RefereeError: a bot goes wrong, or no deck agrees.
        """
        values = [[0] * count for _ in actions]
        limit, played = trio.CapacityLimiter(os.cpu_count() or 1), 0

        async def one(number: int, world: World) -> None:
            nonlocal played
            for row, action in zip(values, actions, strict=True):
                row[number] = await self._play(world, action)
            played += 1
            done(played)
            limit.release_on_behalf_of(number)

        try:
            async with trio.open_nursery() as nursery:
                for number, world in enumerate(self._drawn(count)):
                    await limit.acquire_on_behalf_of(number)
                    nursery.start_soon(one, number, world)
        except ExceptionGroup as error:
            raise innermost(error) from error
        return values

    def _drawn(self, count: int) -> Iterator[World]:
        try:
            yield from islice(self._worlds.draw(self._start.key), count)
        except NoWorld as error:
            raise RefereeError(f"--worlds: {error}") from error

    async def _play(self, world: World, action: str) -> int:
        """Play one deal; return its value to the bot."""
        start = replace(self._start, deck=world.deck)
        try:
            deal = await untimed_deal(
                self._plan, start, self._specs, self._sandbox, (*world.acts, action)
            )
        except RefereeError as error:
            raise RefereeError(f"--worlds: {error}") from error
        return deal.by_seat[self._at.seat]


def compared(
    actions: Sequence[str], values: Sequence[Sequence[int]], bounds: tuple[int, int]
) -> WorldsPlayed:
    """Return what deals brought on average.

    Args:
        actions: one, or two of which the second is the recorded one.
        values: of the deals, by action; those at the same index are of the same deck.
        bounds: the least that a deal can bring, and the most.
    """
    first, count = values[0], len(values[0])
    least, most = bounds
    mine = mean_interval(first, least, most)
    if len(values) == 1:
        return WorldsPlayed(count, mine)
    gains = [value - other for value, other in zip(first, values[1], strict=True)]
    return WorldsPlayed(
        count=count,
        action=mine,
        recorded=actions[1],
        recorded_action=mean_interval(values[1], least, most),
        gain=mean_interval(gains, least - most, most - least),
        better=sum(gain > 0 for gain in gains),
        equal=sum(gain == 0 for gain in gains),
        worse=sum(gain < 0 for gain in gains),
    )

"""As many tasks as matches can be played at a time, and one that waits, so that no worker does."""

from collections.abc import Awaitable, Callable

import trio

from referee.workers.jobs import GrowingPlayers, Players


async def crew(players: Players, work: Callable[[], Awaitable[None]]) -> None:
    """Run tasks until all of them have ended.

    Args:
        players: says how many; where machines may join, there are more tasks then.
        work: has one match after the other played, and returns when none is left.
    """
    begun = ended = 0
    growing = trio.CancelScope()

    async def one() -> None:
        nonlocal ended
        await work()
        ended += 1
        if ended == begun:
            growing.cancel()

    async with trio.open_nursery() as nursery:
        with growing:
            while True:
                while begun < players.size + 1:
                    begun += 1
                    nursery.start_soon(one)
                if not isinstance(players, GrowingPlayers):
                    break
                await players.more(begun - 1)

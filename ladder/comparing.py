"""Conducts a comparison of two bots: batches of blocks to the workers until it is decided.

The batches follow from the plan alone, and their blocks are looked at in the order of their indexes
one by one, whichever is finished first. So with the same key the same bots get the same answer
after the same block, however many workers there are.
"""

from collections.abc import Callable, Iterator
from typing import Final

import trio
from msgspec.structs import replace

from ladder.comparison import Comparison
from referee.errors import innermost
from referee.workers.jobs import Outcome, Players

_FIRST_BATCH: Final = 10
_LARGEST_BATCH: Final = 500


def batches(blocks: int) -> Iterator[tuple[int, int]]:
    """First block and number of blocks of each batch: small ones first, for quick decisions."""
    first, size = 0, _FIRST_BATCH
    while first < blocks:
        yield first, min(size, blocks - first)
        first += size
        size = min(size * 3 // 2, _LARGEST_BATCH)


async def compare(
    comparison: Comparison, players: Players, watch: Callable[[Outcome], None] = lambda _: None
) -> None:
    """Plays until the comparison ends, or this is cancelled.

    Args:
        comparison: takes in what was played.
        players: play.
        watch: is told of every batch that was taken in.

    Raises:
        HostError: blocks cannot be played here.
        RefereeError: a bot cannot be.
    """
    plan = comparison.plan
    waiting = iter(list(enumerate(batches(plan.blocks))))
    done: dict[int, Outcome] = {}
    news = trio.Event()

    async def work() -> None:
        nonlocal news
        for number, (first, blocks) in waiting:
            done[number] = await players.play(replace(plan.job, first=first, blocks=blocks))
            news.set()
            news = trio.Event()

    try:
        async with trio.open_nursery() as nursery:
            for _ in range(players.size + 1):  # one waits, so that no worker does
                nursery.start_soon(work)
            number = 0
            while comparison.ending is None:
                while number not in done:
                    await news.wait()
                outcome = done.pop(number)
                comparison.add(outcome)
                watch(outcome)
                number += 1
            nursery.cancel_scope.cancel()
    except ExceptionGroup as error:
        raise innermost(error) from error

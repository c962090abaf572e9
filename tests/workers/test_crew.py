"""As many tasks as matches can be played at a time, and one more; more, where machines join."""

import pytest
import trio
import trio.testing

from referee.workers.crew import crew
from referee.workers.jobs import Job, JobResult


class Some:
    """So many matches at a time."""

    def __init__(self, size: int) -> None:
        self.size = size

    async def play(self, job: Job) -> JobResult:
        raise NotImplementedError


class Growing(Some):
    """Likewise; there may be more later."""

    def __init__(self, size: int) -> None:
        super().__init__(size)
        self._grown = trio.Event()

    def grow(self, size: int) -> None:
        self.size = size
        self._grown.set()
        self._grown = trio.Event()

    async def more(self, size: int) -> None:
        while self.size <= size:
            await self._grown.wait()


@pytest.mark.parametrize("kind", [Some, Growing])
async def test_there_is_one_task_more_than_matches(
    kind: type[Some], autojump_clock: trio.testing.MockClock
) -> None:
    """All have ended when it returns; time is theirs."""
    left, at_once, most = list(range(20)), 0, 0

    async def work() -> None:
        nonlocal at_once, most
        at_once += 1
        most = max(most, at_once)
        while left:
            left.pop()
            await trio.sleep(10)
        at_once -= 1

    await crew(kind(3), work)
    assert (most, at_once, left) == (4, 0, [])
    assert trio.current_time() == 50


async def test_machines_that_join_have_tasks_of_their_own(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Those of machines that go are there when others come."""
    players, begun = Growing(1), list[float]()

    async def work() -> None:
        begun.append(trio.current_time())
        await trio.sleep(100)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(crew, players, work)
        for at, size in ((10, 4), (20, 2), (30, 5)):
            await trio.sleep_until(at)
            players.grow(size)
    assert [round(at) for at in begun] == [0, 0, 10, 10, 10, 30]


async def test_an_error_of_a_task_ends_all(autojump_clock: trio.testing.MockClock) -> None:
    first = True

    async def work() -> None:
        nonlocal first
        if first:
            first = False
            raise ValueError
        await trio.sleep_forever()

    with pytest.RaisesGroup(ValueError):
        await crew(Growing(2), work)

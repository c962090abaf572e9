"""The store as tasks see it: nothing is lost while the database is away."""

import threading
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import trio
from trio.testing import MockClock

from ladder.core.candidates import Situation
from ladder.core.facts import LadderJob, Match
from ladder.runner.patient_store import PATIENCE_S, Desk
from ladder.store.database import DatabaseGone
from ladder.store.jobs import Settled
from ladder.store.store import Store
from referee.errors import HostError, RefereeError
from support.ladders import LEASE_MS, filled, invented, job, made
from support.postgres import Mode, Postgres


class Heard:
    """Remembers what it is told."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.away = trio.Event()

    def say(self, line: str) -> None:
        assert threading.current_thread() is threading.main_thread()
        self.lines.append(line)
        if line.endswith("waiting for it"):
            self.away.set()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", bots=("first", "random", "greedy")) as found:
        yield found


def desk_of(store: Store, heard: Heard) -> Desk:
    return Desk(store, lambda _: True, heard)


def failing(
    monkeypatch: pytest.MonkeyPatch, store: object, method: str, errors: list[Exception]
) -> list[float]:
    """Makes a method of a store fail so often, before it works; returns the times of its calls."""
    works: Callable[..., Any] = getattr(store, method)
    times: list[float] = []
    clock: Callable[[], float] = lambda: trio.from_thread.run_sync(trio.current_time)  # noqa: E731  # a field with a type

    def call(*words: Any, **named: Any) -> Any:
        times.append(clock())
        if errors:
            raise errors.pop(0)
        return works(*words, **named)

    monkeypatch.setattr(store, method, call)
    return times


async def test_it_waits_until_the_database_is_back(
    store: Store, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """Who asks gets an answer in the end; people hear once that it is away and once that it is
    back; it is asked less and less often, but every five seconds at least."""
    heard = Heard()
    times = failing(monkeypatch, store, "situation", [DatabaseGone("x is away")] * 12)
    found = await desk_of(store, heard).situation()

    assert found.roster.entrants
    assert heard.lines == ["x is away; waiting for it", "the database answers again"]
    waits = [round(after - before, 3) for before, after in pairwise(times)]
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5, 5, 5, 5, 5]


async def test_its_patience_ends(
    store: Store, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """After ten minutes one line says so, and for how long it was away."""
    times = failing(monkeypatch, store, "situation", [DatabaseGone("x is away")] * 10_000)
    with pytest.raises(HostError, match=r"^x is away; it was away for 600 s$") as caught:
        await desk_of(store, Heard()).situation()
    assert not isinstance(caught.value, DatabaseGone)
    assert PATIENCE_S <= times[-1] - times[0] <= PATIENCE_S + 6


@pytest.mark.parametrize("error", [HostError("full"), RefereeError("damaged")])
async def test_what_does_not_pass_is_not_waited_for(
    store: Store, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    """A full disk and a damaged database are told at once."""
    failing(monkeypatch, store.records, "has", [error])
    with pytest.raises(type(error), match=str(error)):
        await desk_of(store, Heard()).has_record("0" * 64)


async def test_questions_are_put_one_by_one(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many tasks ask, the store answers one of them at a time, and all of them."""
    filled(store, 2)
    works = store.records.has
    inside: list[int] = []
    most = [0]

    def slow(record: str) -> bool:
        inside.append(1)
        most[0] = max(most[0], len(inside))
        found = works(record)
        inside.pop()
        return found

    monkeypatch.setattr(store.records, "has", slow)
    desk, answers = desk_of(store, Heard()), list[bool]()

    async def ask() -> None:
        answers.append(await desk.has_record("0" * 64))

    async with trio.open_nursery() as nursery:
        for _ in range(20):
            nursery.start_soon(ask)
    assert (most, answers) == ([1], [False] * 20)


async def test_a_result_whose_fate_is_unknown_counts_once(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connection is lost after the commit: it is asked again, and nothing counts twice."""
    desk = desk_of(store, Heard())
    held = await desk.take("me", LEASE_MS, lambda _: job(store, (1, 2)), ())
    assert held is not None
    match = invented(store, held.job)
    works, calls = store.settle, [0]

    def lost(*words: Any) -> Any:
        found = works(*words)
        calls[0] += 1
        if calls[0] == 1:
            raise DatabaseGone("lost")
        return found

    monkeypatch.setattr(store, "settle", lost)
    assert await desk.settle(match) == (Settled.DUPLICATE, [])
    assert await desk.has_record(match.record)
    assert store.counts().matches == 1


async def test_who_is_cancelled_does_not_wait(
    store: Store, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    """While the database is away, a runner can be stopped."""
    failing(monkeypatch, store, "situation", [DatabaseGone("x is away")] * 10_000)
    with trio.move_on_after(60) as scope:
        await desk_of(store, Heard()).situation()
    assert scope.cancelled_caught
    assert trio.current_time() == pytest.approx(60, abs=0.5)


async def test_leases_are_given_back_once(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who leaves does not wait for a database that is away: leases end by themselves."""
    desk = desk_of(store, Heard())
    held = await desk.take("me", LEASE_MS, lambda _: job(store, (1, 2)), ())
    assert held is not None
    failing(monkeypatch, store, "give_back", [DatabaseGone("x is away")])
    with pytest.raises(DatabaseGone):
        await desk.leave([held.token])
    await desk.leave([held.token])
    await desk.leave([])
    assert store.take("other", LEASE_MS, lambda _: True, lambda _: None) is not None


@pytest.mark.slow
@pytest.mark.thorough
async def test_postgresql_goes_and_comes_back(
    postgres: Postgres, database: str, tmp_path: Path
) -> None:
    """Questions that are put while the server is down are answered when it is up again."""
    with made(f"{database}?files={tmp_path}", bots=("first", "random")) as store:
        for number, mode in enumerate(Mode):
            heard, answers = Heard(), list[Settled]()
            desk = desk_of(store, heard)
            wanted = job(store, (1, 2), number)
            await desk.take("me", LEASE_MS, partial(_same, wanted), ())
            match = invented(store, wanted)
            await trio.to_thread.run_sync(postgres.stop, mode)

            async def settle(desk: Desk, match: Match, answers: list[Settled]) -> None:
                answers.append((await desk.settle(match))[0])

            async with trio.open_nursery() as nursery:
                nursery.start_soon(settle, desk, match, answers)
                await heard.away.wait()
                await trio.to_thread.run_sync(postgres.start)
            assert answers == [Settled.COUNTED]
            assert [line.partition(";")[2] for line in heard.lines] == [" waiting for it", ""]
        assert store.counts().matches == 2


def _same(wanted: LadderJob, _: Situation) -> LadderJob:
    return wanted

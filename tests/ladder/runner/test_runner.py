"""A ladder that runs: what is played, what is counted, and what goes wrong. The player is a toy."""

import os
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest
import trio
import trio.lowlevel
from msgspec.structs import replace

from ladder.core.facts import Decision, Deed, Keep, Match, Pool, Retention, Submission
from ladder.core.roster import Roster
from ladder.files import record_store
from ladder.files.disk_limits import DiskLimits, write_limits
from ladder.game_files.pool_file import pools_of
from ladder.runner.patient_store import Desk
from ladder.runner.runner import LadderRunner, Span, lives, owner
from ladder.store.database import DatabaseGone
from ladder.store.jobs import MOST_TRIES, Settled
from ladder.store.store import Store
from ladder.submissions.bot_toml import toml_of
from ladder.submissions.frozen_bots import BOTS, freeze, keep, scratch
from referee.bots.settings import Bounds, Settings
from referee.errors import HostError, RefereeError, innermost
from referee.match.lines import LegLine
from referee.match.outcome import MatchOutcome
from referee.match.verdict import ATTEMPTS, Verdict
from referee.record.reader import RecordReader
from referee.sandbox import Sandbox, janitor
from referee.sandbox.bare import Bare
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from referee.workers.jobs import BrokenOff, Job, JobResult, Unready
from referee.workers.player import Player as Worker
from support.disks import small_disk
from support.events import outcome
from support.ladders import (
    LEASE_MS,
    hash_of,
    invented,
    job,
    lease,
    made,
    submit,
    trusted,
    usual_pools,
)
from support.postgres import Mode, Postgres
from support.sandboxes import need, python_bot
from support.terms import job_of

BOTS_HERE = ("first", "random", "greedy")

Twist = Callable[[Job, MatchOutcome], MatchOutcome]


class Toy:
    """Brings results that follow from the job, with a record that proves nothing.

    Attributes:
        jobs: what was asked for.
        gate: nothing is brought before it is open.
    """

    def __init__(
        self, size: int = 2, twist: Twist = lambda _, played: played, bug: str = ""
    ) -> None:
        self._bug = bug
        self.size = size
        self.jobs: list[Job] = []
        self.gate = trio.Event()
        self.gate.set()
        self.begun = trio.Event()
        self._twist = twist

    async def play(self, job: Job) -> JobResult:
        self.jobs.append(job)
        self.begun.set()
        await trio.lowlevel.checkpoint()
        await self.gate.wait()
        assert job.record is not None
        _write(job.record, job.key.encode())
        (pool,) = pools_of([job.terms.game]).pools
        played = outcome(job)
        blocks = tuple(replace(block, deals=pool.seatings) for block in played.blocks)
        return JobResult(self._twist(job, replace(played, blocks=blocks)), self._bug)


def _write(path: str, data: bytes) -> None:
    """Writes a record, and says what a worker would if it cannot."""
    try:
        Path(path).write_bytes(data)
    except OSError as error:
        raise HostError(f"record {path!r}: {error.strerror}") from error


class Patient(Toy):
    """Matches of a bot that is called late never come to an end."""

    async def play(self, job: Job) -> JobResult:
        if "late" in job.names:
            await trio.sleep_forever()
        return await super().play(job)


class Seen:
    """A `RunnerListener` that remembers; it is spoken to in the main thread only."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.names: list[tuple[str, ...]] = []
        self.out: list[Decision] = []
        self.lines: list[str] = []
        self.bugs: list[str] = []
        self.told = trio.Event()

    def counted(self, match: Match, pool: Pool, names: Sequence[str]) -> None:
        _in_main_thread()
        assert (pool.pool, len(set(names))) == (match.job.pool, len(match.job.entrants))
        self.matches.append(match)
        self.names.append(tuple(names))

    def benched(self, decision: Decision, pool: Pool, entrant: Submission) -> None:
        _in_main_thread()
        assert (decision.pool, decision.entrant) == (pool.pool, entrant.entrant)
        self.out.append(decision)

    def say(self, line: str) -> None:
        _in_main_thread()
        self.lines.append(line)
        self.told.set()

    def bug(self, trace: str) -> None:
        self.bugs.append(trace)


def _in_main_thread() -> None:
    assert threading.current_thread() is threading.main_thread()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder of three bots; a match is two blocks."""
    with made(tmp_path / "ladder", bots=BOTS_HERE) as found:
        yield found


def everybody_lives(_: str) -> bool:
    return True


def runner(
    store: Store,
    toy: Toy,
    seen: Seen | None = None,
    *,
    blocks: int | None = None,
    once: bool = False,
    is_alive: Callable[[str], bool] = everybody_lives,
) -> LadderRunner:
    seen = seen or Seen()
    return LadderRunner(Desk(store, is_alive, seen), toy, store.files, seen, Span(blocks, once))


async def failure(running: LadderRunner) -> Exception:
    """What a runner ends with, as the command line tells it."""
    with pytest.raises(Exception) as caught:  # noqa: PT011  # it is looked at by those who ask
        await running.run()
    found = innermost(caught.value)
    assert isinstance(found, Exception)
    assert "\n" not in str(found)
    return found


def retire(store: Store, *entrants: int) -> None:
    """Some bots play no more."""
    store.add(
        lambda _, at: [
            Decision(deed=Deed.RETIRED, entrant=one, reason="x", at_ms=at) for one in entrants
        ]
    )


def leases(store: Store) -> int:
    return store.counts().open


def left_over(store: Store) -> list[str]:
    """What is among the records that is no record."""
    records = store.files / record_store.RECORDS
    return sorted(path.name for path in records.iterdir() if not path.is_dir())


def assert_whole(store: Store) -> list[Match]:
    """Each job once, its record there, ratings as they follow from it; all matches."""
    with store.facts() as reader:
        found = list(reader.matches())
    names = [match.job.name for match in found]
    assert len(names) == len(set(names))
    for match in found:
        if match.record:
            assert record_store.check(store.files, match.record, match.size) is None
    before, after = store.rebuild()
    assert before == after
    return found


@contextmanager
def fails(
    monkeypatch: pytest.MonkeyPatch, store: Store, method: str, times: int, error: Exception
) -> Iterator[None]:
    """A method of the store raises so often, before it works."""
    works, left = getattr(store, method), [times]

    def call(*words: object, **named: object) -> object:
        if left[0]:
            left[0] -= 1
            raise error
        return works(*words, **named)

    with monkeypatch.context() as patched:
        patched.setattr(store, method, call)
        yield
    assert left == [0]


async def test_a_runner_clears_frozen_bots_at_its_start_and_when_others_come_to_play(
    store: Store,
) -> None:
    """Those that play no more, as far as there is no room; what plays, plays on."""
    write_limits(store.files, DiskLimits(old_bots=0))
    submit(store, "first", "author-of-first", "illegal")

    def counts() -> int:
        return len(os.listdir(store.files / BOTS))

    seen = Seen()
    before: list[int] = []

    def twist(_: Job, played: MatchOutcome) -> MatchOutcome:
        before.append(counts())
        if len(before) == 2:
            submit(store, "random", "author-of-random", "late")
        return played

    assert counts() == 4
    await runner(store, Toy(size=1, twist=twist), seen, blocks=12).run()
    assert before[:2] == [3, 3]
    playing = {one.hash for one in store.refresh().playing(1)}
    assert set(os.listdir(store.files / BOTS)) == playing
    assert seen.lines == []


async def test_a_version_whose_match_was_under_way_is_cleared_after_it(store: Store) -> None:
    """When it was replaced, its files were needed; no other bot comes to play afterwards."""
    write_limits(store.files, DiskLimits(old_bots=0))
    held = lease(store, job(store, (1, 2), 99), "another")
    old = store.roster.entrants[2].hash
    submit(store, "random", "author-of-random", "late")
    there: list[bool] = []

    def twist(_: Job, played: MatchOutcome) -> MatchOutcome:
        there.append(old in os.listdir(store.files / BOTS))
        if len(there) == 2:
            store.give_back([held.token])
        return played

    await runner(store, Toy(size=1, twist=twist), Seen(), blocks=12).run()
    assert there[:2] == [True, True]
    assert old not in os.listdir(store.files / BOTS)


class TestSpan:
    """How long it goes on."""

    @pytest.mark.parametrize("blocks", [1, 2, 5, 12])
    async def test_so_many_blocks(self, store: Store, blocks: int) -> None:
        """Exactly so many are played, though a match has two; nothing is left open."""
        seen = Seen()
        await runner(store, Toy(), seen, blocks=blocks).run()
        assert sum(len(match.outcome.blocks) for match in seen.matches) == blocks
        assert sum(len(match.outcome.blocks) for match in assert_whole(store)) == blocks
        assert (leases(store), left_over(store)) == (0, [])

    async def test_once(self, store: Store) -> None:
        """Every bot could have had a match; another time, another one."""
        for times in (1, 2):
            await runner(store, Toy(), once=True).run()
            assert store.counts().matches == 2 * times

    async def test_until_it_is_stopped(self, store: Store) -> None:
        """It plays on and on; stopped, it gives back what it plays, and nothing is lost."""
        toy = Toy(size=3)
        running = runner(store, toy)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(running.run)
            await toy.begun.wait()
            while len(toy.jobs) < 20:  # the toy is fast
                await trio.lowlevel.checkpoint()
            toy.gate = trio.Event()
            nursery.cancel_scope.cancel()
        found = assert_whole(store)
        assert found
        assert left_over(store) == []
        held = store.take("other", LEASE_MS, everybody_lives, lambda _: None)
        assert (held is None) == (leases(store) == 0)
        assert held is None or held.attempts == 1

    async def test_no_two_bots_of_a_match_are_called_alike(self, store: Store) -> None:
        """Namesakes are told with their authors, as in tables."""
        submit(store, "first", "other")
        store.give_back([lease(store, job(store, (1, 4)), "other").token])  # it is played first
        seen = Seen()
        await runner(store, Toy(), seen, blocks=20).run()
        labels = {1: "first (author-of-first)", 2: "random", 3: "greedy", 4: "first (other)"}
        assert seen.names == [
            tuple(labels[entrant] for entrant in match.job.entrants) for match in seen.matches
        ]
        assert any("first (other)" in names for names in seen.names)

    async def test_nothing_to_play_says_why(self, store: Store) -> None:
        """With too few bots a run that has an end, ends; one that has none waits for more."""
        retire(store, 1, 2)
        seen = Seen()
        await runner(store, Toy(), seen, blocks=4).run()
        await runner(store, Toy(), once=True).run()
        assert seen.lines == ["briscola-2: a table has 2 places, and 1 bot plays"]

    async def test_it_waits_for_bots(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """As soon as somebody submits another bot, it goes on; why it waited is said once."""
        monkeypatch.setattr("ladder.runner.runner.IDLE_S", 0.001)
        retire(store, 1, 2)
        toy, seen = Toy(), Seen()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner(store, toy, seen).run)
            await seen.told.wait()
            with Store(store.where) as other:
                submit(other, "random", "somebody-else")
            await toy.begun.wait()
            nursery.cancel_scope.cancel()
        assert len(seen.lines) == 1

    async def test_games_that_lag_are_played(self, tmp_path: Path) -> None:
        """All pools get their matches, with as many bots as their tables have places."""
        pools = usual_pools("briscola-2", "briscola-3", "sueca", blocks=1)
        with made(tmp_path, pools, BOTS_HERE) as store:
            await runner(store, Toy(), blocks=30).run()
            played = [(match.job.pool, len(match.job.entrants)) for match in assert_whole(store)]
            assert {one: played.count(one) > 5 for one in set(played)} == {
                (1, 2): True,
                (2, 3): True,
                (3, 2): True,
            }

    async def test_no_deck_is_dealt_again(self, store: Store) -> None:
        """Each match has a key of its own, of 128 bits."""
        toy = Toy()
        await runner(store, toy, blocks=40).run()
        keys = [job.key for job in toy.jobs]
        assert len(set(keys)) == len(keys) == 20
        assert all(len(bytes.fromhex(key)) == 16 for key in keys)


class TestRecords:
    """A ladder whose policy lets records go."""

    @pytest.mark.parametrize("keep", [Keep.LAST, Keep.FACTS])
    async def test_records_go_match_by_match(self, store: Store, keep: Keep) -> None:
        """At no time are there many more than have to stay; all facts are there."""
        stay = 2 if keep is Keep.LAST else 0
        store.add(lambda _, at: [Retention(keep=keep, last=stay, at_ms=at)])
        most = 0

        def look(_: Job, played: MatchOutcome) -> MatchOutcome:
            nonlocal most
            most = max(
                most,
                len(list((store.files / record_store.RECORDS).glob(f"??/*{record_store.ENDING}"))),
            )
            return played

        await runner(store, Toy(size=1, twist=look), blocks=12).run()

        records = (store.files / record_store.RECORDS).glob(f"??/*{record_store.ENDING}")
        assert len(list(records)) == stay
        assert most <= stay + 2  # with a match that was kept, and is not counted yet
        assert store.counts().matches == 6
        assert len(store.records.every()) == 6

    async def test_a_disk_that_lets_no_record_go_ends_it_in_a_line(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was played is counted, once; its record goes when it can."""
        store.add(lambda _, at: [Retention(keep=Keep.FACTS, at_ms=at)])

        def remove(_: Path, __: list[str]) -> int:
            raise HostError("record 'x': Read-only file system")

        with monkeypatch.context() as patched:
            patched.setattr(record_store, "remove", remove)
            found = await failure(runner(store, Toy(size=1), blocks=4))

        assert str(found) == "record 'x': Read-only file system"
        assert len(assert_whole(store)) > 0
        await runner(store, Toy(size=1), blocks=2).run()
        assert list((store.files / record_store.RECORDS).glob(f"??/*{record_store.ENDING}")) == []


class TestSeveral:
    """Runners side by side, and those that are gone."""

    async def test_two_runners(self, store: Store) -> None:
        """They share the matches; each counts once, and each tells of its own."""
        with Store(store.where) as other:
            seen = (Seen(), Seen())
            async with trio.open_nursery() as nursery:
                nursery.start_soon(runner(store, Toy(), seen[0], blocks=20).run)
                nursery.start_soon(runner(other, Toy(), seen[1], blocks=20).run)
        assert [len(one.matches) for one in seen] == [10, 10]
        assert len(assert_whole(store)) == 20
        assert (leases(store), left_over(store)) == (0, [])

    async def test_a_bot_that_takes_for_ever_holds_one_worker(self, tmp_path: Path) -> None:
        """The others go on: two workers came to wait for it within seconds, in most ladders."""
        names = ("late", "first", "random", "greedy", "illegal")
        for number in range(2):
            seen = Seen()
            with made(tmp_path / str(number), bots=names) as store:
                with trio.move_on_after(20):
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(runner(store, Patient(), seen).run)
                        while len(seen.matches) < 40:
                            await trio.lowlevel.checkpoint()
                        nursery.cancel_scope.cancel()
                assert len(seen.matches) >= 40
                assert {names for names in seen.names if "late" in names} == set()

    async def test_a_stalled_runner(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """One that is not heard of loses its job; its late result is a duplicate, and goes."""
        toy, seen = Toy(size=1), Seen()
        toy.gate = trio.Event()
        monkeypatch.setattr("ladder.runner.runner.LEASE_MS", 0)
        with Store(store.where) as other:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(runner(store, toy, seen, blocks=2).run)
                await toy.begun.wait()
                found = other.take("other", LEASE_MS, everybody_lives, lambda _: None)
                assert found is not None
                assert found.attempts == 2
                assert other.settle(invented(other, found.job))[0] is Settled.COUNTED
                toy.gate.set()
        assert seen.matches == []
        (match,) = assert_whole(store)
        assert match.outcome.sandbox == "invented"
        kept = [path.name for path in (store.files / record_store.RECORDS).glob("*/*")]
        assert kept == [f"{match.record}{record_store.ENDING}"]
        assert left_over(store) == []

    async def test_a_heartbeat(self, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
        """A match that takes longer than a lease lasts stays with the runner that plays it."""
        monkeypatch.setattr("ladder.runner.runner.BEAT_S", 0.001)
        toy, beats = Toy(size=1), trio.Event()
        toy.gate = trio.Event()
        works = store.extend

        def extend(tokens: Sequence[str], lease_ms: int) -> None:
            works(tokens, lease_ms)
            trio.from_thread.run_sync(beats.set)

        monkeypatch.setattr(store, "extend", extend)
        monkeypatch.setattr("ladder.runner.runner.LEASE_MS", 0)
        with Store(store.where) as other:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(runner(store, toy, blocks=2).run)
                await toy.begun.wait()
                monkeypatch.setattr("ladder.runner.runner.LEASE_MS", LEASE_MS)
                beats = trio.Event()
                await beats.wait()
                beats = trio.Event()
                await beats.wait()
                assert other.take("other", LEASE_MS, everybody_lives, lambda _: None) is None
                toy.gate.set()

    async def test_a_dead_runner_s_job_is_played_first(self, store: Store) -> None:
        """It is not played in place of another: the run goes on as long as it was to."""
        held = lease(store, job(store, (1, 2)), "dead")
        toy = Toy(size=1)
        await runner(store, toy, blocks=6, is_alive=lambda who: who != "dead").run()
        assert toy.jobs[0].hashes == held.job.hashes
        assert toy.jobs[0].key != held.job.key  # its decks may have been seen
        assert leases(store) == 0
        assert sum(len(match.outcome.blocks) for match in assert_whole(store)) == 6

    async def test_a_dead_runner_s_job_is_played_whole(self, store: Store) -> None:
        """Its length is part of its name, so a run that was to be shorter ends with it."""
        lease(store, job(store, (1, 2)), "dead")
        await runner(store, Toy(size=1), blocks=1, is_alive=lambda who: who != "dead").run()
        assert [len(match.outcome.blocks) for match in assert_whole(store)] == [2]

    async def test_no_deck_is_dealt_again_when_a_worker_dies(self, store: Store) -> None:
        """People may have seen them: what is begun again has another key, and counts once."""
        keys: list[str] = []

        def dies_twice(job: Job, played: MatchOutcome) -> MatchOutcome:
            assert job.once
            keys.append(job.key)
            if len(keys) < ATTEMPTS:
                raise BrokenOff("a worker ended")
            return played

        await runner(store, Toy(size=1, twist=dies_twice), blocks=1).run()
        (match,) = assert_whole(store)
        assert len(set(keys)) == ATTEMPTS
        assert match.job.key == keys[-1]
        assert leases(store) == 0

    async def test_a_match_that_ends_every_worker_ends_the_run(self, store: Store) -> None:
        """After as many as a match may end; another runner may try."""

        def dies(job: Job, played: MatchOutcome) -> MatchOutcome:
            raise BrokenOff("a worker ended")

        toy = Toy(size=1, twist=dies)
        found = await failure(runner(store, toy, blocks=1))
        assert isinstance(found, BrokenOff)
        assert len(toy.jobs) == ATTEMPTS
        assert store.counts().matches == 0

    async def test_what_dead_runners_have_left_goes(self, store: Store) -> None:
        """Half-written records of processes that are gone; those of the living stay."""
        records = store.files / record_store.RECORDS
        records.mkdir(exist_ok=True)
        running = janitor.run_of(os.getppid())
        living, dead = f".playing-{running}-00=11", f".playing-{running}0-00=11.part"
        for name in (living, dead, f"{record_store._TEMPORARY}1-11"):
            (records / name).write_text("")
        await runner(store, Toy(), blocks=1, is_alive=partial(lives, local=True)).run()
        assert left_over(store) == [living]

    def test_who_lives(self) -> None:
        """We do; nobody does not; another process of the same number does not; on another
        machine it cannot be known, unless all runners are on this one."""
        us = owner()
        assert us != owner()
        assert lives(us, local=True)
        assert lives(us, local=False)
        assert not lives("", local=False)
        run, _, rest = us.rpartition("-")
        assert not lives(f"{run}0-{rest}", local=False)
        elsewhere = f"{'0' * 8}{us[8:]}"
        assert not lives(elsewhere, local=True)
        assert lives(elsewhere, local=False)


def test_a_process_that_nobody_has_buried_is_dead() -> None:
    """Its runs are swept and its leases are free, though it still has its number."""
    process = subprocess.Popen(["sleep", "60"])
    run = janitor.run_of(process.pid)
    assert janitor.is_alive(run)
    process.kill()
    os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
    assert not janitor.is_alive(run)
    process.wait()


class TestTrouble:
    """What goes wrong."""

    @pytest.fixture
    def small(self, tmp_path: Path) -> Iterator[Path]:
        """A file system of 512 KiB."""
        with small_disk(tmp_path / "small", 512) as folder:
            yield folder

    async def test_the_disk_is_full(self, store: Store, small: Path) -> None:
        """One line ends the run; leases are given back, no file is left, and once there is room
        the same bots play, with other decks."""
        shutil.copytree(store.files / BOTS, small / BOTS)
        (small / record_store.RECORDS).mkdir()
        toy = Toy(size=0, twist=lambda job, played: _fill(small, job, played))  # one at a time
        seen = Seen()
        running = LadderRunner(Desk(store, everybody_lives, seen), toy, small, seen, Span(6))
        found = await failure(running)
        assert isinstance(found, HostError)
        assert "No space left" in str(found)
        assert [path.name for path in (small / record_store.RECORDS).iterdir()] == []
        waiting = store.situation().jobs
        assert waiting
        (small / "fill").unlink()
        again = Toy(size=1)
        await LadderRunner(Desk(store, everybody_lives, seen), again, small, seen, Span(6)).run()
        first = again.jobs[: len(waiting)]
        assert [job.hashes for job in first] == [one.hashes for one in waiting]
        assert {job.key for job in first}.isdisjoint({one.key for one in waiting})
        assert leases(store) == 0

    async def test_records_cannot_be_kept_at_all(self, store: Store) -> None:
        """A file where the folder of records should be: one line, before anything is played."""
        (store.files / record_store.RECORDS).write_text("")
        toy = Toy()
        found = await failure(runner(store, toy, blocks=2))
        assert isinstance(found, HostError)
        assert record_store.RECORDS in str(found)
        assert toy.jobs == []

    async def test_the_database_is_away_for_a_while(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whichever question it does not answer, nothing is lost, and it is said."""
        for method in ("take", "settle"):
            seen = Seen()
            with fails(monkeypatch, store, method, 2, DatabaseGone("x is away")):
                await runner(store, Toy(size=1), seen, blocks=4).run()
            assert len(seen.matches) == 2
            assert seen.lines == ["x is away; waiting for it", "the database answers again"]
        assert len(assert_whole(store)) == 4
        assert leases(store) == 0

    async def test_a_result_whose_fate_is_unknown_keeps_its_record(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The connection is lost after the commit: it counts once, and its record stays."""
        works, lost = store.settle, [True]

        def settle(match: Match) -> tuple[Settled, list[Decision]]:
            found = works(match)
            if lost:
                lost.pop()
                raise DatabaseGone("lost")
            return found

        monkeypatch.setattr(store, "settle", settle)
        await runner(store, Toy(), blocks=2).run()
        assert len(assert_whole(store)) == 1

    async def test_files_of_a_bot_that_were_changed(self, store: Store) -> None:
        """That bot is left out, which is said once for it; the others go on, and the job waits."""
        broken = store.roster.entrants[1].hash
        folder = store.files / BOTS / broken
        folder.chmod(0o755)
        (folder / "more").write_text("")

        def refuses(job: Job, played: MatchOutcome) -> MatchOutcome:
            if any(broken in bot for bot in job.bots):
                raise Unready(
                    f"bot {str(folder)!r} is not what it was", job.bots.index(str(folder))
                )
            return played

        seen = Seen()
        await runner(store, Toy(size=3, twist=refuses), seen, blocks=20).run()
        assert sum(len(match.outcome.blocks) for match in seen.matches) == 20
        assert all(1 not in match.job.entrants for match in assert_whole(store))
        (line,) = set(seen.lines)
        assert "first is left out" in line
        assert str(folder) in line
        assert all(1 in one.entrants for one in store.situation().jobs)

    async def test_a_bot_whose_files_are_gone(self, store: Store) -> None:
        """As after an import without bots: it is said where they should be, and what helps."""
        gone = store.files / BOTS / store.roster.entrants[1].hash
        gone.chmod(0o755)
        shutil.rmtree(gone)
        seen = Seen()
        store.give_back([lease(store, job(store, (1, 2)), "somebody").token])  # it is played first
        desk = Desk(store, everybody_lives, seen)
        await LadderRunner(desk, Trusting(Bare(), Settings()), store.files, seen, Span(2)).run()
        (line,) = seen.lines
        assert line == (
            f"first is left out: its files are not in {str(store.files / BOTS)!r}: they were "
            "removed, or the ladder was imported without its bots; it can be submitted again"
        )

    @pytest.mark.parametrize(
        ("toml", "why"),
        [
            (toml_of("nodejs17 bot.js"), "nodejs17"),
            (toml_of("python3 bot.js", limits={"memory": 1024}), "memory = 1024: at most 512 here"),
            (toml_of("python3 bot.js", image="gone"), "image 'gone' is not among those"),
        ],
    )
    async def test_a_bot_that_cannot_be_prepared_here(
        self, store: Store, toml: str, why: str
    ) -> None:
        """As on a second machine, or under lower limits: it is left out, by its name and with the
        reason, and the others go on."""
        _take_in(store, "odd", "x", toml)
        store.give_back([lease(store, job(store, (1, 4)), "somebody").token])  # it is played first
        seen = Seen()
        worker = Trusting(Bare(), Settings(most=Bounds(memory=512)))
        desk = Desk(store, everybody_lives, seen)
        await LadderRunner(desk, worker, store.files, seen, Span(3)).run()
        found = assert_whole(store)
        assert sum(len(match.outcome.blocks) for match in found) == 3
        assert all(4 not in match.job.entrants for match in found)
        (line,) = seen.lines
        assert line.startswith("odd is left out: ")
        assert why in line
        left = store.situation().jobs
        assert left
        assert all(4 in one.entrants for one in left)

    async def test_a_mistake_that_is_no_bot_s(self, store: Store) -> None:
        """A refusal that has nothing to do with files of bots ends the run with its line."""

        def refuses(_: Job, __: MatchOutcome) -> MatchOutcome:
            raise RefereeError("no such game here")

        found = await failure(runner(store, Toy(twist=refuses), blocks=4))
        assert isinstance(found, RefereeError)
        assert str(found) == "no such game here"

    async def test_a_match_that_ends_every_runner_is_given_up(self, store: Store) -> None:
        """A job over which the player itself fails does not come back for ever."""

        def fails_over_1(job: Job, played: MatchOutcome) -> MatchOutcome:
            if job.names and "first" in job.names and "random" in job.names:
                raise HostError("3 workers ended over it")
            return played

        held = lease(store, job(store, (1, 2)), "dead")
        store.give_back([held.token])
        for _ in range(MOST_TRIES):
            toy = Toy(size=1, twist=fails_over_1)
            found = await failure(runner(store, toy, blocks=2, is_alive=all_others_ended(store)))
            assert str(found) == "3 workers ended over it"
            assert toy.jobs[0].hashes == held.job.hashes
        taken = store.take("x", LEASE_MS, lives_not, lambda _: None)
        (match,) = [one for one in assert_whole(store) if one.job.hashes == held.job.hashes]
        assert (match.outcome.blocks, bool(match.outcome.given_up)) == ((), True)
        assert taken is None

    async def test_a_record_that_is_too_large_is_given_up(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Its bots have filled it: the match counts as given up at once, and the ladder goes on."""
        monkeypatch.setattr(record_store, "LARGEST_RECORD", 10)
        await runner(store, Toy(size=1), blocks=10).run()

        matches = assert_whole(store)
        assert len(matches) > 1
        assert all("more than 10 bytes" in match.outcome.given_up for match in matches)
        assert leases(store) == 0

    async def test_a_host_that_fails(self, store: Store) -> None:
        """Matches given up one after the other with nobody in common end the run; they are to be
        played again."""
        submit(store, "random", "d")
        found = await failure(runner(store, Toy(twist=_given_up), blocks=100))
        assert isinstance(found, HostError)
        assert "in a row were given up: host: the disk is gone" in str(found)
        assert store.counts().matches == 0
        held = store.take("x", LEASE_MS, everybody_lives, lambda _: None)
        assert held is not None
        assert held.attempts == 1

    async def test_a_bot_that_makes_the_host_fail(self, store: Store) -> None:
        """If it is one bot's matches, they count as given up, and the others go on."""

        def twist(job: Job, played: MatchOutcome) -> MatchOutcome:
            return _given_up(job, played) if "random" in job.names else played

        seen = Seen()
        await runner(store, Toy(twist=twist), seen, blocks=30).run()
        for match in assert_whole(store):
            assert bool(match.outcome.given_up) == (2 in match.job.entrants)
        assert any(match.outcome.given_up for match in seen.matches)
        assert leases(store) == 0

    async def test_matches_in_doubt_do_not_keep_it_from_ending(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """If nobody is left to play with, they count, and the run ends."""
        monkeypatch.setattr("ladder.runner.runner.IDLE_S", 0.001)

        def twist(job: Job, played: MatchOutcome) -> MatchOutcome:
            with Store(store.where) as other:
                retire(other, 1, 2)
            return _given_up(job, played)

        with trio.fail_after(20):
            await runner(store, Toy(size=1, twist=twist), blocks=30).run()
        found = assert_whole(store)
        assert found
        assert all(match.outcome.given_up for match in found)
        assert leases(store) == 0

    async def test_a_bug_of_ours_is_told(self, store: Store) -> None:
        """With its trace; the match counts."""
        seen = Seen()
        toy = Toy(bug="trace")
        await runner(store, toy, seen, blocks=2).run()
        assert (seen.bugs, len(seen.matches)) == (["trace"], 1)

    async def test_who_faults_is_benched(self, tmp_path: Path) -> None:
        """It plays no more in that pool, its author can see why, and the others go on."""

        def faulty(job: Job, played: MatchOutcome) -> MatchOutcome:
            at = [int(name == "random") for name in job.names]
            blocks = tuple(replace(block, faults=tuple(at)) for block in played.blocks)
            faults = tuple(len(blocks) * one for one in at)
            return replace(played, blocks=blocks, faults=faults)

        with made(tmp_path, usual_pools(bench=4), BOTS_HERE) as store:
            seen = Seen()
            await runner(store, Toy(size=1, twist=faulty), seen, blocks=40).run()
            (decision,) = seen.out
            assert (decision.entrant, decision.deed) == (2, Deed.BENCHED)
            state = store.refresh().state(2)
            assert (state.playing, state.benched) == (False, {1: decision.reason})
            found = assert_whole(store)
            last = max(at for at, match in enumerate(found) if 2 in match.job.entrants)
            assert last < len(found) - 5


@pytest.mark.slow
@pytest.mark.thorough
async def test_postgresql_restarts_in_mid_run(
    postgres: Postgres, database: str, tmp_path: Path
) -> None:
    """Again and again, at once and in order: the run goes on, and each match counts once."""
    with made(f"{database}?files={tmp_path}", bots=BOTS_HERE) as store:
        toy, seen = Toy(), Seen()
        async with trio.open_nursery() as nursery:
            nursery.start_soon(runner(store, toy, seen, blocks=400).run)
            for turn in range(8):
                while len(toy.jobs) < 20 * (turn + 1):  # noqa: ASYNC110  # the toy is fast
                    await trio.sleep(0.001)
                mode = Mode.FAST if turn % 2 else Mode.IMMEDIATE
                await trio.to_thread.run_sync(postgres.restart, mode)
        assert sum(len(match.outcome.blocks) for match in assert_whole(store)) >= 398
        assert "the database answers again" in seen.lines
        assert left_over(store) == []


@pytest.mark.slow
async def test_seats_are_anonymous(tmp_path: Path) -> None:
    """Nothing that a bot is sent, or finds around it, names the other bot, an author, the match or
    the ladder; nor does it find its own name."""
    need("bwrap")
    with made(tmp_path / "our-ladder", usual_pools(blocks=1), ()) as store:
        for name in ("anna-the-bot", "bruno-the-bot"):
            _spy(store, name)
        seen = Seen()
        async with opened(SandboxName.BWRAP) as sandbox:
            worker = Real(sandbox)
            await LadderRunner(
                Desk(store, everybody_lives, seen), worker, store.files, seen, Span(1)
            ).run()
        (match,) = seen.matches
        assert all(match.outcome.faults)
        found = evidence_of(record_store.path_of(store.files, match.record))
        assert len(found) == 2
        hidden = ["anna-the", "bruno-the", "author-of", "our-ladder", str(tmp_path)]
        hidden += [store.opened.ladder, match.job.name, match.job.key]
        for place, told in found.items():
            assert '"type":"act"' in told
            assert "PATH" in told
            others = [*match.job.hashes[:place], *match.job.hashes[place + 1 :]]
            assert [one for one in (*hidden, *others) if one in told] == []


@pytest.mark.slow
@pytest.mark.thorough
async def test_whatever_a_bot_writes_can_be_stored(tmp_path: Path) -> None:
    """A fault is told in characters that every database takes and no terminal acts upon."""
    for number, said in enumerate(("\\0\\33[2J", "\\355\\240\\275", "\\342\\200\\256")):
        text = "import os\nwhile True:\n    os.read(0, 9999)\n"
        bot = python_bot(tmp_path / f"bot{number}", f"{text}    os.write(1, b'{said}\\n')\n")
        result = await Worker(Bare(), Settings()).play(
            job_of(game="briscola-2", bots=(bot, "sample:first"), key="k", first=0, blocks=1)
        )
        assert result.outcome.fault_list
        for one in result.outcome.fault_list:
            assert one.detail.isprintable()
            assert one.detail.encode()


class Real:
    """Plays one match after the other in this process, in a sandbox."""

    size = 1

    def __init__(self, sandbox: Sandbox, settings: Settings | None = None) -> None:
        self._worker = Worker(sandbox, settings or Settings())
        self._one = trio.Lock()

    async def play(self, job: Job) -> JobResult:
        async with self._one:
            return await self._worker.play(job)


class Trusting(Real):
    """As if all bots were our own."""

    async def play(self, job: Job) -> JobResult:
        async with self._one:  # around the patch: of two at once, the first to end would undo both
            with trusted():
                return await self._worker.play(replace(job, submitted=False))


SPY = """
import json, os, sys
seen = [str(dict(os.environ)), os.getcwd(), str(os.uname())]
for path in ("self/cmdline", "1/cmdline", "1/environ", "self/cgroup", "self/mountinfo"):
    try:
        seen.append(path + open("/proc/" + path).read())
    except OSError as error:
        seen.append(str(error))
for place in os.walk("."):
    seen.append(str(place))
acts = 0
for line in sys.stdin:
    seen.append(line)
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "x"}), flush=True)
    if message["type"] == "act":
        acts += 1
        if acts == 4:
            print("\\n".join(seen), file=sys.stderr, flush=True)
            print("no more", flush=True)
        else:
            action = message["legal"][0]
            print(json.dumps({"id": message["id"], "action": action}), flush=True)
"""


def _spy(store: Store, name: str) -> None:
    """Takes in a bot that is faulted at its fourth act, and has written all that it saw by then."""
    text = f"# {len(store.roster.entrants)}\n{SPY}"
    _take_in(store, name, text, toml_of("python3 -I bot.js"))


def _take_in(store: Store, name: str, text: str, toml: str) -> None:
    """Takes in a bot of one file, `bot.js`, without a trial."""
    with scratch(store.files / BOTS) as built, scratch(store.files / BOTS) as folder:
        (built / "bot.js").write_text(text)
        freeze(built, toml, folder, name)
        digest = keep(folder, hash_of(folder)).name

    def make(roster: Roster, at_ms: int) -> list[Submission]:
        entrant = len(roster.entrants) + 1
        return [
            Submission(
                entrant=entrant,
                bot=entrant,
                name=name,
                author=f"author-of-{name}",
                version=1,
                hash=digest,
                source="",
                at_ms=at_ms,
            )
        ]

    store.add(make)


def evidence_of(record: Path) -> dict[int, str]:
    """What bots have written to stderr, by bot, as the evidence of their faults has it."""
    found: dict[int, str] = {}
    seats: tuple[int, ...] = ()
    with RecordReader(record) as lines:
        for line in lines:
            if isinstance(line, LegLine):
                seats = line.seats
            if isinstance(line, Verdict):
                said = line.evidence.stderr_head + line.evidence.stderr_tail
                found[seats[line.place]] = found.get(seats[line.place], "") + said
    return found


def lives_not(_: str) -> bool:
    return False


def all_others_ended(store: Store) -> Callable[[str], bool]:
    """Whether a runner lives, for the next one: those that hold a job by now do not.

    With `lives_not`, one of its own tasks would take a job from the other.
    """
    ended = {one.owner for one in store.waiting_jobs()}
    return lambda owner: owner not in ended


def _fill(folder: Path, job: Job, played: MatchOutcome) -> MatchOutcome:
    """Leaves no room on a disk; the record that is there is long."""
    assert job.record is not None
    _write(job.record, os.urandom(100_000))
    with (folder / "fill").open("wb", 0) as file, pytest.raises(OSError, match="No space left"):
        _write_on(file.write)
    return played


def _write_on(write: Callable[[bytes], int | None]) -> None:
    while write(bytes(4096)):
        pass


def _given_up(job: Job, played: MatchOutcome) -> MatchOutcome:
    return replace(played, blocks=(), given_up="host: the disk is gone", acts=0)

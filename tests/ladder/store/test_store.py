"""What a ladder's store promises, on SQLite and on PostgreSQL alike."""

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import Connection, func, select, update

from ladder.core.candidates import Situation
from ladder.core.facts import (
    FIRST_HASH,
    Decision,
    Deed,
    Fact,
    LadderJob,
    Match,
    Submission,
    chained,
    digest_of,
)
from ladder.core.roster import Roster
from ladder.core.tokens import Scope
from ladder.store import jobs, ratings
from ladder.store.bulk_import import import_facts
from ladder.store.database import Database
from ladder.store.index_rows import IndexDigest
from ladder.store.jobs import MOST_TRIES, Lease, Settled
from ladder.store.location import Where, where_of
from ladder.store.store import Store
from ladder.store.tables import INDEXES, JobRow, MatchRow, StepRow, table_of
from referee.errors import RefereeError
from referee.match.outcome import FaultFound
from referee.match.verdict import FaultCode
from support.ladders import LEASE_MS, count, filled, invented, job, lease, made, submit, usual_pools
from support.pools import brought

BOTS = ("first", "random", "greedy")

both = pytest.mark.parametrize(
    "where",
    [
        "sqlite",
        pytest.param("postgresql", marks=[pytest.mark.slow, pytest.mark.thorough]),
    ],
    indirect=True,
)


@pytest.fixture
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What `--ladder` would say of an empty place."""
    if request.param == "sqlite":
        return str(tmp_path / "ladder")
    return f"{request.getfixturevalue('database')}?files={tmp_path / 'files'}"


@pytest.fixture
def store(where: str) -> Iterator[Store]:
    """A ladder of three bots."""
    with made(where, bots=BOTS) as found:
        yield found


def again(store: Store) -> Store:
    """The same ladder, as another process opens it."""
    return Store(store.where)


def nothing(_: Situation) -> None:
    """A plan that finds no table."""


def everybody_lives(_: str) -> bool:
    return True


def taken(
    store: Store,
    plan: Callable[[Situation], LadderJob | None] = nothing,
    *,
    owner: str = "other",
    lease_ms: int = LEASE_MS,
    is_alive: Callable[[str], bool] = everybody_lives,
    avoid: tuple[int, ...] = (),
) -> Lease | None:
    return store.take(owner, lease_ms, is_alive, plan, avoid)


def expired(store: Store, wanted: LadderJob) -> Lease:
    """A lease that is over as soon as it begins, as that of a runner that stands still."""
    found = taken(store, lambda _: wanted, lease_ms=0)
    assert found is not None
    return found


def state(store: Store) -> tuple[Any, ...]:
    """All that a ladder holds: facts with their hashes, what follows from them, what is open."""
    with store.facts() as reader:
        facts = list(reader.facts())
        leases = select(JobRow.__table__).order_by(JobRow.job)
        played = tuple(map(tuple, reader._connection.execute(leases).all()))
        return facts, IndexDigest.of_tables(reader._connection), played


def matches(store: Store) -> list[Match]:
    with store.facts() as reader:
        return list(reader.matches())


def assert_chained(store: Store) -> None:
    """Each fact has its own digest, and hangs on the one before."""
    before = FIRST_HASH
    with store.facts() as reader:
        for number, (link, fact) in enumerate(reader.facts(), 1):
            assert (link.seq, link.digest) == (number, digest_of(fact))
            before = chained(before, link.digest)
            assert link.hash == before
        assert reader.head.hash == before


@both
class TestLeases:
    """Who plays what."""

    def test_a_job_is_leased_to_one(self, store: Store) -> None:
        """Nobody else gets it while its lease lasts, and it counts as under way."""
        first = lease(store, job(store, (1, 2)))
        with again(store) as other:
            assert taken(other) is None
            assert other.situation().jobs == (first.job,)

    def test_the_same_job_is_enqueued_once(self, store: Store) -> None:
        """A job is what it says: planned again, while it waits and when it was played, it is not
        there twice."""
        wanted = job(store, (1, 2))
        held = lease(store, wanted)
        assert taken(store, lambda _: wanted) is None
        assert store.counts().open == 1
        store.settle(invented(store, held.job))

        assert taken(store, lambda _: wanted) is None
        assert (store.counts().open, store.counts().matches) == (0, 1)

    def test_no_deck_is_dealt_again(self, store: Store) -> None:
        """Another match with a key that was used is refused, in one line, and leaves nothing."""
        count(store, invented(store, job(store, (1, 2))))
        before = state(store)
        wrong = replace(job(store, (1, 3)), key=job(store, (1, 2)).key)

        with pytest.raises(RefereeError, match="was that of match 1") as caught:
            taken(store, lambda _: wrong)
        assert "\n" not in str(caught.value)
        assert state(store) == before

    def test_a_heartbeat_keeps_a_lease(self, store: Store) -> None:
        """A lease that would be over goes on as long as its runner is heard of."""
        held = expired(store, job(store, (1, 2)))
        store.extend([held.token], LEASE_MS)

        with again(store) as other:
            assert taken(other) is None

    def test_an_expired_lease_goes_to_another(self, store: Store) -> None:
        """Whoever asks next has the job, under another token; the old one is worth nothing."""
        held = expired(store, job(store, (1, 2)))
        with again(store) as other:
            found = taken(other)

            assert found is not None
            assert (found.job, found.attempts) == (held.job, 2)
            assert found.token != held.token
            store.give_back([held.token])
            store.extend([held.token], 0)
            assert taken(store) is None

    def test_a_dead_runner_s_job_goes_to_another(self, store: Store) -> None:
        """Its lease need not be over. Its decks may have been seen, so the key is another one."""
        held = lease(store, job(store, (1, 2)), "dead")
        since = store.waiting_jobs()[0].since_ms
        found = taken(store, is_alive=lambda owner: owner != "dead")
        assert found is not None
        assert found.job.key != held.job.key
        assert found.job == replace(held.job, key=found.job.key)
        (waiting,) = store.waiting_jobs()
        assert (waiting.job, waiting.since_ms) == (found.job, since)

    def test_a_runner_that_was_taken_for_dead_may_bring_its_match(self, store: Store) -> None:
        """As from another container, whose processes are not seen: both are matches, each once."""
        held = lease(store, job(store, (1, 2)), "dead")
        found = taken(store, is_alive=lambda owner: owner != "dead")
        assert found is not None
        for one in (held, found):
            assert store.settle(invented(store, one.job))[0] is Settled.COUNTED
            assert store.settle(invented(store, one.job))[0] is Settled.DUPLICATE
        assert store.counts().matches == 2

    def test_a_job_that_was_given_back_is_dealt_other_decks(self, store: Store) -> None:
        """Its match may have been under way."""
        held = lease(store, job(store, (1, 2)))
        store.give_back([held.token])
        found = taken(store)
        assert found is not None
        assert found.job != held.job
        assert found.job == replace(held.job, key=found.job.key)

    def test_a_job_that_is_renewed_has_another_key(self, store: Store) -> None:
        """Its lease stays, and it counts once, under the new name."""
        held = lease(store, job(store, (1, 2)))
        found = store.renew(held)
        assert (found.token, found.attempts) == (held.token, held.attempts)
        assert found.job.key != held.job.key
        assert [one.job for one in store.waiting_jobs()] == [found.job]
        with pytest.raises(RefereeError, match="was never planned"):
            store.settle(invented(store, held.job))
        assert store.settle(invented(store, found.job))[0] is Settled.COUNTED
        assert store.waiting_jobs() == []

    def test_a_job_that_is_another_s_is_not_renewed(self, store: Store) -> None:
        """It keeps the key with which another runner plays it."""
        held = expired(store, job(store, (1, 2)))
        found = taken(store)
        assert found is not None
        assert store.renew(held) == held
        assert [one.job for one in store.waiting_jobs()] == [found.job]

    def test_what_is_given_back_was_not_tried(self, store: Store) -> None:
        """Somebody else gets it at once, as if nobody had had it."""
        for _ in range(2 * MOST_TRIES):
            found = taken(store, lambda _: job(store, (1, 2)))
            assert found is not None
            assert found.attempts == 1
            store.give_back([found.token])

    def test_a_job_that_ends_runners_is_given_up(self, store: Store) -> None:
        """It is counted without blocks, says why, and the next match can be played."""
        wanted, other = job(store, (1, 2)), job(store, (1, 3))
        for _ in range(MOST_TRIES):
            expired(store, wanted)
        found = taken(store, lambda _: other)

        assert found is not None
        assert found.job == other
        (match,) = matches(store)
        assert (match.job, match.outcome.blocks, match.record) == (wanted, (), "")
        assert str(MOST_TRIES) in match.outcome.given_up
        assert store.match("1") == (1, match)
        assert_chained(store)
        assert store.rebuild()[0] == store.rebuild()[1]
        assert store.results(1).seated.tolist() == [[1, 2]]

    def test_who_is_avoided_is_left_to_others(self, store: Store) -> None:
        """A runner that cannot play a bot leaves its jobs where they are."""
        expired(store, job(store, (1, 2)))
        assert taken(store, avoid=(2,)) is None
        assert taken(store, avoid=(3,)) is not None

    @pytest.mark.parametrize(
        "decision",
        [
            Decision(deed=Deed.RETIRED, entrant=2, reason="x", at_ms=0),
            Decision(deed=Deed.BENCHED, entrant=2, pool=1, reason="x", at_ms=0),
            Decision(deed=Deed.CLOSED, pool=1, reason="x", at_ms=0),
        ],
        ids=lambda one: str(one.deed),
    )
    def test_nobody_begins_what_is_not_to_be_played(self, store: Store, decision: Decision) -> None:
        """A job that waits is dropped once one of its bots, or its pool, plays no more; if it is
        under way, it counts."""
        under_way = lease(store, job(store, (2, 3)))
        held = expired(store, job(store, (1, 2)))
        store.add(lambda _, at_ms: [replace(decision, at_ms=at_ms)])

        assert taken(store) is None
        assert store.situation().jobs == (under_way.job,)
        assert store.settle(invented(store, under_way.job))[0] is Settled.COUNTED
        assert store.settle(invented(store, held.job))[0] is Settled.COUNTED


@both
class TestResults:
    """Each match counts once."""

    def test_a_result_is_counted_once(self, store: Store) -> None:
        """The second time nothing changes, whoever brings it, and whatever it says."""
        match = invented(store, lease(store, job(store, (1, 2))).job)
        assert store.settle(match)[0] is Settled.COUNTED
        before = state(store)
        with again(store) as other:
            assert store.settle(match) == (Settled.DUPLICATE, [])
            assert other.settle(brought(match, acts=7)) == (Settled.DUPLICATE, [])
            assert state(other) == before

    def test_the_last_tables_are_those_of_all_runners(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """In the order of the matches, so many at most; a store that was open all the time sees the
        same ones as one that was opened late."""
        monkeypatch.setattr("ladder.store.recent.RECENT", 3)
        tables = [(1, 2), (3, 1), (2, 3), (1, 3)]
        with again(store) as other:
            for number, entrants in enumerate(tables, 1):
                writer = (store, other)[number % 2]
                count(writer, invented(writer, job(store, entrants, number)))
                found = [one.entrants for one in store.situation().recent]
                assert found[-3:] == tables[max(0, number - 3) : number]
        with again(store) as late:
            assert late.situation().recent == store.situation().recent[-3:]

    def test_a_match_that_is_damaged_is_named(self, store: Store) -> None:
        """Where the next table is chosen, too."""
        count(store, invented(store, job(store, (1, 2))))
        with store._database.writing() as connection:
            connection.execute(update(MatchRow).values(counts=b"x"))
        with again(store) as other, pytest.raises(RefereeError, match="match 1"):
            other.situation()

    def test_a_late_result_counts_while_the_job_is_open(self, store: Store) -> None:
        """It is as good as any other; the runner that has the job by then is the one too many."""
        wanted = job(store, (1, 2))
        expired(store, wanted)
        with again(store) as other:
            found = taken(other)
            assert found is not None
            assert store.settle(invented(store, wanted))[0] is Settled.COUNTED
            assert store.counts().open == 0
            other.extend([found.token], LEASE_MS)
            other.give_back([found.token])
            assert other.settle(invented(other, wanted))[0] is Settled.DUPLICATE
        assert store.counts().matches == 1

    def test_a_late_result_is_a_duplicate_afterwards(self, store: Store) -> None:
        """A runner that stood still finds that another one has played its job."""
        wanted = job(store, (1, 2))
        expired(store, wanted)
        with again(store) as other:
            assert taken(other) is not None
            assert other.settle(invented(other, wanted))[0] is Settled.COUNTED
        assert store.settle(invented(store, wanted))[0] is Settled.DUPLICATE

    def test_a_result_of_no_job_is_refused(self, store: Store) -> None:
        """What nobody planned is not counted, and says so in one line."""
        before = state(store)
        with pytest.raises(RefereeError, match="was never planned") as caught:
            store.settle(invented(store, job(store, (1, 2))))
        assert "\n" not in str(caught.value)
        assert state(store) == before

    def test_everything_comes_back_as_it_was(self, store: Store) -> None:
        """A match is read as it was counted: by number, by id, among its bots' and as a fact."""
        wanted = job(store, (3, 1))
        whole = invented(store, wanted, faults=(2, 0))
        block = replace(
            whole.outcome.blocks[1], luck=(), unplayed=(0, 1), values=(-(2**31), 2**31 - 1)
        )
        text = "\x1b'\"\\ \u202e é 漢 🂡" + "x" * 2000
        whole = brought(
            whole,
            blocks=(whole.outcome.blocks[0], block),
            acts=2**62,
            used_us=(2**62, 0),
            voids=(0, 3),
            fault_list=(
                FaultFound(0, 1, 0, 0, 0, FaultCode.ILLEGAL, text),
                FaultFound(1, 0, 0, 1, 1, FaultCode.LATE, ""),
            ),
            given_up=text,
            sandbox=text,
        )
        assert count(store, whole) is Settled.COUNTED

        with again(store) as other:
            (found,) = matches(other)
            assert replace(found, at_ms=0) == whole
            assert other.match("1") == (1, found)
            assert other.match(wanted.name[:8].upper()) == (1, found)
            assert other.matches_of([1], 9) == other.matches_of([2, 3], 9) == [(1, found)]
            assert other.matches_of([2], 9) == []
            assert other.records.has(whole.record)
            assert not other.records.has("0" * 64)

    @pytest.mark.parametrize(
        "text",
        ["2", "0", "x", "", "'; --", "0" * 64, "%%%%%%%%", "9" * 400, "f" * 100_000],
        ids=lambda text: text[:20],
    )
    def test_there_is_no_such_match(self, store: Store, text: str) -> None:
        """Whatever is typed, one line says that it is none."""
        count(store, invented(store, job(store, (1, 2))))
        with pytest.raises(RefereeError, match="match"):
            store.match(text)

    def test_nothing_was_played(self, store: Store) -> None:
        """A ladder without matches has tables of the right shape."""
        found = store.results(1)
        assert (found.values.shape, found.seated.shape) == ((0, 2), (0, 2))
        assert (store.steps([1, 2]), store.faults(1), store.matches_of([1], 5)) == ([], [], [])
        assert store.rebuild()[0] == store.rebuild()[1]

    def test_faults_that_are_alike_are_told_together(self, store: Store) -> None:
        """With how often they were, and where first."""
        for number, faults in enumerate([(0, 0), (2, 0), (1, 0)]):
            count(store, invented(store, job(store, (1, 2), number), faults=faults))
        (found,) = store.faults(1)
        assert (found.bot, found.times, found.first) == (1, 3, 2)

    def test_a_transaction_is_wholly_done_or_not_at_all(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Whatever goes wrong while a result is counted, nothing of it is there; then it counts."""
        match = invented(store, lease(store, job(store, (1, 2))).job, faults=(1, 0))
        before = state(store)
        for module, name in ((ratings, "add"), (jobs, "_benched"), (jobs, "add_match")):
            with monkeypatch.context() as patched:
                patched.setattr(module, name, _fails)
                with pytest.raises(OverflowError):
                    store.settle(match)
            assert state(store) == before
        assert store.settle(match)[0] is Settled.COUNTED
        assert_chained(store)

    def test_who_faults_too_often_is_benched_in_the_same_transaction(self, where: str) -> None:
        """The decision is the next fact, says why, and everybody knows of it."""
        with made(where, usual_pools(bench=2), bots=BOTS) as store, again(store) as other:
            for number in range(2):
                match = invented(store, job(store, (1, 2), number, blocks=1), faults=(1, 0))
                lease(store, match.job)
                settled, decisions = store.settle(match)
                assert settled is Settled.COUNTED
            (decision,) = decisions
            assert (decision.deed, decision.entrant, decision.pool) == (Deed.BENCHED, 1, 1)
            assert decision.reason == "faults in 2 of its last 2 blocks"
            assert not other.refresh().plays(1, 1)
            assert not store.refresh().plays(1, 1)
            assert_chained(other)

    def test_online_ratings_are_what_a_rebuild_makes_of_the_facts(self, store: Store) -> None:
        """Byte by byte; and a rating that was changed is put right."""
        filled(store, 12)
        before, after = store.rebuild()
        assert before == after
        with store._database.writing() as connection:
            connection.execute(update(StepRow).where(StepRow.match == 5).values(mu=0.0))
        wrong, right = store.rebuild()
        assert wrong != right == after

    def test_indexes_that_are_gone_are_made_of_the_facts(self, store: Store) -> None:
        """All of them: with those the ladder is what it was."""
        filled(store, 12)
        before = state(store)
        results = store.results(1)
        with store._database.writing() as connection:
            for kind in reversed(INDEXES):
                table_of(kind).drop(connection)
        assert store.rebuild() == ("", before[1])
        assert state(store) == before
        again_read = store.results(1)
        for name in results.__struct_fields__:
            assert (getattr(results, name) == getattr(again_read, name)).all(), name


@both
class TestFacts:
    """Facts are only added, in one order."""

    def test_the_chain_holds(self, store: Store) -> None:
        """Each fact has its number, its digest and a hash over all before it."""
        filled(store, 9)
        submit(store, "greedy", "author-of-greedy")
        store.add(lambda _, at: [Decision(deed=Deed.RETIRED, entrant=1, reason="x", at_ms=at)])
        filled(store, 2)
        assert_chained(store)

    def test_what_was_added_stays(self, store: Store) -> None:
        """Whatever comes later, earlier facts are read as they were."""
        filled(store, 3)
        before = state(store)[0]
        submit(store, "random", "author-of-random")
        filled(store, 3)
        assert state(store)[0][: len(before)] == before

    def test_others_see_new_facts(self, store: Store) -> None:
        """A store that is open knows, with its next question, what others have added."""
        with again(store) as other:
            entrant = submit(store, "greedy", "author-of-greedy").entrant
            assert other.situation().roster.chosen(3) == entrant
            held = lease(other, job(other, (entrant, 1)))
            assert store.settle(invented(store, held.job))[0] is Settled.COUNTED

    def test_nobody_adds_facts_between_looking_and_adding(self, store: Store) -> None:
        """Two that submit the same bot at once make two versions, not one version twice."""
        with again(store) as other:
            together([partial(submit, one, "greedy", "me") for one in (store, other)] * 3)
            versions = [one for one in store.refresh().entrants.values() if one.author == "me"]
            assert [one.version for one in versions] == [1, 2, 3, 4, 5, 6]
            assert len({one.bot for one in versions}) == 1
        assert_chained(store)

    def test_making_facts_may_fail(self, store: Store) -> None:
        """Then none is added, and the number of the next is free."""
        before = state(store)

        def make(roster: Roster, at_ms: int) -> Iterator[Fact]:
            yield replace(roster.entrants[1], entrant=4, version=2, at_ms=at_ms)
            raise RefereeError("no")

        with pytest.raises(RefereeError, match="no"):
            store.add(make)
        assert state(store) == before
        assert 4 not in again_roster(store).entrants
        assert submit(store, "random", "x").entrant == 4

    def test_a_version_is_there_once(self, store: Store) -> None:
        """The same version twice is refused in one line; nothing is left."""
        before = state(store)

        def make(roster: Roster, at_ms: int) -> list[Submission]:
            return [replace(roster.entrants[1], entrant=4, at_ms=at_ms)]

        with pytest.raises(RefereeError, match="there is a version 1 of first") as caught:
            store.add(make)
        assert "\n" not in str(caught.value)
        assert state(store) == before

    def test_a_ladder_from_its_facts_is_the_same_ladder(self, store: Store, tmp_path: Path) -> None:
        """All facts, their hashes, all ratings and results; to SQLite, from either."""
        filled(store, 8)
        store.add(lambda _, at: [Decision(deed=Deed.RETIRED, entrant=3, reason="x", at_ms=at)])
        filled(store, 2)
        there = where_of(str(tmp_path / "copy"))
        with store.facts() as reader:
            head = import_facts(there, (fact for _, fact in reader.facts()))
        with Store(there) as copy:
            assert state(copy) == state(store)
            assert copy.rebuild()[0] == copy.rebuild()[1]
            with copy.facts() as reader:
                assert reader.head.hash == head
            assert copy.results(1).values.tolist() == store.results(1).values.tolist()
            with store.facts() as reader, pytest.raises(RefereeError, match="already"):
                import_facts(there, (fact for _, fact in reader.facts()))

    def test_an_import_that_fails_leaves_nothing(self, store: Store, tmp_path: Path) -> None:
        """There is no ladder afterwards, nor a file of one; the next import has the place."""
        filled(store, 3)
        there = where_of(str(tmp_path / "copy"))
        facts = [fact for _, fact in state(store)[0]]

        def broken() -> Iterator[Fact]:
            yield from facts[:-1]
            raise RefereeError("torn")

        with pytest.raises(RefereeError, match="torn"):
            import_facts(there, broken())
        assert not list(there.database.parent.iterdir())
        import_facts(there, facts)
        with Store(there) as copy:
            assert state(copy) == state(store)

    @pytest.mark.parametrize("late", [False, True])
    def test_who_waits_for_an_import_that_fails_makes_a_ladder_that_stays(
        self, store: Store, tmp_path: Path, *, late: bool
    ) -> None:
        """Be it made before the import takes away what it has left, or after that."""
        filled(store, 3)
        there = where_of(str(tmp_path / "copy"))
        facts = [fact for _, fact in state(store)[0]]
        found: list[str] = []

        def make() -> None:
            with made(there.database.parent, bots=()) as other:
                found.append(other.opened.ladder)

        waiting = threading.Thread(target=make)
        begins, over = threading.Event(), threading.Event()

        def begun(database: Database) -> AbstractContextManager[Connection]:
            if threading.current_thread() is waiting:
                begins.set()  # it has the database open
                assert not late or over.wait(20)
            return writing(database)

        def broken() -> Iterator[Fact]:
            yield from facts[:4]
            waiting.start()
            assert begins.wait(20)
            raise RefereeError("torn")

        writing = Database.writing
        close = Database.close

        def closed(database: Database) -> None:
            close(database)
            if not late and threading.current_thread() is not waiting:
                waiting.join()  # what a failed import does last comes after all that it does

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Database, "writing", begun)
            patch.setattr(Database, "close", closed)
            with pytest.raises(RefereeError, match="torn"):
                import_facts(there, broken())
            over.set()
            waiting.join()
        with Store(there) as other:
            assert found == [other.opened.ladder]

    def test_of_two_imports_at_once_one_makes_the_ladder(
        self, store: Store, tmp_path: Path
    ) -> None:
        """The other is refused in a line before anything is written, and takes nothing away."""
        filled(store, 3)
        there = where_of(str(tmp_path / "copy"))
        facts = [fact for _, fact in state(store)[0]]

        def meanwhile() -> Iterator[Fact]:
            with pytest.raises(RefereeError, match="just now"):
                import_facts(there, facts)
            yield from facts

        import_facts(there, meanwhile())
        with Store(there) as copy:
            assert state(copy) == state(store)

    def test_an_import_does_not_take_away_what_came_before_it(
        self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """A ladder that was made while the import got ready: there was none when it looked."""
        there = where_of(str(tmp_path / "copy"))
        facts = [fact for _, fact in state(store)[0]]

        def late(where: Where) -> Database:
            made(where.database.parent, bots=()).close()
            return Database(where)

        monkeypatch.setattr("ladder.store.bulk_import.Database", late)
        with pytest.raises(RefereeError, match="already"):
            import_facts(there, facts)
        Store(there).close()

    def test_nothing_makes_no_ladder(self, store: Store, tmp_path: Path) -> None:
        """An import without a beginning is refused, and leaves nothing."""
        there = where_of(str(tmp_path / "copy"))
        for facts in ((), tuple(store.roster.pools.values())):
            with pytest.raises(RefereeError, match="no ladder"):
                import_facts(there, facts)
            assert not there.database.exists()


@both
@pytest.mark.slow
class TestSeveral:
    """Several at once."""

    def test_none_of_many_results_is_lost(self, store: Store, *, many_cases: bool) -> None:
        """Four writers play as fast as they can: each job counts once, in one chain."""
        each = 200 if many_cases else 25
        played: list[str] = []

        def write(number: int) -> None:
            with again(store) as own:
                for turn in range(each):
                    wanted = job(own, ((1, 2), (2, 3), (3, 1))[turn % 3], 1000 * number + turn)
                    held = lease(own, wanted, f"writer {number}")
                    match = brought(invented(own, held.job), acts=number)
                    assert own.settle(match)[0] is Settled.COUNTED
                    assert own.settle(match)[0] is Settled.DUPLICATE
                    played.append(wanted.name)

        together([partial(write, number) for number in range(4)])
        found = matches(store)
        assert len(found) == len(set(played)) == 4 * each
        assert {match.job.name for match in found} == set(played)
        assert store.counts().open == 0
        assert sum(one.blocks for one in store.situation().standings.values()) == 16 * each
        assert_chained(store)
        before, after = store.rebuild()
        assert before == after

    def test_a_job_that_waits_goes_to_one_of_many(self, store: Store) -> None:
        """Four that ask at once for what is there get a job each, and none twice."""
        for number in range(8):
            lease(store, job(store, (1, 2), number), "dead")
        found: list[Lease | None] = []

        def ask() -> None:
            with again(store) as own:
                found.extend(taken(own, is_alive=lambda owner: owner != "dead") for _ in range(3))

        together([ask] * 4)
        leases = [one for one in found if one is not None]
        assert len({one.job.name for one in leases}) == len(leases) == 8

    def test_the_same_result_from_many_counts_once(self, store: Store) -> None:
        """Exactly one of those who bring it at the same time is the one who was first."""
        match = invented(store, lease(store, job(store, (1, 2))).job)
        found: list[Settled] = []

        def bring() -> None:
            with again(store) as own:
                found.append(own.settle(match)[0])

        together([bring] * 6)
        assert sorted(found) == [Settled.COUNTED, *[Settled.DUPLICATE] * 5]
        assert len(matches(store)) == 1

    def test_whoever_reads_sees_one_state(self, store: Store) -> None:
        """While others write, all that is read in one go belongs together."""
        filled(store, 2)
        with store.facts() as reader:
            first = [link for link, _ in reader.facts()]
            with again(store) as other:
                filled(other, 3)
            assert [link for link, _ in reader.facts()] == first
            steps = reader._connection.execute(select(func.count()).select_from(StepRow))
            assert steps.scalar_one() == 4

    def test_a_new_ladder_is_made_once(self, where: str) -> None:
        """Those who make one at the same moment find themselves in the same."""
        found: list[str] = []

        def make() -> None:
            with made(where, bots=()) as store:
                found.append(store.opened.ladder)

        together([make] * 4)
        assert len(found) == 4
        assert len(set(found)) == 1


@pytest.mark.parametrize(
    "order",
    [
        "DELETE FROM fact WHERE seq = 4",
        "DELETE FROM fact WHERE seq = (SELECT seq FROM match WHERE number = 2)",
        "UPDATE fact SET body = x'7b' WHERE kind = 'match'",
        "UPDATE fact SET kind = 'pool' WHERE kind = 'match'",
    ],
)
def test_a_row_that_is_missing_is_named(tmp_path: Path, order: str) -> None:
    """Whoever reads all facts is told, in one line, which one is not whole."""
    with made(tmp_path, bots=BOTS) as store:
        filled(store, 3)
        assert_chained(store)
        with sqlite3.connect(store.where.database) as connection:
            connection.execute(order)
        connection.close()
        with pytest.raises(RefereeError, match=r"(fact|match) \d+: ") as caught:
            assert_chained(store)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "order",
    ["DELETE FROM fact WHERE kind = 'match'", "UPDATE fact SET body = x'5b' WHERE kind = 'match'"],
)
def test_a_match_that_is_in_the_index_only_is_told_in_a_line(tmp_path: Path, order: str) -> None:
    """By its number, and among its bots' matches."""
    with made(tmp_path, bots=BOTS) as store:
        filled(store, 2)
        with sqlite3.connect(store.where.database) as connection:
            connection.execute(order)
        connection.close()
        for read in (lambda: store.match("1"), lambda: store.matches_of([1, 2, 3], 5)):
            with pytest.raises(RefereeError, match=r"^fact \d+: it (is missing|cannot be read)"):
                read()


@pytest.mark.parametrize(
    ("part", "other"),
    [
        ('"pool":1', '"pool":7'),
        ('"bot":0', '"bot":5'),
        ('"entrants":[1,2]', '"entrants":[1]'),
        ('"voids":[', '"voids":[99999999999999999999'),
    ],
)
def test_a_rebuild_tells_of_a_match_that_makes_no_sense(
    tmp_path: Path, part: str, other: str
) -> None:
    """In one line; what was there stays."""
    with made(tmp_path, bots=BOTS) as store:
        count(store, invented(store, job(store, (1, 2)), faults=(1, 1)))
        with sqlite3.connect(store.where.database) as connection:
            order = "UPDATE fact SET body = CAST(replace(CAST(body AS TEXT), ?, ?) AS BLOB)"
            connection.execute(order, (part, other))
        connection.close()
        with pytest.raises(RefereeError, match=r"^fact \d+: ") as caught:
            store.rebuild()
        assert "\n" not in str(caught.value)
        assert len(store.results(1).match) == 2


def _fails(*_: object, **__: object) -> None:
    raise OverflowError("at a bad moment")


def again_roster(store: Store) -> Roster:
    """Who there is, as another process finds it."""
    with again(store) as other:
        return other.roster


@both
def test_deals_of_people_are_counted_for_those_who_are_there(store: Store) -> None:
    store.tokens.add("ada", (Scope.PLAY,), 1)
    for pool, above in ((1, 3), (1, -4), (1, 3), (1, 3), (2, 0)):
        store.people.add("ada", pool, above)
    store.people.add("eve", 1, 5)
    assert store.people.of("ada") == {1: {3: 3, -4: 1}, 2: {0: 1}}
    assert store.people.of("eve") == {}, "she has no token, or was erased"


def together(tasks: Sequence[Callable[[], object]]) -> None:
    """Does all at the same time; raises what one of them raises."""
    errors: list[BaseException] = []

    def run(task: Callable[[], object]) -> None:
        try:
            task()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(task,)) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]

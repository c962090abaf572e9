"""Runners of a ladder with a store by URL: each on a machine with nothing but its own folder."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from ladder.audit.audit import Wanted, prove
from ladder.core.facts import Decision, Keep, Match, Pool, Retention, Submission
from ladder.files import object_store, shared_records
from ladder.files.object_store import StoreAway, Stored
from ladder.runner import patient_store
from ladder.runner.patient_store import Desk
from ladder.runner.runner import LadderRunner, Span
from ladder.store.jobs import Settled
from ladder.store.location import where_of
from ladder.store.record_sweep import RecordSweep
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS
from referee.bots.settings import Settings
from referee.cli import run
from referee.errors import innermost
from referee.sandbox.bare import Bare
from referee.workers.jobs import Job, JobResult
from referee.workers.player import Player
from support.ladders import frozen, made, trusted
from support.s3 import own_s3

pytestmark = pytest.mark.slow


class Seen:
    """A `RunnerListener` that remembers."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.lines: list[str] = []

    def counted(self, match: Match, pool: Pool, names: Sequence[str]) -> None:
        self.matches.append(match)

    def benched(self, decision: Decision, pool: Pool, entrant: Submission) -> None:
        pytest.fail(f"{entrant.name} is benched")

    def say(self, line: str) -> None:
        self.lines.append(line)

    def bug(self, trace: str) -> None:
        pytest.fail(trace)


class Trusting:
    """Plays bare, one match at a time."""

    size = 1

    async def play(self, job: Job) -> JobResult:
        with trusted():
            return await Player(Bare(), Settings()).play(replace(job, submitted=False))


def plays(store: Store, blocks: int, seen: Seen | None = None) -> Seen:
    """A runner plays so many blocks."""
    seen = seen or Seen()
    desk = Desk(store, lambda _: True, seen)
    trio.run(LadderRunner(desk, Trusting(), store.files, seen, Span(blocks)).run)
    return seen


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder of two bots whose files are in a store."""
    with made(tmp_path / "ladder", bots=("first", "greedy")) as found:
        moved(found, f"file://{tmp_path}/store")
        yield found


def moved(store: Store, url: str) -> None:
    """Its bots are put there, and it has that store from now on."""
    there = object_store.ObjectStore(url)
    there.claim(store.opened.ladder)
    shared_bots.put_all(store.files, there, lambda _: True, lambda: None)
    store.records.name_store(url)
    store.records.note_store(store.files)


def emptied(store: Store) -> None:
    """As on a machine that has no bots of the ladder yet."""
    (store.files / BOTS).rename(store.files / "away")


def test_bots_are_brought_and_records_are_put_there_before_they_count(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    emptied(store)
    settle = store.settle

    def settled(match: Match) -> tuple[Settled, list[Decision]]:
        assert match.record in (shared_records.by_hash(store.files) or {})
        return settle(match)

    monkeypatch.setattr(store, "settle", settled)
    assert len(plays(store, 4).matches) == 2
    assert prove(store.where, Wanted()).holds
    assert len(list((store.files / BOTS).glob("[0-9a-f]*"))) == 2


def test_a_store_that_is_away_for_a_while_loses_nothing(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is said once that it is away, and once that it is back."""
    share, failures = shared_records.share, [StoreAway("x is away"), StoreAway("x is away")]
    away = [StoreAway("x is away")]
    stored = shared_bots.stored

    def listed(files: Path) -> list[Stored]:
        if away:
            raise away.pop()  # as old bots are to be cleared
        return stored(files)

    monkeypatch.setattr(shared_bots, "stored", listed)

    def shared(files: Path, sha: str) -> None:
        if failures:
            raise failures.pop()
        share(files, sha)

    monkeypatch.setattr(shared_records, "share", shared)
    seen = plays(store, 4)
    assert len(seen.matches) == 2
    assert seen.lines == ["x is away; waiting for it", "the store answers again"]
    assert prove(store.where, Wanted()).holds


def test_a_bot_that_the_store_has_damaged_is_left_out_and_others_play(
    store: Store, tmp_path: Path
) -> None:
    (bot,) = [one for one in store.roster.entrants.values() if one.name == "greedy"]
    other = frozen(store.files, "random")
    shared_bots.share(store.files, other)
    emptied(store)
    store_folder = tmp_path / "store" / BOTS
    (store_folder / f"{bot.hash}.zip").unlink()
    (store_folder / f"{other}.zip").rename(store_folder / f"{bot.hash}.zip")
    seen = plays(store, 2)
    assert seen.matches == []
    assert any("greedy" in line and "was changed" in line for line in seen.lines)


def test_a_store_that_is_away_for_too_long_charges_no_match(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner ends, and the next one plays it: it was tried as often as before."""

    def shared(files: Path, sha: str) -> None:
        raise StoreAway("x is away")

    monkeypatch.setattr(shared_records, "share", shared)
    monkeypatch.setattr(patient_store, "PATIENCE_S", 0)
    for _ in range(4):  # more often than a job is tried
        with pytest.raises(ExceptionGroup) as failure:
            plays(store, 2)
        assert str(innermost(failure.value)) == "x is away; it was away for 0 s"
    monkeypatch.undo()
    (match,) = plays(store, 2).matches
    assert match.outcome.given_up == ""


@pytest.mark.thorough
def test_machines_of_one_database_have_only_a_server_of_s3_in_common(
    database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One takes in bots, one plays, one proves; the first lets records go, and the last agrees."""
    one, other, third = (f"{database}?files={tmp_path / name}" for name in ("1", "2", "3"))
    with own_s3() as s3:
        url = s3.bucket(monkeypatch)
        with made(one, bots=("first", "greedy")) as store:
            assert run(["ladder", "store", url, "--ladder", one]) == 0
            with Store(where_of(other)) as playing:
                assert len(plays(playing, 6).matches) == 3
            names = {match.record for _, match in store.newest_matches(9)}
            assert {name.split("/")[0] for name in s3.files(url)} == {"bots", "ladder", "records"}
            assert set(shared_records.by_hash(store.files) or {}) == names

            report = prove(where_of(third), Wanted(workers=2))
            assert (report.holds, report.proved, report.bots) == (True, 3, 2)
            damaged = store.match("2")[1].record
            s3.write(url, f"records/{damaged[:2]}/{damaged}.jsonl.zst", b"x")
            report = prove(where_of(f"{database}?files={tmp_path / '4'}"), Wanted())
            (found,) = report.findings
            assert f"record {damaged} was changed" in found.what

            store.add(lambda _, now: [Retention(keep=Keep.LAST, last=1, at_ms=now)])
            with Store(where_of(third)) as holding, holding.records.held(holding.files):
                assert RecordSweep().step(store) is None
            assert len(shared_records.by_hash(store.files) or {}) == 3
            assert RecordSweep().step(store) is not None
            assert set(shared_records.by_hash(store.files) or {}) == {store.match("3")[1].record}

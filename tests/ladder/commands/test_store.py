"""A ladder whose records and bots are in a store by URL, from the command line."""

import json
import os
import shutil
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from ladder.archive.backup import back_up
from ladder.audit.audit import Wanted, prove
from ladder.core.facts import Keep, Retention
from ladder.files import record_store, shared_records
from ladder.files.disk_limits import KEPT_IN, DiskLimits, write_limits
from ladder.files.record_store import path_of
from ladder.store.location import where_of
from ladder.store.record_sweep import RecordSweep
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.clearing import clear_old
from ladder.submissions.frozen_bots import BOTS
from referee.record.stderr_log import stderr_file
from referee.sandbox.folders import remove_tree
from referee.sandbox.janitor import run_of
from support.commands import Tell
from support.ladders import copied, filled, job, lease, made, submit


@pytest.fixture
def tell(capsys: pytest.CaptureFixture[str]) -> Tell:
    return Tell(capsys)


@pytest.fixture
def ladder(tmp_path: Path) -> Path:
    return tmp_path / "ladder"


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"file://{tmp_path}/store"


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three matches that were really played, by three bots; all is in the folder."""
    pattern = tmp_path_factory.mktemp("pattern") / "ladder"
    with made(pattern, bots=("first", "greedy", "random")) as store:
        filled(store, 3, really=True)
    return pattern


@pytest.fixture
def store(pattern: Path, ladder: Path) -> Iterator[Store]:
    """A ladder like the pattern, which tests may change."""
    with copied(pattern, ladder) as store:
        yield store


def lying(folder: Path) -> set[str]:
    """The files of records and bots below a folder."""
    found = (path for path in folder.rglob("*") if path.is_file())
    names = {str(path.relative_to(folder)) for path in found}
    return {name for name in names if name.startswith(("records/", "bots/"))}


def emptied(store: Store) -> None:
    """As on a machine that has nothing of the ladder yet."""
    shutil.rmtree(store.files / record_store.RECORDS, ignore_errors=True)
    remove_tree(store.files / BOTS)


@pytest.mark.slow
def test_a_ladder_is_moved_into_a_store_proved_from_there_and_brought_back(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    before = lying(ladder)
    where = ("--ladder", str(ladder))
    assert tell("ladder", "store", *where) == f"records and bots are in {str(ladder)!r}\n"
    told = tell("ladder", "store", url, *where)
    assert told.startswith(f"{url}: 3 records (")
    assert told.endswith("6 files moved\n")
    assert "3 bots" in told
    assert tell("ladder", "store", url, *where).endswith("0 files moved\n")

    emptied(store)
    report = prove(where_of(str(ladder)), Wanted())
    assert (report.holds, report.proved, report.bots, report.notes) == (True, 3, 3, ())
    emptied(store)
    assert tell("ladder", "store", "--home", *where).endswith("6 files moved\n")
    assert lying(ladder) == before
    shutil.rmtree(tmp_path / "store")
    assert prove(where_of(str(ladder)), Wanted()).holds


@pytest.mark.slow
def test_commands_bring_what_they_need(store: Store, ladder: Path, url: str, tell: Tell) -> None:
    where = ("--ladder", str(ladder))
    tell("ladder", "store", url, *where)
    for command in (
        ("ladder", "match", "1"),
        ("replay", "2", "--verify"),
        ("ladder", "export", str(ladder / "all.zip"), "--with-bots"),
        ("ladder", "rollback", "first", "--to", "1"),
        ("ladder", "verify"),
    ):
        emptied(store)
        if command[1] == "rollback":
            submit(store, "first", "author-of-first", "greedy")
            emptied(store)
        tell(*command, *where)
    assert path_of(ladder, store.match("2")[1].record).exists()


@pytest.mark.slow
def test_what_a_store_has_lost_or_damaged_is_told_even_where_a_copy_is_here(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    tell("ladder", "store", url, "--ladder", str(ladder))
    lost, damaged, whole = (store.match(str(number))[1].record for number in (1, 2, 3))
    path_of(tmp_path / "store", lost).unlink()
    path = path_of(tmp_path / "store", damaged)
    path.chmod(0o600)
    path.write_bytes(path.read_bytes() + b"x")

    report = prove(where_of(str(ladder)), Wanted())
    assert [found.what for found in report.findings] == [
        f"record {lost} is missing in the store",
        f"record {damaged} has {path.stat().st_size} bytes instead of "
        f"{path.stat().st_size - 1} in the store",
    ]
    emptied(store)
    report = prove(where_of(str(ladder)), Wanted())
    told = [found.what for found in report.findings]
    assert len(told) == 2
    assert "is missing" in told[0]
    assert f"record {damaged} was changed" in told[1]
    assert path_of(ladder, whole).exists()


def test_a_store_that_is_away_proves_nothing_against_a_ladder(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    tell("ladder", "store", url, "--ladder", str(ladder))
    (tmp_path / "store").rename(tmp_path / "away")
    told = tell("ladder", "verify", "--ladder", str(ladder), code=3)
    assert told.splitlines()[-1] == f"referee: store '{url}': it is not there, or not mounted"


@pytest.mark.slow
def test_a_backup_has_all_and_no_store(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    """Else two ladders would remove each other's files."""
    before = lying(ladder)
    tell("ladder", "store", url, "--ladder", str(ladder))
    emptied(store)
    back_up(store, tmp_path / "copy")
    assert lying(tmp_path / "copy") == before
    with Store(where_of(str(tmp_path / "copy"))) as copy:
        assert copy.records.store_url() is None
    shutil.rmtree(tmp_path / "store")
    assert prove(where_of(str(tmp_path / "copy")), Wanted()).holds


def test_an_author_who_is_erased_is_gone_from_the_store(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    tell("ladder", "store", url, "--ladder", str(ladder))
    gone = next(one for one in store.roster.entrants.values() if one.name == "greedy")
    theirs = {
        match.record for _, match in store.newest_matches(9) if gone.entrant in match.job.entrants
    }
    tell("ladder", "erase", gone.author, "--yes", "--ladder", str(ladder))
    left = lying(tmp_path / "store")
    assert theirs
    assert not any(word in name for name in left for word in {*theirs, gone.hash})
    assert len(left) == 6 - len(theirs) - 1


def test_records_that_the_policy_lets_go_are_gone_from_the_store(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    tell("ladder", "store", url, "--ladder", str(ladder))
    store.add(lambda _, now: [Retention(keep=Keep.LAST, last=1, at_ms=now)])
    last = store.match("3")[1].record
    assert RecordSweep().step(store) == 2
    assert {name for name in lying(tmp_path / "store") if name.startswith("records")} == {
        str(path_of(Path(), last))
    }


def test_old_versions_go_from_the_store_by_the_same_bound(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    """What plays stays, and what was put there since yesterday: it may be about to play.

    A machine that was not given the ladder's limits removes none.
    """
    old = next(one for one in store.roster.entrants.values() if one.name == "first")
    tell("ladder", "store", url, "--ladder", str(ladder))
    submit(store, "first", old.author, "greedy")
    bots = tmp_path / "store" / "bots"
    for path in bots.iterdir():
        os.utime(path, (1, time.time() - 2 * 86_400))
    shared_bots.share(ladder, old.hash)
    write_limits(ladder, DiskLimits(old_bots=0))
    clear_old(ladder, store.situation())
    assert len(list(bots.iterdir())) == 3
    os.utime(bots / f"{old.hash}.zip", (1, time.time() - 2 * 86_400))
    (ladder / KEPT_IN).rename(ladder / "away")
    clear_old(ladder, store.situation())
    assert len(list(bots.iterdir())) == 3
    (ladder / "away").rename(ladder / KEPT_IN)
    clear_old(ladder, store.situation())
    left = [path.stem for path in bots.iterdir()]
    assert old.hash not in left
    assert len(left) == 2


def test_a_ladder_whose_matches_are_under_way_is_not_moved(
    store: Store, ladder: Path, url: str, tell: Tell
) -> None:
    """Its runners would put records where nobody looks."""
    lease(store, job(store, (1, 2), 9), f"{run_of(os.getpid())}-1")
    told = tell("ladder", "store", url, "--ladder", str(ladder), code=2)
    assert "1 match is under way: stop the ladder's runners" in told
    assert store.records.store_url() is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("ftp://x/y",), "write file:///FOLDER, or s3://BUCKET/PATH"),
        (("file:///srv/x", "--home"), "say --home or a URL, not both"),
    ],
    ids=["kind", "both"],
)
def test_what_is_wrong_is_told_in_a_line(
    words: tuple[str, ...], told: str, store: Store, ladder: Path, tell: Tell
) -> None:
    said = tell("ladder", "store", *words, "--ladder", str(ladder), code=2)
    assert told in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("word", ["--home", "URL"])
def test_a_store_that_is_not_mounted_is_not_left_behind(
    word: str, store: Store, url: str, tell: Tell, tmp_path: Path
) -> None:
    """What is in it would be lost: nothing changes, and it is told."""
    ladder = str(store.files)
    tell("ladder", "store", url, "--ladder", ladder)
    (tmp_path / "store").rename(tmp_path / "away")
    word = word.replace("URL", f"file://{tmp_path}/other")
    assert "not mounted" in tell("ladder", "store", word, "--ladder", ladder, code=3)
    assert store.records.store_url() == url


@pytest.mark.slow
def test_what_bots_wrote_comes_home_though_the_record_lies_here(
    store: Store, ladder: Path, url: str, tell: Tell
) -> None:
    said = stderr_file(path_of(ladder, store.match("1")[1].record))
    said.write_bytes(b"said")
    tell("ladder", "store", url, "--ladder", str(ladder))
    said.unlink()
    tell("ladder", "store", "--home", "--ladder", str(ladder))
    assert said.read_bytes() == b"said"


def test_the_folder_of_the_ladder_is_no_store_of_it(
    store: Store, ladder: Path, tell: Tell, tmp_path: Path
) -> None:
    """Its copies would be the only ones, and go."""
    (tmp_path / "link").symlink_to(ladder)
    for folder in (ladder, ladder / "records", tmp_path, tmp_path / "link"):
        told = tell("ladder", "store", f"file://{folder}", "--ladder", str(ladder), code=2)
        assert "the ladder's own files are there" in told
    assert store.records.store_url() is None


def test_a_move_puts_again_what_the_store_has_cut_and_nothing_of_the_erased(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    where = ("--ladder", str(ladder))
    tell("ladder", "store", url, *where)
    record = store.match("1")[1].record
    cut = path_of(tmp_path / "store", record)
    cut.unlink()
    cut.write_bytes(b"cut")
    assert tell("ladder", "store", url, *where).endswith("1 file moved\n")
    assert cut.read_bytes() == path_of(ladder, record).read_bytes()

    shutil.copytree(ladder / "records", tmp_path / "stale")
    bots = store.match("1")[1].job.entrants
    tell("ladder", "erase", store.roster.entrants[bots[0]].author, "--yes", *where)
    shutil.rmtree(ladder / "records")
    shutil.copytree(tmp_path / "stale", ladder / "records")
    tell("ladder", "store", url, *where)
    assert not cut.exists()


def test_a_bot_that_the_store_has_lost_is_told_though_it_lies_here(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    tell("ladder", "store", url, "--ladder", str(ladder))
    lost = next((tmp_path / "store" / "bots").iterdir())
    lost.unlink()
    (found,) = prove(where_of(str(ladder)), Wanted()).findings
    assert found.line == f"bot {lost.stem}: it is not in the store: no other machine can play it"


def test_a_store_of_another_ladder_is_refused(
    store: Store, ladder: Path, url: str, tell: Tell, tmp_path: Path
) -> None:
    """They would take each other's records for what killed runners have left."""
    made(tmp_path / "other", bots=()).close()
    tell("ladder", "store", url, "--ladder", str(tmp_path / "other"))
    told = tell("ladder", "store", url, "--ladder", str(ladder), code=2)
    assert "another ladder's" in told
    assert store.records.store_url() is None


def test_a_store_that_cannot_be_written_changes_nothing(
    store: Store, ladder: Path, tell: Tell, tmp_path: Path
) -> None:
    (tmp_path / "taken").write_text("")
    said = tell("ladder", "store", f"file://{tmp_path}/taken", "--ladder", str(ladder), code=3)
    assert said.splitlines()[-1].startswith(f"referee: store 'file://{tmp_path}/taken/")
    assert store.records.store_url() is None
    assert json.loads(tell("ladder", "store", "--json", "--ladder", str(ladder)))["url"] is None


def test_a_database_that_names_something_else_is_refused(
    store: Store, ladder: Path, tell: Tell
) -> None:
    with closing(sqlite3.connect(ladder / "ladder.db")) as connection, connection:
        connection.execute("INSERT INTO store VALUES ('ssh://host/x')")
    assert "no URL" in tell("ladder", "standings", "--ladder", str(ladder), code=2)
    assert shared_records.by_hash(ladder) is None

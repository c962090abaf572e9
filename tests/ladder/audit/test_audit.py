"""Whatever is changed in a ladder is found and named; and nothing is found where nothing was."""

import hashlib
import json
import os
import random
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import text

from ladder.audit.audit import Wanted, prove
from ladder.audit.claims import Claim
from ladder.audit.files import examine_bots
from ladder.audit.findings import MOST, AuditFindings, AuditReport
from ladder.audit.plausibility import Story
from ladder.audit.sample import drawn
from ladder.core.facts import Decision, Deed, Fact, Keep, Match, Opened, Pool, Retention, Submission
from ladder.files import record_store, signed_head
from ladder.files.signed_head import Head
from ladder.files.signing import kept_key
from ladder.store.bulk_import import import_facts
from ladder.store.database import Database
from ladder.store.location import Where, where_of
from ladder.store.store import Store
from ladder.store.tables import Base
from ladder.submissions.frozen_bots import BOTS
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.sandbox.bare import has_ended
from support import ladders
from support.pools import brought

pytestmark = pytest.mark.slow

FLIPS = 300
ROWS = Wanted(sample=0)
UNUSED = {
    ("job", "at_ms"),  # when somebody wanted it: nothing follows from that
    ("job", "facts"),  # likewise, but of a draw, which has it, too
    ("schema_step", "at_ms"),
    ("job", "token"),
    ("job", "owner"),
    ("job", "until_ms"),
    ("job", "attempts"),
    ("job", "withdrawn"),
}
NO_RESULTS = {"token", "token_use", "person", "binding", "epoch", "store"}
"""Tables that no result follows from: who may do what on the site, and when they did; secrets of
epochs, which an import has not; where records are."""

COLUMNS = [
    (table.name, column.name)
    for table in Base.metadata.sorted_tables
    for column in table.columns
    if table.name not in NO_RESULTS and (table.name, column.name) not in UNUSED
]


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder whose matches were played, with a bot benched, one retired, and versions."""
    folder = tmp_path_factory.mktemp("ladder") / "it"
    with ladders.made(folder, ladders.usual_pools(blocks=2, bench=2)) as store:
        ladders.submit(store, "first", "author-of-first", "greedy")
        for number, table in enumerate([(1, 2), (3, 4), (4, 5), (2, 5)]):
            assert store.settle(ladders.play_leased(store, table, number))
        store.add(lambda _, now: [Decision(deed=Deed.RETIRED, entrant=2, reason="so", at_ms=now)])
        store.add(lambda _, now: [Retention(keep=Keep.LAST, last=10, at_ms=now)])
        ladders.lease(store, ladders.job(store, (1, 3), 99))
        assert [fact for fact in facts_of(store) if is_benching(fact)]
    return folder


@pytest.fixture
def copy(ladder: Path, tmp_path: Path) -> Where:
    """The same with a database of its own, which may be changed."""
    return copied(ladder, tmp_path)


def copied(ladder: Path, to: Path) -> Where:
    """A copy of the database, and the files of the first."""
    to.mkdir(exist_ok=True)
    (to / "ladder.db").unlink(missing_ok=True)  # to write over a file can mean to wait for the disk
    shutil.copy(ladder / "ladder.db", to)
    return replace(where_of(str(to)), files=ladder)


def facts_of(store: Store) -> list[Fact]:
    """All facts of a ladder."""
    with store.facts() as reader:
        return [fact for _, fact in reader.facts()]


def is_benching(fact: Fact) -> bool:
    """Whether it is one."""
    return isinstance(fact, Decision) and fact.deed is Deed.BENCHED


def order(where: Where, *orders: str, values: tuple[Any, ...] = ()) -> None:
    """Changes rows behind our back."""
    connection = sqlite3.connect(where.database, isolation_level=None)
    try:
        connection.execute("PRAGMA ignore_check_constraints = ON")
        for words in orders:
            connection.execute(words, values)
    finally:
        connection.close()


def edited(where: str, before: str, after: str) -> str:
    """An order that puts other words into a fact."""
    return (
        f"UPDATE fact SET body = CAST(replace(CAST(body AS TEXT), '{before}', '{after}') AS BLOB) "  # noqa: S608
        f"WHERE {where}"
    )


def told(report: AuditReport) -> str:
    """All that was found."""
    return "\n".join(one.line for one in report.findings)


def test_nothing_is_found_in_a_sound_ladder(ladder: Path) -> None:
    """All records are played again, one after the other and by several processes alike."""
    seen: list[tuple[int, int]] = []
    report = prove(where_of(str(ladder)), Wanted(), lambda *how: seen.append(how))

    assert (told(report), report.notes) == ("", ())
    assert (report.matches, report.records, report.proved, report.bots) == (4, 4, 4, 4)
    assert report.holds
    assert seen == [(at, 4) for at in range(1, 5)]
    assert prove(where_of(str(ladder)), Wanted(workers=2)) == report


def test_a_sample_is_played_again_and_the_rest_compared(ladder: Path) -> None:
    """Every file is held against its hash all the same."""
    report = prove(where_of(str(ladder)), Wanted(sample=2, seed="a"))

    assert (report.holds, report.records, report.proved) == (True, 4, 2)
    assert "not proved: that the results of 2 matches" in report.unproved()[0]
    assert len(prove(where_of(str(ladder)), Wanted()).unproved()) == len(report.unproved()) - 1


def test_who_makes_a_ladder_cannot_know_which_matches_are_drawn(
    ladder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each run draws others, and says how to draw them again; a seed without a sample is none."""
    words = ["ladder", "verify", "--ladder", str(ladder), "--sample", "2", "--json"]
    seeds = []
    for again in ([], [], ["--seed", "x"]):
        assert run([*words, *again]) == 0
        shown = json.loads(capsys.readouterr().out)
        seeds.append(shown["seed"])
        assert "2 matches" in shown["not_proved"][0]
    assert len(set(seeds)) == 3
    assert seeds[2] == "x"
    assert run(["ladder", "verify", "--ladder", str(ladder), "--sample", "1"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "what was looked at holds; head" in said
    assert "the same ones again: --seed " in said
    assert run(["ladder", "verify", "--ladder", str(ladder), "--seed", "1"]) == 2


@pytest.mark.thorough
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_change_in_any_column_is_found(table: str, column: str, copy: Where) -> None:
    """The first row that has something there, and the last, are another one each."""
    for end in ("ASC", "DESC"):
        where = copied(copy.database.parent, copy.database.parent / end)
        where = replace(where, files=copy.files)
        change(where, table, column, end)
        try:
            report = prove(where, ROWS)
        except RefereeError:
            continue
        assert report.findings


def change(where: Where, table: str, column: str, end: str) -> None:
    """Makes one value another one of its type."""
    connection = sqlite3.connect(where.database)
    found = connection.execute(
        f'SELECT rowid, "{column}" FROM "{table}" ORDER BY rowid {end} LIMIT 1'  # noqa: S608
    ).fetchone()
    connection.close()
    row, value = found
    order(
        where,
        f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = {row}',  # noqa: S608
        values=(other(value),),
    )


def other(value: Any) -> Any:
    """Almost the same."""
    if isinstance(value, str):
        return value[:-1] + chr(ord(value[-1]) ^ 1) if value else "0"
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    return value + (1000 if isinstance(value, int) else 1e-9)


@pytest.mark.parametrize("table", [one.name for one in Base.metadata.sorted_tables])
def test_a_row_that_is_gone_is_found(table: str, copy: Where) -> None:
    """Whichever it is, in all tables but those that no result follows from."""
    order(
        copy,
        f'DELETE FROM "{table}" WHERE rowid = (SELECT min(rowid) FROM "{table}")',  # noqa: S608
    )
    try:
        found = bool(prove(copy, ROWS).findings)
    except RefereeError:
        found = True

    assert found is (table not in {"job", *NO_RESULTS})


ADDED = {
    "a verdict": "INSERT INTO verdict SELECT match, at + 50, entrant, code, detail "
    "FROM verdict LIMIT 1",
    "a verdict of another": "INSERT INTO verdict VALUES (99, 0, 1, 'late', '')",
    "a step": "INSERT INTO step VALUES (1, 77, 25.0, 8.0)",
    "a skill": "INSERT INTO skill VALUES (1, 77, 25.0, 8.0, 1, 0, 2, 0)",
    "a job that was played": "INSERT INTO job SELECT job, key, 0, 0, x'', '', '', 0, 0, 0 FROM "
    "match LIMIT 1",
    "a job": "INSERT INTO job SELECT 'x', 'y', at_ms, facts, body, '', '', 0, 0, 0 FROM job "
    "LIMIT 1",
    "a match": "INSERT INTO match SELECT 9, 1, at_ms, 'x', 'y', pool, blocks, counts, acts, "
    "wall_us, record FROM match LIMIT 1",
    "a fact": "INSERT INTO fact SELECT seq + 10, kind, at_ms, digest, hash, body FROM fact "
    "ORDER BY seq DESC LIMIT 1",
}


@pytest.mark.parametrize("what", ADDED)
def test_a_row_too_many_is_found(what: str, copy: Where) -> None:
    """Also where it makes sense for itself."""
    order(copy, ADDED[what])

    assert prove(copy, ROWS).findings


def test_all_that_is_wrong_is_told_in_the_order_of_the_facts(copy: Where) -> None:
    """One change does not hide another one, and is not told of at every fact after it."""
    order(
        copy,
        "UPDATE match SET acts = acts + 1 WHERE number = 3",
        edited("seq = 6", '"name":"', '"name":"other-'),
        edited("seq = (SELECT seq FROM match WHERE number = 1)", '"wall_us":', '"wall_us":-'),
    )
    report = prove(copy, ROWS)

    assert [one.where for one in report.findings if one.fact < 2**62] == [
        "fact 6",
        "match 1",
        "match 1",
        "match 1",
        "match 3",
    ]
    assert "fact 6: it is not what was written: its digest is another one" in told(report)
    assert "match 1: it counts less than nothing, or too much" in told(report)
    assert "match 1: in the table match, it has another wall_us" in told(report)
    assert "match 3: in the table match, it has another acts" in told(report)


def test_a_rating_that_does_not_follow_is_named(copy: Where) -> None:
    """With the entrant, the match, and what it should be."""
    order(
        copy,
        "UPDATE step SET mu = mu + 1e-12 WHERE match = 2 AND entrant = 4",
        "UPDATE skill SET blocks = 9 WHERE entrant = 1",
    )
    first, second = prove(copy, ROWS).findings

    assert first.line.startswith("step of entrant 4 after match 2: it is ")
    assert second.line == "skill of entrant 1 in pool 1: blocks is 9, and should be 2"


def test_any_flipped_bit_of_the_database_is_found_or_changes_nothing(
    ladder: Path, tmp_path: Path, many_cases: bool
) -> None:
    """There is no traceback, whatever it hits; where nothing is found all facts are as before."""
    whole = (ladder / "ladder.db").read_bytes()
    with Store(where_of(str(ladder))) as store:
        before = facts_of(store)
    dice, missed = random.Random(6), 0
    flips = FLIPS if many_cases else FLIPS // 6
    for _ in range(flips):
        where = copied(ladder, tmp_path)
        bit = dice.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        where.database.unlink()  # to write over a file can mean to wait for the disk
        where.database.write_bytes(flipped)
        if not is_found(where):
            missed += 1
            with Store(where) as store:
                assert facts_of(store) == before, bit
        for left in tmp_path.iterdir():
            left.unlink()

    assert missed < flips


def is_found(where: Where) -> bool:
    """Whether anything is, be it that the file cannot be read at all."""
    try:
        return bool(prove(where, ROWS).findings)
    except (RefereeError, HostError) as error:
        return "\n" not in str(error)


@pytest.mark.parametrize("sample", [None, 0])
@pytest.mark.thorough
def test_a_changed_record_is_found_whether_it_is_played_again_or_not(
    ladder: Path, tmp_path: Path, sample: int | None
) -> None:
    """A bit of any region, a tail that is cut, a file that is gone: the match is named."""
    shutil.copytree(ladder, tmp_path / "it")
    where = where_of(str(tmp_path / "it"))
    with Store(where) as store:
        matches = [fact for fact in facts_of(store) if isinstance(fact, Match)]
    dice = random.Random(7)
    for number, match in enumerate(matches, 1):
        path = record_store.path_of(tmp_path / "it", match.record)
        path.chmod(0o644)
        whole = path.read_bytes()
        for damage in damages(whole, dice):
            path.unlink(missing_ok=True)
            if damage is not None:
                path.write_bytes(damage)
            (finding,) = prove(where, Wanted(sample=sample)).findings
            assert finding.where == f"match {number}"
            assert match.record in finding.what
        path.write_bytes(whole)

    assert prove(where, Wanted()).holds


def damages(whole: bytes, dice: random.Random) -> Iterator[bytes | None]:
    """What a record may become; None: it is gone."""
    for part in range(4):
        flipped = bytearray(whole)
        flipped[dice.randrange(part * len(whole) // 4, (part + 1) * len(whole) // 4)] ^= 4
        yield bytes(flipped)
    yield whole[:-1]
    yield whole + b"\0"
    yield b""
    yield None


def remade(
    ladder: Path, to: Path, change_fact: Callable[[Fact], Fact | None], **how: Any
) -> AuditReport:
    """Proves a ladder of other facts, all of whose hashes and ratings were made anew."""
    with Store(where_of(str(ladder))) as store:
        facts = [new for fact in facts_of(store) if (new := change_fact(fact)) is not None]
    where = replace(where_of(str(to)), files=ladder)
    import_facts(where, facts)
    return prove(where, Wanted(**how))


def test_who_hashes_everything_anew_is_found_by_the_records(ladder: Path, tmp_path: Path) -> None:
    """A result that was changed is not what its record says; only a published head shows more."""

    def better(fact: Fact) -> Fact:
        if not isinstance(fact, Match) or fact.job.entrants != (1, 2):
            return fact
        block = replace(fact.outcome.blocks[0], values=(999, -999))
        return brought(fact, blocks=(block, *fact.outcome.blocks[1:]))

    (finding,) = remade(ladder, tmp_path / "a", better).findings
    assert finding.line.startswith("match 1: block 0: values: ")
    assert remade(ladder, tmp_path / "b", lambda fact: fact).holds

    with Store(where_of(str(ladder))) as store, store.facts() as reader:
        assert reader.head is not None
        head = Head(
            ladder=store.opened.ladder, facts=reader.head.seq, hash=reader.head.hash, at_ms=0
        )
    claim = Claim(source="kept", head=head)
    assert prove(where_of(str(ladder)), Wanted(sample=0, claims=(claim,))).holds
    report = remade(ladder, tmp_path / "c", better, sample=0, claims=(claim,))
    assert told(report).startswith("head 'kept': fact ")
    more = (replace(claim, head=replace(head, facts=99)),)
    cut = remade(ladder, tmp_path / "d", lambda fact: fact, sample=0, claims=more)
    assert "the ladder has fewer" in told(cut)


def test_who_is_benched_has_to_follow_from_what_was_played(ladder: Path, tmp_path: Path) -> None:
    """Neither a benching that was left out nor one that was made up stays unseen."""
    left_out = remade(
        ladder, tmp_path / "a", lambda fact: None if is_benching(fact) else fact, sample=0
    )
    assert "entrant 4 is benched in pool 1: faults in " in told(left_out)

    def other_bot(fact: Fact) -> Fact:
        return replace(fact, entrant=1) if isinstance(fact, Decision) else fact

    assert "after the match before it, entrant 4 is benched" in told(
        remade(ladder, tmp_path / "b", other_bot, sample=0)
    )

    def too_early(fact: Fact) -> Fact:
        return fact if not isinstance(fact, Pool) else replace(fact, bench=0)

    assert "nothing that was played benches it" in told(
        remade(ladder, tmp_path / "c", too_early, sample=0)
    )


def test_a_pool_is_of_a_game_as_this_referee_has_it(ladder: Path, tmp_path: Path) -> None:
    """Other rules, other seatings, or no such game."""
    for name, value, what in (
        ("rules", lambda pool: replace(pool.rules, digest="0" * 64), "digest 0000000000000000"),
        ("seatings", lambda pool: pool.seatings + 1, "each deck is played in 3 seatings"),
        ("terms", lambda pool: replace(pool.terms, game="no-such-game"), "no-such-game"),
    ):

        def changed(fact: Fact, name: str = name, value: Any = value) -> Fact:
            return replace(fact, **{name: value(fact)}) if isinstance(fact, Pool) else fact

        try:
            assert what in told(remade(ladder, tmp_path / name, changed, sample=0))
        except ValueError:
            assert name == "seatings"


def test_frozen_bots_are_held_against_their_hashes(ladder: Path, tmp_path: Path) -> None:
    """A changed one is found; missing ones are a note, since an archive may come without any."""
    shutil.copytree(ladder, tmp_path / "it")
    where = where_of(str(tmp_path / "it"))
    one, *rest = sorted((tmp_path / "it" / BOTS).iterdir())
    (one / "bot.toml").chmod(0o644)
    (one / "bot.toml").write_text("other")
    report = prove(where, ROWS)
    assert told(report) == f"bot {str(one)!r}: its files are not what was frozen"

    for folder in rest:
        folder.chmod(0o755)
        shutil.rmtree(folder)
    report = prove(where, ROWS)
    assert len(report.findings) == 1
    assert report.notes[0].startswith("3 of 4 frozen bots are not in ")


def test_bots_that_cannot_be_looked_at_are_a_finding(tmp_path: Path) -> None:
    """As in another account's folder: it is said once, and the rest is proved."""
    findings, files = AuditFindings(), tmp_path / "/".join(["x" * 250] * 20)  # no path is so long

    assert examine_bots(files, ["a" * 64, "b" * 64], findings) == 0
    (found,) = findings.in_order()
    assert found.line == f"bots {str(files / BOTS)!r}: File name too long"
    assert findings.notes == []


@pytest.mark.parametrize("how", [Wanted(), Wanted(workers=2), ROWS], ids=["all", "two", "none"])
def test_only_records_that_were_there_are_counted(
    ladder: Path, tmp_path: Path, how: Wanted
) -> None:
    """Neither those that are missing nor those that are damaged were played again."""
    shutil.copytree(ladder, tmp_path / "it")
    where = where_of(str(tmp_path / "it"))
    with Store(where) as store:
        first, second, *others = [one for one in facts_of(store) if isinstance(one, Match)]
    paths = [record_store.path_of(tmp_path / "it", one.record) for one in (first, second, *others)]
    paths[0].unlink()
    paths[1].chmod(0o644)
    paths[1].write_bytes(b"")
    report = prove(where, how)
    assert (report.records, report.proved) == (3, 0 if how is ROWS else 2)
    assert [one.where for one in report.findings] == ["match 1", "match 2"]
    assert report.findings[0].what == f"record {str(paths[0])!r} is missing"

    for path in paths[1:]:
        path.unlink()
    report = prove(where, how)
    assert (report.records, report.proved) == (0, 0)
    folder = tmp_path / "it" / record_store.RECORDS
    assert told(report) == f"records: none is in {str(folder)!r}: 4 records missing"


def test_records_of_no_match_are_a_note(ladder: Path, tmp_path: Path) -> None:
    """Killed runners leave them."""
    shutil.copytree(ladder, tmp_path / "it")
    record_store.keep_packed(tmp_path / "it", [b"left by a runner"])
    report = prove(where_of(str(tmp_path / "it")), ROWS)

    assert report.holds
    assert report.notes == ("1 record is of no match: runners that were killed leave them",)


PARENT = """
import os, signal
from referee.record.processes import Processes
def whose(_):
    return os.getpid()
if __name__ == "__main__":
    pool = Processes(whose, 2)
    for _ in range(3):
        list(pool.add(None))
    print(next(pool.rest()), flush=True)
    signal.pause()
"""


def test_processes_that_play_records_again_end_with_us(tmp_path: Path) -> None:
    """Also where we are killed."""
    (tmp_path / "parent.py").write_text(PARENT)
    parent = subprocess.Popen(
        [sys.executable, tmp_path / "parent.py"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,  # its semaphores are cleared up with a warning
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
    )
    assert parent.stdout is not None
    with parent.stdout:
        worker = os.pidfd_open(int(parent.stdout.readline()))
    try:
        parent.kill()
        parent.wait()
        assert has_ended(worker, 20)
    finally:
        os.close(worker)


BOTH = {
    "view sight": ["CREATE VIEW sight AS SELECT * FROM fact"],
    "table more": ["CREATE TABLE more (x INTEGER)"],
    "table step: it is missing": ["DROP TABLE step"],
    "table skill: its column more": ["ALTER TABLE skill ADD COLUMN more INTEGER"],
    "table match: its index more of acts": ['CREATE INDEX more ON "match" (acts)'],
    "table match: its index match_pool of pool is missing": ["DROP INDEX match_pool"],
}
SQLITE = BOTH | {
    "trigger gift": [
        "CREATE TRIGGER gift AFTER INSERT ON match BEGIN UPDATE skill SET mu = mu + 1; END",
    ],
    "trigger sqlite_gift": [  # a name that SQLite keeps for itself, and lets anybody write down
        "PRAGMA writable_schema=ON",
        "INSERT INTO sqlite_master VALUES ('trigger', 'sqlite_gift', 'fact', 0, "
        "'CREATE TRIGGER sqlite_gift BEFORE INSERT ON fact BEGIN SELECT RAISE(IGNORE); END')",
    ],
}
POSTGRESQL = BOTH | {
    "trigger gift": [
        "CREATE FUNCTION give() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER gift BEFORE INSERT ON match FOR EACH ROW EXECUTE FUNCTION give()",
    ],
    "rule gift": ["CREATE RULE gift AS ON INSERT TO step DO ALSO UPDATE skill SET mu = mu + 1"],
    "table skill: its column mu": ["ALTER TABLE skill ALTER COLUMN mu SET DEFAULT 25"],
    "table skill: its check 1": ["ALTER TABLE skill ADD CONSTRAINT more CHECK (mu < 99)"],
}


@pytest.mark.parametrize("what", SQLITE)
def test_what_is_not_ours_in_the_database_is_named(what: str, copy: Where) -> None:
    """A trigger could change what is stored next; of the rest nobody knows what it is for."""
    order(copy, *SQLITE[what])

    assert what in told(prove(copy, ROWS))


@pytest.mark.parametrize(
    "words",
    [
        ["CREATE TRIGGER gift AFTER INSERT ON match BEGIN UPDATE skill SET mu = mu + 1; END"],
        ["CREATE VIEW sight AS SELECT * FROM fact"],
    ],
    ids=["trigger", "view"],
)
def test_what_a_database_would_run_is_refused_before_it_runs(words: list[str], copy: Where) -> None:
    """The author of a file can write a trigger or a view that never ends."""
    order(copy, *words)
    with (
        pytest.raises(RefereeError, match=r"(trigger gift|view sight) is none of ours: restore it"),
        Store(copy) as store,
    ):
        facts_of(store)


def test_a_view_in_the_place_of_a_table_is_not_read(copy: Where) -> None:
    """One of a query without end kept `verify` for ever."""
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    order(copy, "DROP TABLE skill", f"CREATE VIEW Skill AS {endless}")
    with pytest.raises(RefereeError, match="view Skill is none of ours"):
        prove(copy, ROWS)


@pytest.mark.thorough
@pytest.mark.parametrize("what", POSTGRESQL)
def test_what_is_not_ours_in_postgresql_is_named(what: str, ladder: Path, database: str) -> None:
    """There are more things of the kind there."""
    where = replace(where_of(database), files=ladder)
    with Store(where_of(str(ladder))) as store:
        import_facts(where, facts_of(store))
    with closing(Database(where)) as opened, opened.writing() as connection:
        for words in POSTGRESQL[what]:
            connection.execute(text(words))

    assert what in told(prove(where, ROWS))


def test_what_sqlite_makes_for_itself_is_no_finding(copy: Where) -> None:
    """Its statistics, after which it plans better."""
    order(copy, "ANALYZE")

    assert told(prove(copy, ROWS)) == ""


def test_a_ladder_on_postgresql_is_proved_alike(
    ladder: Path, database: str, tmp_path: Path
) -> None:
    """The same is found there."""
    with Store(where_of(str(ladder))) as store:
        facts = facts_of(store)
    where = replace(where_of(database), files=ladder)
    import_facts(where, facts)
    report = prove(where, Wanted())

    assert (told(report), report.proved) == ("", 4)
    assert report.head == prove(where_of(str(ladder)), ROWS).head


def test_a_ladder_on_postgresql_whose_files_are_elsewhere_says_so(
    ladder: Path, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever forgets to say where they are is not told of each record that is missing."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    with Store(where_of(str(ladder))) as store:
        facts = facts_of(store)
    where = replace(where_of(database), files=None)
    import_facts(replace(where, files=ladder), facts)
    (found,) = prove(where, ROWS).findings

    assert found.where == "records"
    assert found.what.startswith(f"none is in '{tmp_path}")
    assert found.what.endswith("4 records missing; ?files=DIR may be missing in the ladder's URL")


def test_there_has_to_be_a_ladder(tmp_path: Path) -> None:
    """Nothing is made where none is."""
    with pytest.raises(RefereeError, match="there is no ladder at"):
        prove(where_of(str(tmp_path / "none")), ROWS)

    assert not (tmp_path / "none").exists()


OPENED = Opened("0" * 32, "test", 1, "0")
POOL = replace(ladders.usual_pools()[0], pool=1)
ODD = replace(POOL.terms, options={"a": "b\nc"})
BOT = Submission(
    entrant=1, bot=1, name="a", author="b", version=1, hash="1" * 64, source="2" * 64, at_ms=2
)
SENSELESS: dict[str, tuple[list[Fact], Fact, str]] = {
    "not opened": ([], POOL, "not opened before"),
    "opened twice": ([OPENED], OPENED, "opened before"),
    "a strange id": ([], replace(OPENED, ladder="x"), "32 hex digits"),
    "a time before all time": ([OPENED], replace(POOL, at_ms=-1), "its time is -1"),
    "a time that has no date": ([OPENED], replace(POOL, at_ms=10**15), "its time is 10000"),
    "a pool is left out": ([OPENED], replace(POOL, pool=2), "number is 2, and should be 1"),
    "sides of other seats": ([OPENED], replace(POOL, partners=((0,), (0,))), "its sides"),
    "sides of different sizes": (
        [OPENED],
        replace(POOL, seats=4, partners=((0,), (1, 2, 3))),
        "of different sizes",
    ),
    "tables of one": (
        [OPENED],
        replace(POOL, seats=1, partners=((0,),), places=1),
        "tables have 1 places",
    ),
    "a ladder's name that acts on terminals": ([], replace(OPENED, name="\x1b[2J"), "be printed"),
    "a pool's, too": ([OPENED], replace(POOL, name="a\x1b]0;b"), "name or a setting cannot"),
    "or two lines of it": ([OPENED], replace(POOL, terms=ODD), "setting cannot be printed: b"),
    "a reason that turns text round": (
        [OPENED, BOT],
        Decision(deed=Deed.RETIRED, entrant=1, reason="\u202eno", at_ms=1),
        "its reason cannot be printed",
    ),
    "tables of none": ([OPENED], replace(POOL, places=0), "0 places"),
    "no seatings": ([OPENED], replace(POOL, seatings=0), "0 seatings"),
    "a bench as long as all time": ([OPENED], replace(POOL, bench=2**62), "to be benched"),
    "an entrant is left out": ([OPENED], replace(BOT, entrant=2), "entrant is 2, and should be 1"),
    "a version is left out": ([OPENED, BOT], replace(BOT, entrant=2, version=3), "should be 2"),
    "a version of another bot": ([OPENED, BOT], replace(BOT, entrant=2, bot=2, version=2), "bot"),
    "a name of anything": ([OPENED], replace(BOT, name="a b"), "bot name 'a b'"),
    "a hash of anything": ([OPENED], replace(BOT, hash="../x"), "64 hex digits"),
    "a partner of nobody": ([OPENED], replace(BOT, partners=(9,)), "partner is bot 9"),
    "a decision of nobody": (
        [OPENED, BOT],
        Decision(deed=Deed.CHOSEN, entrant=7, reason="", at_ms=1),
        "of entrant 7, and there is none",
    ),
    "a decision of no pool": (
        [OPENED, BOT],
        Decision(deed=Deed.CLOSED, pool=7, reason="", at_ms=1),
        "of pool 7, and there is none",
    ),
}


@pytest.mark.parametrize("what", SENSELESS)
def test_facts_make_sense_after_those_before_them(what: str) -> None:
    """What does not is named, and is left out, so that nothing falls over it."""
    before, fact, said = SENSELESS[what]
    story = Story()
    for one in before:
        assert story.add(one) == []

    assert said in "\n".join(story.add(fact))


MATCHES: dict[str, tuple[Callable[[Match], Match], str]] = {
    "of another ladder": (lambda m: replace(m, job=replace(m.job, ladder="1" * 32)), "another"),
    "of no pool": (lambda m: replace(m, job=replace(m.job, pool=2)), "pool 2, and there is none"),
    "of nobody": (lambda m: replace(m, job=replace(m.job, entrants=(1, 9))), "entrant 9"),
    "against oneself": (
        lambda m: replace(m, job=replace(m.job, entrants=(1, 1), hashes=m.job.hashes[:1] * 2)),
        "2 places for different bots",
    ),
    "by other bots": (lambda m: replace(m, job=replace(m.job, hashes=("0" * 64,) * 2)), "hashes"),
    "of three": (lambda m: brought(m, used_us=(1, 2, 3)), "2 places"),
    "less than nothing": (lambda m: brought(m, acts=-1), "less than nothing"),
    "too much": (lambda m: brought(m, wall_us=2**63), "too much"),
    "sums too large for a database": (
        lambda m: brought(m, voids=(0, 2**41)),
        "too much",
    ),
    "a fault of nobody": (
        lambda m: brought(m, fault_list=(replace(m.outcome.fault_list[0], bot=2),)),
        "at no place",
    ),
    "a block of three": (lambda m: block(m, values=(1, 2, 3)), "not those of its pool"),
    "a block of too much": (lambda m: block(m, values=(2**40, 0)), "not those of its pool"),
    "a block in more deals": (lambda m: block(m, deals=9), "not those of its pool"),
    "a block of no job": (lambda m: block(m, block=9), "not those of its job"),
    "a block is missing": (
        lambda m: brought(m, blocks=m.outcome.blocks[1:]),
        "1 blocks instead of 2",
    ),
    "no record": (lambda m: replace(m, record=""), "has no record"),
    "a record of anything": (lambda m: replace(m, record="../../x"), "64 hex digits"),
}


def block(match: Match, **how: Any) -> Match:
    """A match whose first block is another one."""
    return brought(
        match, blocks=(replace(match.outcome.blocks[0], **how), *match.outcome.blocks[1:])
    )


@pytest.mark.parametrize("what", MATCHES)
def test_a_match_makes_sense_for_its_table(what: str, tmp_path: Path) -> None:
    """Each of these would fall over something later, or could not be kept."""
    with ladders.made(tmp_path / "it", bots=("first", "random")) as store:
        match = ladders.invented(store, ladders.job(store, (1, 2)), faults=(1, 0))
        story = Story()
        for fact in facts_of(store):
            assert story.add(fact) == []
    changed, said = MATCHES[what]

    assert story.add(match) == []
    assert said in "\n".join(story.add(changed(match)))


@pytest.mark.parametrize(("matches", "wanted"), [(1000, 10), (7, 3), (5, 5), (3, 9), (0, 4)])
def test_samples_are_spread_evenly_and_follow_from_the_head(matches: int, wanted: int) -> None:
    """Each part of the ladder has as many; another head draws others."""
    head = hashlib.sha256(b"head").hexdigest()
    found = sorted(drawn(matches, wanted, head))

    assert found == sorted(drawn(matches, wanted, head))
    assert len(found) == min(matches, wanted)
    assert all(
        part * matches // wanted < number <= (part + 1) * matches // wanted
        for part, number in enumerate(found)
        if matches > wanted
    )
    if matches == 1000:
        assert found != sorted(drawn(matches, wanted, head[::-1]))


def test_findings_are_told_once_and_not_without_end() -> None:
    """Of too many only the number is kept."""
    findings = AuditFindings()
    for number in range(MOST + 5):
        findings.add(f"match {MOST - number}", "is wrong", MOST - number)
        findings.add(f"match {MOST - number}", "is wrong", MOST - number)

    assert findings.in_order()[0].fact < findings.in_order()[-1].fact
    assert len(findings.in_order()) == MOST
    assert findings.more == 10


def head_of(ladder: Path, facts: int) -> Head:
    """As it was signed when the ladder had so many facts."""
    with Store(where_of(str(ladder))) as store, store.facts() as reader:
        (link,) = [link for link, _ in reader.facts() if link.seq == facts]
    return Head(ladder=store.opened.ladder, facts=facts, hash=link.hash, at_ms=1)


def claim_of(head: Head) -> Claim:
    """The head as a person names it."""
    return Claim(source="since.json", head=head, signed=True)


def seq_of_match(ladder: Path, number: int) -> int:
    """The number of the fact that is this match."""
    with Store(where_of(str(ladder))) as store:
        at = [seq for seq, fact in enumerate(facts_of(store), 1) if isinstance(fact, Match)]
    return at[number - 1]


class TestSince:
    """Proofs that go on from one of before."""

    @pytest.mark.parametrize("workers", [1, 2])
    def test_only_what_is_new_is_played_again(self, ladder: Path, workers: int) -> None:
        """All facts and ratings are compared all the same."""
        since = head_of(ladder, seq_of_match(ladder, 3))
        report = prove(where_of(str(ladder)), Wanted(since=claim_of(since), workers=workers))

        assert told(report) == ""
        assert (report.matches, report.records, report.proved, report.earlier) == (4, 1, 1, 3)

    def test_of_what_is_new_a_sample_can_be_drawn(self, ladder: Path) -> None:
        """And none of what was proved before."""
        since = head_of(ladder, seq_of_match(ladder, 1))
        report = prove(where_of(str(ladder)), Wanted(since=claim_of(since), sample=2))

        assert (report.holds, report.records, report.proved, report.earlier) == (True, 3, 2, 1)

    def test_with_nothing_new_nothing_is_played(self, ladder: Path) -> None:
        """Records have to be there."""
        report = prove(where_of(str(ladder)), Wanted())
        since = Head(ladder=report.ladder, facts=report.facts, hash=report.head, at_ms=1)
        again = prove(where_of(str(ladder)), Wanted(since=claim_of(since)))

        assert (again.holds, again.records, again.proved, again.earlier) == (True, 0, 0, 4)

    def test_a_change_in_an_earlier_fact_is_found(self, ladder: Path, copy: Where) -> None:
        """Though its record is not looked into."""
        since = head_of(ladder, seq_of_match(ladder, 3))
        order(copy, "UPDATE match SET acts = acts + 1 WHERE number = 1")
        report = prove(copy, Wanted(since=claim_of(since)))

        assert [one.where for one in report.findings][:1] == ["match 1"]

    def test_an_earlier_record_that_is_gone_is_found(self, ladder: Path, tmp_path: Path) -> None:
        """To know that it was proved does not bring it back."""
        shutil.copytree(ladder, tmp_path / "it")
        where = where_of(str(tmp_path / "it"))
        with Store(where) as store:
            (first, *_) = [one for one in facts_of(store) if isinstance(one, Match)]
        record_store.path_of(tmp_path / "it", first.record).unlink()
        report = prove(where, Wanted(since=claim_of(head_of(ladder, seq_of_match(ladder, 3)))))

        assert [one.where for one in report.findings] == ["match 1"]
        assert report.earlier == 2

    def test_a_head_of_another_history_is_named(self, ladder: Path) -> None:
        """Nothing was proved of this one."""
        since = replace(head_of(ladder, 3), hash="0" * 64)

        assert "is not what it was when the head was signed" in told(
            prove(where_of(str(ladder)), Wanted(since=claim_of(since)))
        )

    def test_a_head_says_since_when_on_the_command_line(
        self,
        ladder: Path,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """The one that a whole proof has printed."""
        shutil.copytree(ladder, tmp_path / "it")
        monkeypatch.setenv("REFEREE_LADDER", str(tmp_path / "it"))
        assert run(["ladder", "verify", "--head"]) == 0
        (tmp_path / "head.json").write_text(capsys.readouterr().out)

        assert run(["ladder", "verify", "--since", str(tmp_path / "head.json")]) == 0
        said = capsys.readouterr().out
        assert "4 matches, 0 records, 0 of them played again, 4 more proved before" in said
        assert "all of it holds" in said

    @pytest.mark.parametrize("words", [["--sample", "0"], ["--sample", "2"]])
    def test_a_head_that_proves_less_does_not_say_since_when(
        self,
        words: list[str],
        ladder: Path,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """Nothing passes for proved because some head has its hash."""
        shutil.copytree(ladder, tmp_path / "it")
        monkeypatch.setenv("REFEREE_LADDER", str(tmp_path / "it"))
        assert run(["ladder", "verify", "--head", *words]) == 0
        (tmp_path / "head.json").write_text(capsys.readouterr().out)

        assert run(["ladder", "verify", "--since", str(tmp_path / "head.json")]) == 2
        assert "it does not say that all was proved" in capsys.readouterr().err

    def test_only_the_ladder_itself_or_who_is_named_says_since_when(
        self,
        ladder: Path,
        tmp_path: Path,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        """A head that a stranger has signed is one if that key is named."""
        shutil.copytree(ladder, tmp_path / "it")
        monkeypatch.setenv("REFEREE_LADDER", str(tmp_path / "it"))
        since = ["ladder", "verify", "--since", str(tmp_path / "head.json")]
        report = prove(where_of(str(tmp_path / "it")), ROWS)
        head = Head(
            ladder=report.ladder, facts=report.facts, hash=report.head, at_ms=1, proved=True
        )
        strange = kept_key(tmp_path)
        line = signed_head.as_json(signed_head.signed(head, strange))
        (tmp_path / "head.json").write_bytes(line)

        (tmp_path / "it" / "files" / "head-key").unlink(missing_ok=True)
        assert run(since) == 2
        assert "this ladder has signed nothing; say --public-key" in capsys.readouterr().err
        assert run(["ladder", "verify", "--sample", "0", "--head"]) == 0
        assert run(since) == 2
        assert "signed with another key" in capsys.readouterr().err
        assert run([*since, "--public-key", signed_head.public_of(strange)]) == 0


@pytest.mark.thorough
def test_a_head_can_be_signed_and_proved(ladder: Path, tmp_path: Path) -> None:
    """What `prove` returns is what a head is made of."""
    report = prove(where_of(str(ladder)), ROWS)
    head = Head(ladder=report.ladder, facts=report.facts, hash=report.head, at_ms=1)
    signed = signed_head.signed(head, kept_key(tmp_path))

    signed_head.check(signed)
    claim = Claim(source="signed", head=signed.head, signed=True)
    assert prove(where_of(str(ladder)), Wanted(sample=0, claims=(claim,))).holds

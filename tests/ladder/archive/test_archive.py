"""A ladder goes from one place to another as one archive: whole, checked, or not at all."""

import os
import random
import shutil
import stat
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile, ZipInfo

import msgspec
import pytest
from msgspec.structs import replace

from ladder.archive.export import export, record_name
from ladder.archive.format import add_file, adding, fact_of, line_of, runs
from ladder.archive.load import take_in
from ladder.audit.audit import Wanted, prove
from ladder.core.facts import (
    Decision,
    Deed,
    Fact,
    Keep,
    Match,
    Retention,
)
from ladder.files import record_store, signed_head
from ladder.files.signed_head import Head
from ladder.files.signing import kept_key
from ladder.store import chain
from ladder.store.chain import Tip
from ladder.store.head_log import HEADS
from ladder.store.location import usual_files, where_of
from ladder.store.store import Store
from ladder.submissions.frozen_bots import BOTS
from referee.cli import run
from referee.errors import HostError, RefereeError
from referee.sandbox.janitor import run_of
from support import ladders
from support.disks import small_disk
from support.pools import brought

pytestmark = pytest.mark.slow

FLIPS = 200


@pytest.fixture(scope="module")
def ladder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ladder with invented matches, a bot that is benched, and a job that was not played."""
    folder = tmp_path_factory.mktemp("ladder") / "it"
    with ladders.made(folder, ladders.usual_pools("briscola-2", "briscola-3", bench=2)) as store:
        ladders.filled(store, 12)
        ladders.filled(store, 3, pool=2)
        ladders.submit(store, "greedy", "author-of-greedy", "first")
        ladders.filled(store, 4)
        store.add(lambda _, now: [Decision(deed=Deed.RETIRED, entrant=2, reason="so", at_ms=now)])
        store.add(lambda _, now: [Retention(keep=Keep.LAST, last=50, at_ms=now)])
        ladders.lease(store, ladders.job(store, (1, 3), 99))
    return folder


@pytest.fixture(scope="module")
def archive(ladder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Its archive, bots included."""
    path = tmp_path_factory.mktemp("archive") / "ladder.zip"
    with Store(where_of(str(ladder))) as store:
        export(store, path, bots=True)
    return path


def files_in(path: Path) -> dict[str, bytes]:
    """What an archive holds."""
    with ZipFile(path) as found:
        return {name: found.read(name) for name in found.namelist()}


def everything(folder: Path) -> list[str]:
    """All that lies in a folder."""
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_an_archive_holds_all_facts_records_and_bots(ladder: Path, archive: Path) -> None:
    """In a fixed order, stored, signed; without the key of the job that is still to be played."""
    found = files_in(archive)
    names = list(found)
    with Store(where_of(str(ladder))) as store:
        counts = store.counts()
        (waiting,) = store.situation().jobs
        with store.facts() as reader:
            links = [link for link, _ in reader.facts()]
            records = [match.record for match in reader.matches()]
    lines = [fact_of(line + b"\n") for line in found["facts.jsonl"].splitlines()]

    assert names[:2] == ["head.json", "facts.jsonl"]
    assert names[2 : 2 + counts.matches] == [record_name(record) for record in records]
    assert {name.split("/")[0] for name in names[2 + counts.matches :]} == {"bots"}
    assert [(line.seq, line.hash) for line in lines] == [(link.seq, link.hash) for link in links]
    signed = signed_head.from_json(found["head.json"])
    signed_head.check(signed)
    assert (signed.head.facts, signed.head.hash) == (links[-1].seq, links[-1].hash)
    assert waiting.key.encode() not in archive.read_bytes()
    with ZipFile(archive) as inside:
        assert {info.compress_type for info in inside.infolist()} == {ZIP_STORED}


def test_two_exports_differ_in_nothing_but_the_time_of_the_head(
    ladder: Path, archive: Path, tmp_path: Path
) -> None:
    """Whoever compares two archives sees what has come between them."""
    with Store(where_of(str(ladder))) as store:
        said = export(store, tmp_path / "again.zip", bots=True)
        plain = export(store, tmp_path / "plain.zip")
    once, again = files_in(archive), files_in(tmp_path / "again.zip")

    assert list(once) == list(again)
    assert [name for name in once if once[name] != again[name]] in ([], ["head.json"])
    assert (said.records, said.bots, plain.bots) == (19, 4, 0)
    assert not any(name.startswith("bots/") for name in files_in(tmp_path / "plain.zip"))


def test_a_ladder_is_the_same_after_a_journey_through_postgresql(
    ladder: Path, archive: Path, database: str, tmp_path: Path
) -> None:
    """SQLite, archive, PostgreSQL, archive, SQLite: equal facts, records, bots, results."""
    there = where_of(f"{database}?files={tmp_path / 'files'}")
    assert take_in(there, archive).bots == 4
    assert prove(there, Wanted(sample=0)).findings == ()
    with Store(there) as store:
        export(store, tmp_path / "back.zip", bots=True)
    back = where_of(str(tmp_path / "back"))
    take_in(back, tmp_path / "back.zip")
    once, again = files_in(archive), files_in(tmp_path / "back.zip")

    assert once.pop("head.json") != again.pop("head.json")  # another key
    assert once == again
    report = prove(back, Wanted(sample=0))
    assert (report.findings, report.notes, report.bots) == ((), (), 4)
    with Store(where_of(str(ladder))) as first, Store(back) as last, Store(there) as middle:
        for pool in first.roster.pools:
            wanted = first.results(pool)
            for store in (last, middle):
                found = store.results(pool)
                assert all(
                    (getattr(wanted, name) == getattr(found, name)).all()
                    for name in wanted.__struct_fields__
                )
        assert last.rebuild()[0] == middle.rebuild()[0] == first.rebuild()[0]


def test_an_archive_without_bots_is_a_ladder_to_look_at(ladder: Path, tmp_path: Path) -> None:
    """It can be proved and shown; that nobody can play there is a note."""
    with Store(where_of(str(ladder))) as store:
        export(store, tmp_path / "plain.zip")
    where = where_of(str(tmp_path / "there"))
    found = take_in(where, tmp_path / "plain.zip")
    report = prove(where, Wanted(sample=0))

    assert (found.records, found.bots) == (19, 0)
    assert report.holds
    assert len(report.notes) == 1
    assert stat.S_IMODE((tmp_path / "there").stat().st_mode) == 0o700


def test_imported_bots_are_as_read_only_as_frozen_ones(
    ladder: Path, archive: Path, tmp_path: Path
) -> None:
    """Files, folders, and their modes."""
    take_in(where_of(str(tmp_path / "there")), archive)

    paths = sorted((ladder / BOTS).rglob("*"))
    assert {path.is_dir() for path in paths} == {True, False}
    for path in paths:
        copy = tmp_path / "there" / BOTS / path.relative_to(ladder / BOTS)
        assert copy.stat().st_mode == path.stat().st_mode


def test_programs_are_told_by_their_mode_where_nothing_may_be_run(
    ladder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As on a disk that is mounted noexec: a bot's hash goes by the mode, and so does the copy."""
    monkeypatch.setattr(os, "access", lambda _, mode: not mode & os.X_OK)
    program = tmp_path / "program"
    program.touch()
    for mode, how in ((0o555, True), (0o444, False)):
        program.chmod(mode)
        with ZipFile(tmp_path / f"{mode}.zip", "w") as file:
            add_file(file, "x", program)
            assert runs(file.infolist()[0]) is how


def test_an_archive_does_not_take_the_place_of_a_file(ladder: Path, tmp_path: Path) -> None:
    """Nor is anything left where an export ends halfway."""
    (tmp_path / "there").write_text("mine")
    os.symlink("nowhere", tmp_path / "link")
    with Store(where_of(str(ladder))) as store:
        for name in ("there", "link"):
            with pytest.raises(RefereeError, match="exists already"):
                export(store, tmp_path / name)
        with pytest.raises(RefereeError, match="there is no such folder"):
            export(store, tmp_path / "no" / "folder")

    assert everything(tmp_path) == ["link", "there"]
    assert (tmp_path / "there").read_text() == "mine"


def test_a_damaged_ladder_is_not_exported(ladder: Path, tmp_path: Path) -> None:
    """What is wrong is named, and nothing is left."""
    shutil.copytree(ladder, tmp_path / "it")
    with Store(where_of(str(tmp_path / "it"))) as store:
        with store.facts() as reader:
            match = next(reader.matches())
        path = record_store.path_of(tmp_path / "it", match.record)
        path.chmod(0o644)
        path.write_bytes(b"other")
        with pytest.raises(RefereeError, match=f"{match.record}.*see `referee ladder verify`"):
            export(store, tmp_path / "archive")
        path.unlink()
        with pytest.raises(RefereeError, match="is missing: see"):
            export(store, tmp_path / "archive")

    assert everything(tmp_path)[0] == "it"


def test_nothing_is_imported_where_something_is(
    ladder: Path, archive: Path, tmp_path: Path
) -> None:
    """A ladder stays as it is, and so do records and bots of whatever it is."""
    before = (ladder / "ladder.db").read_bytes()
    with pytest.raises(RefereeError, match="there is a ladder at"):
        take_in(where_of(str(ladder)), archive)
    assert (ladder / "ladder.db").read_bytes() == before

    (tmp_path / "there" / BOTS / "mine").mkdir(parents=True)
    with pytest.raises(RefereeError, match=f"there are bots in '{tmp_path}/there'") as caught:
        take_in(where_of(str(tmp_path / "there")), archive)
    assert "import into another folder" in str(caught.value)
    assert "remove" not in str(caught.value)
    assert everything(tmp_path / "there") == [BOTS, f"{BOTS}/mine"]


def test_the_files_of_a_living_ladder_are_in_nobodys_way(
    archive: Path, database: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On the machine of the original its usual folder is full: the URL can name another one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    ladder = signed_head.from_json(files_in(archive)["head.json"]).head.ladder
    mine = usual_files(ladder) / BOTS / "mine"
    mine.mkdir(parents=True)
    with pytest.raises(RefereeError, match="there are bots in") as caught:
        take_in(where_of(database), archive)
    assert repr(str(usual_files(ladder))) in str(caught.value)
    assert "?files=DIR" in str(caught.value)
    assert "remove" not in str(caught.value)
    assert everything(usual_files(ladder)) == [BOTS, f"{BOTS}/mine"]

    take_in(where_of(f"{database}?files={tmp_path / 'other'}"), archive)
    assert sorted(os.listdir(tmp_path / "other")) == [BOTS, HEADS, record_store.RECORDS]


def test_what_a_killed_import_has_left_is_taken_away(archive: Path, tmp_path: Path) -> None:
    """Its folder is named after a process; whether another machine's lives only time can tell."""
    there, here = tmp_path / "there", run_of(os.getpid()).partition("-")[0]
    dead, distant, old = f"{here}-999999-1-abcd", "1.1-999999-1-abcd", "1.1-999999-2-abcd"
    for name in (dead, distant, old):
        (there / f".import-{name}" / "records").mkdir(parents=True)
    yesterday = time.time() - 25 * 3600
    os.utime(there / f".import-{old}", (yesterday, yesterday))
    take_in(where_of(str(there)), archive)

    assert sorted(path.name for path in there.iterdir()) == [
        f".import-{distant}",
        "bots",
        "heads",
        "ladder.db",
        "records",
    ]


def test_a_head_has_to_be_signed_by_whom_the_reader_trusts(archive: Path, tmp_path: Path) -> None:
    """If they say who that is."""
    signed = signed_head.from_json(files_in(archive)["head.json"])
    with pytest.raises(RefereeError, match="signed with another key"):
        take_in(where_of(str(tmp_path / "there")), archive, public_key="0" * 64)
    assert everything(tmp_path) == []

    take_in(where_of(str(tmp_path / "there")), archive, public_key=signed.public_key)


def test_a_moved_ladder_signs_with_its_key_if_that_is_carried_over(
    ladder: Path, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No archive holds it: an import says where it belongs, and whoever makes a new one says so."""
    signed = signed_head.from_json(files_in(archive)["head.json"])
    there, option = tmp_path / "there", ["--ladder", str(tmp_path / "there")]
    assert run(["ladder", "import", *option, str(archive)]) == 0
    said = capsys.readouterr()
    assert f"copy head-key from the old ladder's files to {there / 'head-key'}\n" in said.out

    assert run(["ladder", "export", *option, str(tmp_path / "new.zip")]) == 0
    assert f"made a key to sign heads with: {there / 'head-key'};" in capsys.readouterr().err
    new = signed_head.from_json(files_in(tmp_path / "new.zip")["head.json"])
    assert new.public_key != signed.public_key

    shutil.copy(ladder / "head-key", there / "head-key")
    assert run(["ladder", "export", *option, str(tmp_path / "old.zip")]) == 0
    assert capsys.readouterr().err == ""
    old = signed_head.from_json(files_in(tmp_path / "old.zip")["head.json"])
    signed_head.check(old, signed.public_key)


def test_a_key_that_is_there_already_is_not_asked_for(
    ladder: Path, archive: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be carried over before the archive is."""
    (tmp_path / "there").mkdir(mode=0o700)
    shutil.copy(ladder / "head-key", tmp_path / "there")
    assert run(["ladder", "import", "--ladder", str(tmp_path / "there"), str(archive)]) == 0
    assert "head-key" not in capsys.readouterr().out


Change = Callable[[dict[str, bytes]], dict[str, bytes]]


def facts_of(files: dict[str, bytes]) -> list[Fact]:
    """The facts of an archive."""
    return [fact_of(line + b"\n").fact for line in files["facts.jsonl"].splitlines()]


def with_facts(files: dict[str, bytes], facts: list[Fact], key: Path) -> dict[str, bytes]:
    """An archive of other facts, hashed anew and signed by a key of somebody's."""
    tip, lines = Tip(), []
    for fact in facts:
        link = chain.link(tip, fact)
        tip = Tip(link.seq, link.at_ms, link.hash)
        lines.append(line_of(link))
    before = signed_head.from_json(files["head.json"]).head
    head = Head(ladder=before.ladder, facts=len(facts), hash=tip.hash, at_ms=0)
    signed = signed_head.as_json(signed_head.signed(head, kept_key(key)))
    return {**files, "head.json": signed, "facts.jsonl": b"".join(lines)}


def written(path: Path, files: dict[str, bytes], programs: tuple[str, ...] = ()) -> Path:
    """An archive of these files."""
    with ZipFile(path, "w") as archive:
        for name, data in files.items():
            with adding(archive, name, runs=name in programs) as file:
                file.write(data)
    return path


def first(files: dict[str, bytes], start: str) -> str:
    """The first file whose name begins so."""
    return next(name for name in files if name.startswith(start))


def renamed(files: dict[str, bytes], old: str, new: str) -> dict[str, bytes]:
    """A file has another name, in the same place."""
    return {new if name == old else name: data for name, data in files.items()}


CHANGES: dict[str, tuple[Change, str]] = {
    "no head": (lambda f: {k: v for k, v in f.items() if k != "head.json"}, "head.json"),
    "a forged head": (
        lambda f: {**f, "head.json": f["head.json"].replace(b'"facts":', b'"facts":1')},
        "changed or forged",
    ),
    "a long head": (lambda f: {**f, "head.json": b" " * 5000}, "more than 4096 bytes"),
    "a fact is gone": (
        lambda f: {**f, "facts.jsonl": f["facts.jsonl"].split(b"\n", 1)[1]},
        "fact 1 is not what it was",
    ),
    "the last fact is gone": (
        lambda f: {**f, "facts.jsonl": f["facts.jsonl"][:-1].rpartition(b"\n")[0] + b"\n"},
        "do not end as its head says",
    ),
    "the last line is cut": (
        lambda f: {**f, "facts.jsonl": f["facts.jsonl"][:-1]},
        "not as it was written",
    ),
    "a fact with a blank more": (
        lambda f: {**f, "facts.jsonl": f["facts.jsonl"].replace(b'"seq":2', b'"seq": 2')},
        "line 2 of facts.jsonl: it is not as it was written",
    ),
    "a fact with a huge number": (
        lambda f: {
            **f,
            "facts.jsonl": f["facts.jsonl"].replace(
                b'"partners":[]', b'"partners":[' + b"9" * 99 + b"]"
            ),
        },
        "fact 4 is not what it was",
    ),
    "an unknown field": (
        lambda f: {**f, "facts.jsonl": f["facts.jsonl"].replace(b'{"seq":1,', b'{"x":1,"seq":1,')},
        "line 1 of facts.jsonl",
    ),
    "no facts": (lambda f: {**f, "facts.jsonl": b""}, "0 facts do not end"),
    "a record is changed": (
        lambda f: {**f, first(f, "records/"): b"x" * len(f[first(f, "records/")])},
        "was changed",
    ),
    "a record is longer": (
        lambda f: {**f, first(f, "records/"): f[first(f, "records/")] + b"x"},
        "more than",
    ),
    "a record is gone": (
        lambda f: {k: v for k, v in f.items() if k != first(f, "records/")},
        "is expected, and there is",
    ),
    "a record with a path": (
        lambda f: renamed(f, first(f, "records/"), "records/../../x"),
        "is expected, and there is 'records/../../x'",
    ),
    "a file more": (lambda f: {**f, "extra": b""}, "'extra' does not belong there"),
    "a bot is changed": (
        lambda f: {**f, first(f, "bots/"): f[first(f, "bots/")] + b"\n"},
        "was changed",
    ),
    "a bot leads out": (
        lambda f: renamed(
            f, first(f, "bots/"), f"{first(f, 'bots/').rpartition('/')[0]}/../../../x"
        ),
        "no name of a file of a bot",
    ),
    "a bot is gone": (
        lambda f: {
            k: v for k, v in f.items() if not k.startswith(first(f, "bots/").rpartition("/")[0])
        },
        "no bot.toml",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_an_archive_that_is_not_ours_is_refused_in_a_line(
    what: str, archive: Path, tmp_path: Path
) -> None:
    """It is named, and nothing of it is left."""
    change, said = CHANGES[what]
    path = written(tmp_path / "changed.zip", change(files_in(archive)))
    with pytest.raises(RefereeError) as caught:
        take_in(where_of(str(tmp_path / "there")), path)

    assert said in str(caught.value)
    assert str(caught.value).startswith(f"archive {str(path)!r}: ")
    assert "\n" not in str(caught.value)
    assert everything(tmp_path) == ["changed.zip"]


def test_a_bot_that_would_be_built_is_refused(archive: Path, tmp_path: Path) -> None:
    """Builds belong to submitting, whatever hash they have."""
    files = files_in(archive)
    name = next(name for name in files if name.endswith("bot.toml"))
    files[name] = b'build = "make"\n' + files[name]
    path = written(tmp_path / "changed.zip", files)
    with pytest.raises(RefereeError, match="was not built"):
        take_in(where_of(str(tmp_path / "there")), path)

    assert everything(tmp_path) == ["changed.zip"]


def test_facts_of_a_stranger_that_make_no_sense_are_refused(archive: Path, tmp_path: Path) -> None:
    """A signature says who it was, not that it is right."""
    files = files_in(archive)
    (tmp_path / "key").mkdir()
    senseless: list[Callable[[Match], Match]] = [
        lambda m: replace(m, job=replace(m.job, pool=77)),
        lambda m: replace(m, job=replace(m.job, entrants=(1, 77))),
        lambda m: brought(
            m, blocks=(replace(m.outcome.blocks[0], values=(2**40, 0)), m.outcome.blocks[1])
        ),
        lambda m: brought(m, used_us=()),
    ]
    for number, change in enumerate(senseless):
        facts = facts_of(files)
        at = next(at for at, fact in enumerate(facts) if isinstance(fact, Match))
        match = facts[at]
        assert isinstance(match, Match)
        facts[at] = change(match)
        path = written(tmp_path / f"{number}.zip", with_facts(files, facts, tmp_path / "key"))
        with pytest.raises(RefereeError, match=f"fact {at + 1}: "):
            take_in(where_of(str(tmp_path / "there")), path)
        assert not (tmp_path / "there").exists()


def test_a_match_that_comes_twice_is_the_archives_fault(archive: Path, tmp_path: Path) -> None:
    """Not the host's, as what else a database refuses."""
    files = files_in(archive)
    (tmp_path / "key").mkdir()
    facts = facts_of(files)
    facts.append(next(fact for fact in facts if isinstance(fact, Match)))
    path = written(tmp_path / "a.zip", with_facts(files, facts, tmp_path / "key"))

    with pytest.raises(RefereeError, match=r"these facts exclude each other: .*match") as caught:
        take_in(where_of(str(tmp_path / "there")), path)
    assert not isinstance(caught.value, HostError)
    assert not (tmp_path / "there").exists()


def test_facts_that_were_signed_by_a_stranger_are_taken_if_nobody_is_named(
    archive: Path, tmp_path: Path
) -> None:
    """The way the tests above make archives is right: without their changes they are taken."""
    files = files_in(archive)
    (tmp_path / "key").mkdir()
    path = written(tmp_path / "a.zip", with_facts(files, facts_of(files), tmp_path / "key"))

    assert take_in(where_of(str(tmp_path / "there")), path).records == 19


def odd(name: str, data: bytes, **how: int) -> Iterator[tuple[ZipInfo, bytes]]:
    info = ZipInfo(name)
    info.external_attr = (stat.S_IFREG | 0o444) << 16
    for field, value in how.items():
        setattr(info, field, value)
    yield info, data


@pytest.mark.parametrize(
    "how",
    [
        {"compress_type": ZIP_DEFLATED},
        {"external_attr": (stat.S_IFLNK | 0o777) << 16},
        {"external_attr": 0},
        {"external_attr": (stat.S_IFREG | 0o4555) << 16},
    ],
)
def test_files_of_other_kinds_are_refused_before_they_are_read(
    how: dict[str, int], tmp_path: Path
) -> None:
    """Nothing is inflated, linked, or made anybody else's."""
    with ZipFile(tmp_path / "odd.zip", "w") as archive:
        for info, data in odd("head.json", b"\0" * 100_000, **how):
            archive.writestr(info, data)
    with pytest.raises(RefereeError, match="is not as an export has it"):
        take_in(where_of(str(tmp_path / "there")), tmp_path / "odd.zip")


def test_files_that_overlap_are_refused(archive: Path, tmp_path: Path) -> None:
    """Else a small archive could hold many large files."""
    with ZipFile(tmp_path / "odd.zip", "w") as odd_one:
        for name in ("head.json", "facts.jsonl"):
            for info, data in odd(name, b"\0" * 1000):
                odd_one.writestr(info, data)
        for _ in range(3):
            odd_one.filelist.append(odd_one.filelist[0])
    with pytest.raises(RefereeError, match="overlap"):
        take_in(where_of(str(tmp_path / "there")), tmp_path / "odd.zip")


def test_no_flipped_bit_of_an_archive_is_taken_in(
    archive: Path, tmp_path: Path, many_cases: bool
) -> None:
    """Each is refused in a line, or is in what a zip says twice: then all is as it was."""
    whole, dice = archive.read_bytes(), random.Random(8)
    before = files_in(archive)
    taken, flips = 0, FLIPS if many_cases else FLIPS // 6
    for number in range(flips):
        bit = dice.randrange(8 * len(whole))
        flipped = bytearray(whole)
        flipped[bit // 8] ^= 1 << bit % 8
        path, there = tmp_path / "flipped.zip", tmp_path / str(number)
        path.unlink(missing_ok=True)  # to write over a file can mean to wait for the disk
        path.write_bytes(flipped)
        if not is_refused(path, there):
            taken += 1
            with Store(where_of(str(there))) as store:
                export(store, tmp_path / "again.zip", bots=True)
            again = files_in(tmp_path / "again.zip")
            assert {**again, "head.json": b""} == {**before, "head.json": b""}, bit
            (tmp_path / "again.zip").unlink()
        else:
            assert not there.exists()

    assert taken < flips // 3


def is_refused(path: Path, there: Path) -> bool:
    """Whether an archive is, in a line."""
    try:
        take_in(where_of(str(there)), path)
    except RefereeError as error:
        return "\n" not in str(error)
    return False


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    """Be it missing, empty, or anything."""
    (tmp_path / "empty").write_bytes(b"")
    (tmp_path / "text").write_bytes(b"text" * 100)
    for name in ("empty", "text"):
        with pytest.raises(RefereeError, match="is damaged: File is not a zip file"):
            take_in(where_of(str(tmp_path / "there")), tmp_path / name)
    with pytest.raises(RefereeError, match="there is no such file"):
        take_in(where_of(str(tmp_path / "there")), tmp_path / "none")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RefereeError, match="that is no file"):
        take_in(where_of(str(tmp_path / "there")), tmp_path / "pipe")


def test_a_full_disk_leaves_nothing_of_an_import(archive: Path, tmp_path: Path) -> None:
    """A tiny disk of its own: one line, and the disk is as empty as it was."""
    with small_disk(tmp_path / "disk", 160) as there:
        with pytest.raises(HostError, match=r"full|No space left"):
            take_in(where_of(str(there / "it")), archive)
        assert everything(there) == []


def test_the_key_of_a_line_is_what_it_says() -> None:
    """A line of facts is JSON with three keys, for readers of any language."""
    fact = Decision(deed=Deed.CLOSED, pool=1, reason="so", at_ms=5)
    link = chain.link(Tip(seq=2), fact)
    line = line_of(link)

    assert msgspec.json.decode(line) == {
        "seq": 3,
        "hash": link.hash,
        "fact": {
            "type": "Decision",
            "deed": "closed",
            "entrant": 0,
            "pool": 1,
            "reason": "so",
            "at_ms": 5,
        },
    }

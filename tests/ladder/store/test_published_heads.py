"""What a ladder publishes of itself: heads in a log, receipts, tables that name their head."""

import errno
import io
import json
import os
import re
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.audit.audit import Wanted, prove
from ladder.audit.claims import Claim, read_claims
from ladder.audit.compared import Compared
from ladder.audit.findings import AuditReport
from ladder.core.facts import Fact, Match
from ladder.files import signed_head
from ladder.files.head_text import head_line, heads_in
from ladder.files.signed_head import Head, SignedHead
from ladder.files.signing import kept_key
from ladder.runner.patient_store import Desk
from ladder.store import receipts
from ladder.store.bulk_import import import_facts
from ladder.store.head_log import HEADS, LOG, NEWEST, publish
from ladder.store.location import where_of
from ladder.store.raw_rows import Examiner
from ladder.store.receipts import receipt_of
from ladder.store.store import Store
from ladder.submissions.accept import Frozen
from referee.cli import run
from referee.errors import HostError, RefereeError
from support import ladders

HEAD = Head(ladder="0f" * 16, facts=1234, hash="ab" * 32, at_ms=1_767_225_600_999)
LINE = "1234 facts until 2026-01-01 00:00:00 UTC, hash " + "ab" * 32 + ", ladder " + "0f" * 16


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder of two bots with some matches."""
    with ladders.made(tmp_path / "it", bots=("first", "random")) as found:
        ladders.filled(found, 3)
        yield found


def logged(store: Store) -> list[SignedHead]:
    """The heads of a ladder's log, each checked."""
    lines = (store.files / HEADS / LOG).read_bytes().splitlines(keepends=True)
    found = [signed_head.from_json(line) for line in lines]
    for one in found:
        signed_head.check(one)
    return found


def proved(store: Store, *files: Path, public_key: str | None = None) -> AuditReport:
    """What `verify` finds of the facts, compared with what files say."""
    claims = [claim for path in files for claim in read_claims(path, public_key)]
    return prove(store.where, Wanted(sample=0, claims=tuple(claims)))


def remade(store: Store, to: Path, change: Callable[[list[Fact]], list[Fact]]) -> Store:
    """A ladder of other facts, with all hashes made anew; it has the files and the key of the old.

    Its log of heads, if any, is that of the old one, too.
    """
    with store.facts() as reader:
        facts = [fact for _, fact in reader.facts()]
    shutil.copytree(store.files, to, ignore=shutil.ignore_patterns("ladder.db*"))
    import_facts(where_of(str(to)), change(facts))
    return Store(where_of(str(to)))


def without_the_worst_match(facts: list[Fact]) -> list[Fact]:
    """What somebody removes who does not like a result."""
    worst = next(at for at, fact in enumerate(facts) if isinstance(fact, Match))
    return facts[:worst] + facts[worst + 1 :]


def findings(report: AuditReport) -> str:
    """All that was found, apart from what the files of invented matches are."""
    return "\n".join(one.line for one in report.findings if one.where.startswith("head"))


# The log.


def test_the_log_has_a_line_for_each_state_of_the_ladder(store: Store) -> None:
    """The newest is in a file by itself; publishing twice adds nothing."""
    first = publish(store)
    assert publish(store) == first
    ladders.filled(store, 1)
    second = publish(store)

    assert logged(store) == [first, second]
    assert (store.files / HEADS / NEWEST).read_bytes() == signed_head.as_json(second)
    assert second.head == replace(store.head(), at_ms=second.head.at_ms)
    assert first.head.facts == second.head.facts - 1


def test_a_torn_line_of_the_log_is_cut_by_the_next_writer(store: Store) -> None:
    """Whatever ended the writer, every line is whole."""
    whole = signed_head.as_json(publish(store))
    log = store.files / HEADS / LOG
    ladders.filled(store, 1)
    for size in (1, 100, len(whole) - 1):
        log.write_bytes(whole + whole[:size])
        log.with_name(NEWEST).unlink()
        assert proved(store).compared.logged == 1
        publish(store)
        assert len(logged(store)) == 2
        log.write_bytes(whole)
    log.write_bytes(whole[:50])
    publish(store)
    assert len(logged(store)) == 1


def test_publishers_at_once_write_one_line_after_the_other(store: Store) -> None:
    """Several runners of one ladder share its log."""
    gate = threading.Barrier(4)

    def work() -> None:
        with Store(store.where) as own:
            gate.wait()
            for _ in range(5):
                publish(own)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    ladders.filled(store, 2)
    for thread in threads:
        thread.join()
    publish(store)
    facts = [one.head.facts for one in logged(store)]

    assert facts == sorted(set(facts))
    assert facts[-1] == store.head().facts


def test_a_ladder_that_its_log_contradicts_publishes_nothing(store: Store, tmp_path: Path) -> None:
    """There are no two histories under one key unless somebody moves the log away."""
    publish(store)
    with remade(store, tmp_path / "other", without_the_worst_match) as other:
        with pytest.raises(RefereeError, match="the ladder has fewer") as caught:
            publish(other)
        assert "\n" not in str(caught.value)
        ladders.count(other, ladders.invented(other, ladders.job(other, (1, 2), 99)))
        with pytest.raises(RefereeError, match="or one before it is not what it was"):
            publish(other)
        (other.files / HEADS).rename(tmp_path / "away")
        publish(other)


@pytest.mark.parametrize("text", [b"no head\n", b"{}\n", b"\0" * 9000, b"x" * 100_000 + b"\n"])
def test_a_damaged_log_is_named_and_left_alone(store: Store, text: bytes) -> None:
    """What others have kept of it may be needed."""
    publish(store)
    log = store.files / HEADS / LOG
    log.write_bytes(text)

    with pytest.raises(RefereeError, match=r"heads '.*heads.jsonl': its .* move it away"):
        publish(store)
    assert log.read_bytes() == text
    assert "heads.jsonl, line 1'" in findings(proved(store))


def test_a_pipe_in_the_place_of_the_log_is_a_finding(store: Store) -> None:
    """It is not waited for."""
    publish(store)
    (store.files / HEADS / LOG).unlink()
    os.mkfifo(store.files / HEADS / LOG)
    assert "is no log of heads: it is a named pipe" in findings(proved(store))


def test_a_pipe_in_the_place_of_the_key_signs_nothing(store: Store) -> None:
    """Nor is that waited for."""
    store.files.mkdir(parents=True, exist_ok=True)
    os.mkfifo(store.files / "head-key", 0o600)
    with pytest.raises(RefereeError, match="is no key: it is a named pipe"):
        kept_key(store.files)


def test_the_folder_of_heads_may_be_a_link(store: Store, tmp_path: Path) -> None:
    """To where a web server looks; it holds nothing secret, and others may read it."""
    (tmp_path / "public").mkdir(mode=0o755)
    (store.files / HEADS).symlink_to(tmp_path / "public")
    publish(store)

    assert sorted(path.name for path in (tmp_path / "public").iterdir()) == [NEWEST, LOG]
    modes = {path.stat().st_mode & 0o777 & ~0o022 for path in (tmp_path / "public").iterdir()}
    assert modes == {0o644}


async def test_a_head_is_published_every_so_many_matches(store: Store) -> None:
    """Counted once each; a match that counts twice is one."""

    class Silent:
        def say(self, line: str) -> None:
            raise AssertionError(line)

    desk = Desk(store, lambda _: True, Silent(), heads_every=2)
    for number in range(10, 15):
        match = ladders.invented(store, ladders.job(store, (1, 2), number))
        ladders.lease(store, match.job)
        await desk.settle(match)
        await desk.settle(match)

    last = store.head().facts
    assert [one.head.facts for one in logged(store)] == [last - 3, last - 1]


# What can be found with an earlier head.


def kept_log(store: Store, path: Path) -> None:
    publish(store)
    shutil.copy(store.files / HEADS / LOG, path)


def kept_head(store: Store, path: Path) -> None:
    path.write_bytes(signed_head.as_json(publish(store)))


def kept_receipt(store: Store, path: Path) -> None:
    receipt = json.loads(
        receipts.as_json(receipt_of(store, store.roster.entrants[1], lambda _: None))
    )
    path.write_text(f"first v1\n   receipt: {json.dumps(receipt)}\nmore\n")


def kept_receipt_json(store: Store, path: Path) -> None:
    receipt = json.loads(
        receipts.as_json(receipt_of(store, store.roster.entrants[1], lambda _: None))
    )
    path.write_text(json.dumps({"taken_in": [{"new": True, "receipt": receipt}]}, indent=2))


def printed(*words: str) -> Callable[[Store, Path], None]:
    """What `referee ladder` prints."""

    def keep(store: Store, path: Path) -> None:
        capture = pytest.MonkeyPatch()
        out = io.StringIO()
        capture.setattr("sys.stdout", out)
        try:
            assert run(["ladder", *words, "--ladder", str(store.files)]) == 0
        finally:
            capture.undo()
        path.write_text(out.getvalue())

    return keep


def kept_page(store: Store, path: Path) -> None:
    words = ["ladder", "standings", "--html", str(path), "--ladder", str(store.files)]
    assert run(words) == 0


KEPT: dict[str, Callable[[Store, Path], None]] = {
    "a log": kept_log,
    "a signed head": kept_head,
    "what submit printed": kept_receipt,
    "what submit printed as JSON": kept_receipt_json,
    "a table": printed("standings"),
    "a table as JSON": printed("standings", "--json"),
    "a table as CSV": printed("standings", "--csv"),
    "a page": kept_page,
}


@pytest.mark.parametrize("what", KEPT)
def test_results_that_were_removed_are_found_by_what_was_kept(
    what: str, store: Store, tmp_path: Path
) -> None:
    """Though everything is hashed and signed anew with the ladder's own key, its log included."""
    kept = tmp_path / "kept"
    KEPT[what](store, kept)
    assert proved(store, kept).compared.given >= 1
    assert findings(proved(store, kept)) == ""
    ladders.filled(store, 2)
    assert findings(proved(store, kept)) == ""

    with remade(store, tmp_path / "other", without_the_worst_match) as other:
        shutil.rmtree(other.files / HEADS, ignore_errors=True)
        publish(other)
        assert findings(proved(other)) == ""
        report = proved(other, kept)
    assert "or one before it is not what it was" in findings(report)
    assert not report.holds


def test_results_that_were_removed_are_found_by_the_ladders_own_log(
    store: Store, tmp_path: Path
) -> None:
    """As long as that was left alone."""
    publish(store)
    ladders.filled(store, 2)

    assert findings(proved(store)) == ""
    assert proved(store).compared.logged == 1
    with remade(store, tmp_path / "other", without_the_worst_match) as other:
        assert "heads.jsonl, line 1': fact" in findings(proved(other))


@pytest.mark.parametrize("named", [True, False])
def test_a_head_that_is_published_while_a_ladder_is_proved_is_no_finding(
    named: bool, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Facts are read as they were when it began, and so is the log."""
    monkeypatch.setattr("ladder.audit.audit.usual_files", lambda _: store.files)
    publish(store)
    examine = Examiner.examine_database

    def meanwhile(rows: Examiner) -> None:
        ladders.filled(store, 1)
        publish(store)
        examine(rows)

    monkeypatch.setattr(Examiner, "examine_database", meanwhile)
    where = store.where if named else replace(store.where, files=None)
    report = prove(where, Wanted(sample=0))

    assert findings(report) == ""
    assert report.compared.newest_logged == report.facts


def test_a_receipt_proves_that_its_submission_is_still_there(store: Store, tmp_path: Path) -> None:
    """With name, author, version and hashes as they were; a bot that is retired still is."""
    receipt = receipt_of(store, store.roster.entrants[2], lambda _: None)
    forged = replace(
        receipt.receipt, submission=replace(receipt.receipt.submission, author="somebody")
    )
    again = receipts.signed(forged, kept_key(store.files))
    for name, one in (("true", receipt), ("false", again)):
        (tmp_path / name).write_text(receipts.as_json(one))
    said = findings(proved(store, tmp_path / "false"))

    assert receipt.receipt.submission.name == "random"
    assert receipt.receipt.fact <= receipt.receipt.head.facts
    assert findings(proved(store, tmp_path / "true")) == ""
    assert "is not the submission of random v1 by somebody" in said


def test_what_cannot_be_proved_without_an_earlier_head_is_said() -> None:
    """Nothing is claimed that was not compared."""
    assert Compared().unproved(9).startswith("not proved: that no fact was removed or changed")
    assert "log of heads included" in Compared(logged=2, newest_logged=9).unproved(9)
    assert "after fact 7" in Compared(given=1, newest_given=7).unproved(9)
    assert Compared(given=1, newest_given=9).unproved(9) == ""
    assert list(Compared().proved()) == []
    assert [*Compared(given=2, signed=1, newest_given=1).proved()] == [
        "goes on from 2 given heads, 1 signed; the newest has 1 fact"
    ]


def test_verify_says_what_it_compared_with(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """On a terminal and as JSON."""
    ladder = ["--ladder", str(store.files), "--sample", "0"]
    run(["ladder", "verify", *ladder])
    said = " ".join(capsys.readouterr().out.split())
    assert "not proved: that no fact was removed or changed" in said
    KEPT["a table"](store, tmp_path / "kept")
    run(["ladder", "verify", *ladder, "--against", str(tmp_path / "kept"), "--json"])
    shown = json.loads(capsys.readouterr().out)

    assert all("played again" in one for one in shown["not_proved"])
    assert shown["goes_on_from"]["given"] == 1
    assert shown["goes_on_from"]["newest_given"] == shown["facts"]


# What files say.


def test_a_head_in_a_line_is_found_again() -> None:
    """However the line was wrapped, and whatever stands around it."""
    assert head_line(HEAD) == LINE
    wrapped = LINE.replace(" until", "\n  until").replace(" hash", "\nhash")
    (found,) = heads_in(f"<dd><code>{wrapped}</code></dd> and more")
    assert found == replace(HEAD, at_ms=0)
    assert list(heads_in(LINE[:-1])) == []
    assert list(heads_in(LINE.replace("ab", "AB"))) == []
    (one,) = heads_in(head_line(replace(HEAD, facts=1, at_ms=2**53)))
    assert one == replace(HEAD, facts=1, at_ms=0)


QUOTED = """protocol: "{\\"head\\": {} - '{"head":{}}' and {"receipt":1}\n"""
"""A table of faults in which a bot's own words look like the beginning of a head."""


def test_what_a_bot_wrote_in_a_table_is_no_claim(tmp_path: Path) -> None:
    """The head that the table names counts, whatever a bot wrote in a line above."""
    (tmp_path / "table").write_text(f"fault: x, {QUOTED}{LINE}\n")
    (claim,) = read_claims(tmp_path / "table")
    assert claim.head == replace(HEAD, at_ms=0)


def test_a_pipe_is_no_claim_and_is_not_waited_for(tmp_path: Path) -> None:
    """One line says what it is."""
    os.mkfifo(tmp_path / "head.json")
    with pytest.raises(RefereeError, match="is no head: it is a named pipe"):
        read_claims(tmp_path / "head.json")


def test_a_field_that_no_table_has_is_no_claim(tmp_path: Path) -> None:
    """CSV whose fields are longer than the library reads them."""
    (tmp_path / "table").write_text(f"ladder_id,facts,head\n{'x' * 200_000},1,y\n")
    with pytest.raises(RefereeError, match="it names no head"):
        read_claims(tmp_path / "table")


@pytest.mark.parametrize("text", ["", "no head", "{}", "[1]", "[" * 100_000, '{"head":1}', "\0"])
def test_a_file_that_names_no_head_is_refused(text: str, tmp_path: Path) -> None:
    """In one line that says what would be right."""
    (tmp_path / "it").write_text(text)
    with pytest.raises(RefereeError, match=r"it names no head: give a signed head") as caught:
        read_claims(tmp_path / "it")
    assert "\n" not in str(caught.value)


@given(st.binary(max_size=300))
def test_strangers_text_names_no_head_or_is_refused(text: bytes) -> None:
    """In one line, whatever it is."""
    path = Path("/dev/shm") / f"claims-{os.getpid()}"  # noqa: S108  # a file a thousand times
    path.write_bytes(text)
    try:
        with pytest.raises(RefereeError) as caught:
            read_claims(path)
    finally:
        path.unlink()
    assert "\n" not in str(caught.value)


def test_a_file_that_is_missing_or_huge_is_named(tmp_path: Path) -> None:
    """In one line, and without reading all of it."""
    with pytest.raises(RefereeError, match=r"head '.*nothing': No such file"):
        read_claims(tmp_path / "nothing")
    with (tmp_path / "huge").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(RefereeError, match=r"head '.*huge': more than"):
        read_claims(tmp_path / "huge")


@pytest.mark.parametrize("what", ["a signed head", "what submit printed", "a log"])
def test_a_changed_byte_of_what_is_signed_is_found(what: str, store: Store, tmp_path: Path) -> None:
    """And a signature by another key, where it is said whose it must be."""
    kept = tmp_path / "kept"
    KEPT[what](store, kept)
    key = signed_head.public_of(kept_key(store.files))
    text = kept.read_text()
    assert all(claim.signed for claim in read_claims(kept, key))
    with pytest.raises(RefereeError, match="was signed with another key"):
        read_claims(kept, "00" * 32)

    kept.write_text(re.sub(r'"facts": ?(\d+)', lambda m: f'"facts":1{m[1]}', text))
    with pytest.raises(RefereeError, match="changed or forged"):
        read_claims(kept)


def test_a_table_is_not_signed_and_says_so(store: Store, tmp_path: Path) -> None:
    """It proves something to who kept it, and nothing of whose it is."""
    KEPT["a table"](store, tmp_path / "kept")
    (claim,) = read_claims(tmp_path / "kept")

    assert claim == Claim(source=claim.source, head=replace(store.head(), at_ms=0))
    with pytest.raises(RefereeError, match="is not signed"):
        read_claims(tmp_path / "kept", "00" * 32)


# The commands.


@pytest.mark.parametrize("what", ["a table", "a page", "a table as CSV"])
def test_a_table_names_head_date_and_number_of_facts(
    what: str, store: Store, tmp_path: Path
) -> None:
    """The same bytes whenever it is printed; the date is that of the last fact."""
    KEPT[what](store, tmp_path / "one")
    KEPT[what](store, tmp_path / "two")
    text = (tmp_path / "one").read_text()

    assert text == (tmp_path / "two").read_text()
    head = store.head()
    for part in (head.hash, head.ladder, str(head.facts)):
        assert part in text
    assert re.search(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", text)


@pytest.mark.thorough
def test_a_ladder_in_postgresql_has_its_log_beside_its_bots(database: str, tmp_path: Path) -> None:
    """And a table of one moment, too."""
    where = f"{database}?files={tmp_path / 'files'}"
    with ladders.made(where, bots=("first", "random")) as store:
        ladders.filled(store, 2)
        published = publish(store)
        check_moment(store)

        assert logged(store) == [published]
        assert (tmp_path / "files" / HEADS / LOG).exists()
        assert findings(proved(store)) == ""
        assert proved(store).compared.logged == 1


def test_a_table_and_its_head_are_of_one_moment(store: Store) -> None:
    """Though somebody adds results while it is computed."""
    check_moment(store)


def check_moment(store: Store) -> None:
    """Proves that what is read in a moment is of that moment."""
    with store.moment() as head:
        before = store.counts().matches
        with Store(store.where) as other:
            ladders.filled(other, 2)
        assert store.counts().matches == before
        assert store.head() == head
    assert store.counts().matches == before + 2


def test_an_import_names_its_head_and_begins_a_log_with_it(
    store: Store, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """So that the copy is compared with it from then on."""
    archive = str(tmp_path / "it.zip")
    assert run(["ladder", "export", archive, "--ladder", str(store.files)]) == 0
    capsys.readouterr()
    assert run(["ladder", "import", archive, "--ladder", str(tmp_path / "copy")]) == 0
    said = capsys.readouterr().out

    (named,) = heads_in(said)
    assert named == replace(store.head(), at_ms=0)
    with Store(where_of(str(tmp_path / "copy"))) as copy:
        (first,) = logged(copy)
        assert replace(first.head, at_ms=0) == named
        assert first.public_key == signed_head.public_of(kept_key(store.files))
        ladders.filled(copy, 1)
        publish(copy)
        assert len(logged(copy)) == 2


@pytest.fixture
def conducted(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """`ladder run` counts so many invented matches, and plays none; a test says how many."""
    wanted = [0]

    async def conduct(store: Store, *_: object) -> bool:
        ladders.filled(store, wanted[0])
        return False

    monkeypatch.setattr("ladder.commands.ladder_run._conduct", conduct)
    return wanted


def test_a_run_publishes_a_head_at_both_ends(
    store: Store, conducted: list[int], capsys: pytest.CaptureFixture[str]
) -> None:
    """And prints the last."""
    conducted[0] = 2
    before = store.head().facts
    run(["ladder", "run", "--ladder", str(store.files)])
    (named,) = heads_in(capsys.readouterr().out)

    assert [one.head.facts for one in logged(store)] == [before, before + 2]
    assert named == replace(store.head(), at_ms=0)
    run(["ladder", "run", "--ladder", str(store.files), "--json"])
    shown = json.loads(capsys.readouterr().out)
    assert shown["head"] == json.loads((store.files / HEADS / NEWEST).read_bytes())


def test_a_run_publishes_nothing_where_the_settings_say_never(
    store: Store, conducted: list[int], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`every = 0` under `[heads]`."""
    (tmp_path / "settings.toml").write_text("[heads]\nevery = 0\n")
    monkeypatch.setenv("REFEREE_SETTINGS", str(tmp_path / "settings.toml"))
    conducted[0] = 1
    run(["ladder", "run", "--ladder", str(store.files)])

    assert not (store.files / HEADS).exists()


def test_a_run_of_a_ladder_that_its_log_contradicts_is_refused_before_play(
    store: Store, conducted: list[int], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In one line, with exit code 2."""
    publish(store)
    conducted[0] = 1
    with remade(store, tmp_path / "other", without_the_worst_match) as other:
        before = other.head()
        assert run(["ladder", "run", "--ladder", str(other.files)]) == 2
        assert other.head() == before
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "the ladder has fewer: some were cut off" in said


@pytest.fixture
def no_sandbox(monkeypatch: pytest.MonkeyPatch) -> None:
    """`submit` freezes a Python sample without a trial, and opens no sandbox."""

    async def taken_in(path: str, files: Path, *_: object, **__: object) -> Frozen:
        name = path.removeprefix("sample:")
        digest = ladders.frozen(files, name)
        return Frozen(name, digest, "0" * 64, files / "bots" / digest)

    @asynccontextmanager
    async def opened_for(*_: object, **__: object) -> AsyncIterator[None]:
        yield

    async def check_for_strangers(*_: object) -> None:
        """There is one, as it were: a machine without any has its own test."""

    monkeypatch.setattr("ladder.commands.submit.taken_in", taken_in)
    monkeypatch.setattr("ladder.commands.submit.opened_for", opened_for)
    monkeypatch.setattr("ladder.commands.submit.check_for_strangers", check_for_strangers)


@pytest.mark.parametrize("how", [(), ("--json",)])
def test_submit_prints_the_hash_that_plays_and_a_receipt(
    how: tuple[str, ...], no_sandbox: None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What it printed is all that an author needs to keep; the same again for the same files."""
    words = ["submit", "sample:greedy", "--author", "ada", "--ladder", str(tmp_path / "it"), *how]
    for name in ("one", "two"):
        assert run(words) == 0
        (tmp_path / name).write_text(capsys.readouterr().out)
    with Store(where_of(str(tmp_path / "it"))) as store:
        entrant = store.roster.entrants[1]
        key = signed_head.public_of(kept_key(store.files))
        ladders.submit(store, "first", "eve")
        report = proved(store, tmp_path / "one", tmp_path / "two", public_key=key)

    assert report.holds
    assert report.compared.given == 2
    for name in ("one", "two"):
        assert entrant.hash in (tmp_path / name).read_text().replace("receipt", "", 1)
        (claim,) = read_claims(tmp_path / name, key)
        assert claim.receipt is not None
        assert claim.receipt.submission == entrant


def test_an_author_without_a_name_has_no_ladder_made(
    no_sandbox: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user id that the machine has no name for; the refusal came after the ladder's key."""
    (tmp_path / "bot.py").write_text("")
    monkeypatch.setattr("getpass.getuser", lambda: "")
    assert run(["submit", str(tmp_path / "bot.py"), "--ladder", str(tmp_path / "it")]) == 2
    assert not (tmp_path / "it").exists()


def test_a_key_that_signs_nothing_stops_submit_before_a_bot_is_in(
    no_sandbox: None, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """Else its author would have no receipt."""
    kept_key(store.files)
    (store.files / "head-key").chmod(0o644)
    before = store.head()

    assert run(["submit", "sample:greedy", "--ladder", str(store.files)]) == 2
    assert "may be read by others" in capsys.readouterr().err
    assert store.head() == before


def test_a_full_disk_leaves_a_log_that_goes_on(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line, and the next writer cuts what came of it."""
    first = publish(store)
    ladders.filled(store, 1)
    write = os.write

    def full(file: int, data: bytes) -> int:
        monkeypatch.setattr(os, "write", nothing)
        return write(file, bytes(data)[:20])

    def nothing(file: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(HostError, match=r"heads '.*heads.jsonl': No space left on device"):
        publish(store)
    monkeypatch.setattr(os, "write", write)

    assert publish(store) != first
    assert len(logged(store)) == 2

"""An author is erased: nothing names them any more, and the ladder is proved as before."""

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from zipfile import ZipFile

import msgspec
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.archive.export import export
from ladder.archive.load import take_in
from ladder.audit.audit import Wanted, prove
from ladder.audit.claims import Claim
from ladder.core.facts import Decision, Deed, Fact, Submission, digest_of
from ladder.core.tokens import Scope
from ladder.files import record_store
from ladder.show.upload_json import UploadState
from ladder.store.database import Database
from ladder.store.jobs import Settled
from ladder.store.location import where_of
from ladder.store.queries import Counts
from ladder.store.receipts import receipt_of
from ladder.store.record_sweep import RecordSweep
from ladder.store.store import Store
from ladder.submissions.frozen_bots import BOTS
from ladder.web.uploads import FOLDER, Upload
from referee.errors import RefereeError
from referee.record.stderr_log import stderr_file
from support import ladders
from support.commands import Tell

ADA = "Ada-Lovelace"
BOT = "Engine-of-Ada"
ROWS = Wanted(sample=0)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder in which Ada has a bot of two versions, beside three others."""
    with ladders.made(tmp_path / "it", bots=("first", "greedy", "random")) as store:
        for does in ("first", "greedy"):
            ladders.submit(store, BOT, author=ADA, does=does)
        ladders.filled(store, 12)
        yield store


def erased(store: Store) -> None:
    """Take Ada out, as the command does it."""
    store.erasure.erase(ADA, "asked")
    store.refresh()


def links(store: Store) -> list[tuple[str, str]]:
    """Digest and hash of every fact."""
    with store.facts() as reader:
        return [(link.digest, link.hash) for link, _ in reader.facts()]


def traces(folder: Path) -> list[str]:
    """The files in which Ada or her bot is named, records unpacked."""
    found = []
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        data = path.read_bytes()
        if data.startswith(zstandard.FRAME_HEADER):
            with zstandard.ZstdDecompressor().stream_reader(data) as reader:
                data = reader.read()
        if ADA.encode() in data or BOT.encode() in data:
            found.append(path.name)
    return found


def upload(store: Store, state: UploadState) -> None:
    """What a site has left of an upload of Ada's."""
    left = Upload(
        id="0" * 24, author=ADA, file=f"{BOT}.zip", name=BOT, bytes=1, at_ms=1, state=state
    )
    (store.files / FOLDER).mkdir(exist_ok=True)
    (store.files / FOLDER / f"{left.id}.json").write_bytes(msgspec.json.encode(left))


@pytest.mark.slow
@pytest.mark.parametrize("lies_in", [".db", ".db-wal"])
def test_nothing_names_an_author_who_was_erased(store: Store, tell: Tell, lies_in: str) -> None:
    """No row, no page of the database's files, no record, no upload, no token."""
    played = ladders.filled(store, 4, really=True)
    assert any(4 in match.job.entrants or 5 in match.job.entrants for match in played)
    for _ in range(3):
        invitation, _ = store.tokens.add(ADA, tuple(Scope), 30)
    store.bindings.add(invitation.id, "https://accounts.example", f"account of {ADA}")
    kept, _ = store.tokens.add("Bob", tuple(Scope), 30)
    store.tokens.note_use(store.tokens.every()[0][0].id, "submit", "192.0.2.7")
    store.people.add(ADA, 1, 3)
    upload(store, UploadState.ACCEPTED)
    (match,) = store.matches_of([4, 5], 1)
    stderr = stderr_file(record_store.path_of(store.files, match[1].record))
    stderr.write_text(f"{ADA} was here")
    tell("ladder", "standings")
    if lies_in == ".db":
        with closing(sqlite3.connect(store.where.database)) as file:
            file.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    found = traces(store.files)
    assert {lies_in, ".json", ".zst"} == {Path(name).suffix for name in found}
    assert {stderr.name, "standings-1.json"} <= set(found)

    said = tell("ladder", "erase", ADA, "--yes")

    assert "erased: 1 bot (2 versions), 3 tokens and 1 binding; and" in said
    assert "results stay, of: #4" in said
    assert store.bindings.every() == []
    assert traces(store.files) == []
    assert [token.author for token, _, _ in store.tokens.every()] == [kept.author]
    shown = tell("ladder", "bots", "--all")
    assert ADA not in shown + tell("ladder", "standings", "--all")
    assert len(re.findall(r"#4 +\d +\(erased\)", shown)) == 2


def test_the_chain_is_as_it_was(store: Store) -> None:
    """Digests and hashes of all facts, and what was signed before, hold."""
    receipt = receipt_of(store, store.roster.entrants[5], lambda _: None).receipt
    before = links(store)

    erased(store)

    assert links(store)[: len(before)] == before
    claim = Claim(source="receipt", head=receipt.head, signed=True, receipt=receipt)
    report = prove(store.where, replace(ROWS, claims=(claim,)))
    assert report.findings == ()
    assert "1 bot was erased: the records of all their matches may be gone" in report.notes


@pytest.mark.parametrize("swept", [False, True])
def test_it_holds_with_and_without_the_records(store: Store, *, swept: bool) -> None:
    """Those of others have to be there; those of theirs are counted as gone, or as to go."""
    theirs = {match.record for _, match in store.matches_of([4, 5], 100)}
    erased(store)
    sweep = RecordSweep()
    while swept and not sweep.is_done:
        assert sweep.step(store) is not None

    report = prove(store.where, ROWS)

    assert 0 < len(theirs) < 12
    assert report.findings == ()
    assert report.gone == (len(theirs) if swept else 0)
    other = next(record for record in store.records.every() if record not in theirs)
    record_store.path_of(store.files, other).unlink()
    (found,) = prove(store.where, ROWS).findings
    assert "is missing" in found.what


def test_a_match_that_ends_later_counts_for_nothing(store: Store) -> None:
    """It was under way when its bot was erased."""
    pending = ladders.job(store, (1, 5))
    ladders.lease(store, pending)
    erased(store)

    assert store.settle(ladders.invented(store, pending)) == (Settled.DUPLICATE, [])
    assert store.counts() == Counts(matches=12, open=0)


def test_a_match_that_waits_is_withdrawn(store: Store, tell: Tell) -> None:
    """A runner has put it back; the bot's files are kept for it no more."""
    held = ladders.lease(store, ladders.job(store, (1, 4)))
    store.give_back([held.token])
    own = ladders.submit(store, BOT, author=ADA, does="illegal").hash

    tell("ladder", "erase", ADA, "--yes")

    assert store.waiting_jobs() == []
    assert not (store.files / BOTS / own).exists()


def test_files_that_are_played_with_go_later(store: Store, tell: Tell) -> None:
    """A line says so; no export has them meanwhile."""
    own = ladders.submit(store, BOT, author=ADA, does="illegal")
    held = ladders.lease(store, ladders.job(store, (1, own.entrant)))

    said = tell("ladder", "erase", ADA, "--yes", code=3)

    assert "is erased but for the files of 1 version, which are played" in said
    assert (store.files / BOTS / own.hash).is_dir()
    export(store, store.files.parent / "it.zip", bots=True)
    assert own.hash not in "".join(ZipFile(store.files.parent / "it.zip").namelist())
    store.give_back([held.token])
    store.take("x", ladders.LEASE_MS, lambda _: False, lambda _: None)
    tell("ladder", "records", "--apply")
    assert not (store.files / BOTS / own.hash).exists()


def test_its_files_go_and_those_that_others_play_with_stay(store: Store, tell: Tell) -> None:
    """Ada's second version is what another author plays with, too."""
    own = ladders.submit(store, BOT, author=ADA, does="illegal").hash
    shared = store.roster.entrants[5].hash
    assert shared == store.roster.entrants[2].hash

    tell("ladder", "erase", ADA, "--yes")

    assert not (store.files / BOTS / own).exists()
    assert (store.files / BOTS / shared).exists()


def test_an_archive_of_it_is_taken_in(store: Store, tmp_path: Path) -> None:
    """Without names and records of theirs; one that lacks another record is not."""
    erased(store)
    (tmp_path / "files").mkdir()
    export(store, tmp_path / "it.zip")
    assert ADA.encode() not in ZipFile(tmp_path / "it.zip").read("facts.jsonl")

    taken = take_in(where_of(str(tmp_path / "other")), tmp_path / "it.zip")

    theirs = len({match.record for _, match in store.matches_of([4, 5], 100)})
    assert (taken.gone, taken.records) == (theirs, 12 - theirs)
    assert prove(where_of(str(tmp_path / "other")), ROWS).findings == ()


def test_what_was_erased_comes_never_back(store: Store, tell: Tell) -> None:
    """No version is chosen again; the same names make another bot."""
    erased(store)

    assert "was erased: nothing of it is left to play" in tell("ladder", "rollback", "#4", code=2)
    assert "is retired already" in tell("ladder", "retire", "#5", code=2)
    again = ladders.submit(store, BOT, author=ADA, does="first")
    assert (again.entrant, again.bot, again.version) == (6, 6, 1)
    assert prove(store.where, ROWS).findings == ()


def test_it_is_done_only_if_it_is_meant(store: Store, tell: Tell) -> None:
    """A line says what would go; nothing has gone."""
    before = store.head()

    said = tell("ladder", "erase", ADA, code=2)

    assert "this erases 1 bot (2 versions) and 0 tokens of Ada-Lovelace for ever: say --yes" in said
    assert "no author 'Eve'" in tell("ladder", "erase", "Eve", "--yes", code=2)
    assert "control characters" in tell("ladder", "erase", ADA, "--yes", "--reason", "\x1b", code=2)
    assert store.head() == before


def test_an_upload_has_its_trial_first(store: Store, tell: Tell) -> None:
    """Else its bot would come later; no other one can follow it."""
    store.tokens.add(ADA, tuple(Scope), 30)
    upload(store, UploadState.TRYING)

    said = tell("ladder", "erase", ADA, "--yes", code=2)

    assert "1 upload of Ada-Lovelace had no trial yet" in said
    assert [state for _, state, _ in store.tokens.every()] == ["revoked"]
    assert store.refresh().bots_by(ADA) == (4,)


def test_an_author_of_tokens_only_can_be_erased(store: Store, tell: Tell) -> None:
    """One who was invited and has handed in nothing."""
    store.tokens.add("Zoe", tuple(Scope), 30)

    told = json.loads(tell("ladder", "erase", "Zoe", "--yes", "--json"))

    assert told == {
        "bots": [],
        "versions": 0,
        "tokens": 1,
        "bindings": 0,
        "uploads": 0,
        "records": 0,
    }
    assert store.tokens.every() == []


def test_records_that_are_needed_just_now_go_later(store: Store, tell: Tell) -> None:
    """The names are gone; a line says what is left, and how it goes."""
    with record_store.held(store.files):
        said = tell("ladder", "erase", ADA, "--yes", code=3)

    assert "is erased, but not all records: records are just being exported" in said
    assert store.refresh().bots_by(ADA) == ()
    tell("ladder", "records", "--apply")
    assert traces(store.files) == []


def test_a_log_that_cannot_be_emptied_is_told(
    tell: Tell, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process reads for longer than we wait."""
    monkeypatch.setattr(Database, "wipe_log", lambda _: False)

    assert "traces stay in its log until" in tell("ladder", "erase", ADA, "--yes")
    assert store.refresh().bots_by(ADA) == ()


def test_a_record_is_said_to_be_gone_with_its_bot(store: Store, tell: Tell) -> None:
    """Where it is asked for."""
    number = str(store.matches_of([4, 5], 1)[0][0])
    tell("ladder", "erase", ADA, "--yes")

    assert "its record is gone, with a bot that was erased" in tell("replay", number, code=2)
    assert json.loads(tell("ladder", "match", number, "--json"))["record"] is None


def change(store: Store, edit: Callable[[Submission], Submission]) -> None:
    """Change the last submission of Ada's in the database, as its owner can."""
    with closing(sqlite3.connect(store.where.database)) as file, file:
        (seq, body) = file.execute(
            "SELECT seq, body FROM fact WHERE kind = 'submission' ORDER BY seq DESC LIMIT 1"
        ).fetchone()
        fact = msgspec.json.decode(body, type=Fact)
        assert isinstance(fact, Submission)
        file.execute(
            "UPDATE fact SET body = ? WHERE seq = ?", (msgspec.json.encode(edit(fact)), seq)
        )


UNNAMED: dict[str, tuple[Callable[[Submission], Submission], str]] = {
    "a name is taken out, and no fact says so": (
        lambda one: one.unnamed,
        "a name of bot 4 is missing, and no fact says that it was erased",
    ),
    "another name": (lambda one: replace(one, name="Other"), "its digest is another one"),
    "another salt": (lambda one: replace(one, salt="0" * 32), "its digest is another one"),
    "unnamed, and other files": (
        lambda one: replace(one.unnamed, hash="0" * 64),
        "its digest is another one",
    ),
    "half unnamed": (
        lambda one: replace(one.unnamed, author="Eve"),
        "its names were not erased as names are",
    ),
}


@pytest.mark.parametrize("case", UNNAMED)
def test_names_that_were_tampered_with_are_found(store: Store, case: str) -> None:
    """By who proves the ladder."""
    edit, wanted = UNNAMED[case]
    change(store, edit)

    assert any(wanted in found.what for found in prove(store.where, ROWS).findings)


@pytest.mark.parametrize("deed", [Deed.CHOSEN, Deed.RETIRED])
def test_a_bot_that_was_erased_is_decided_of_no_more(store: Store, deed: Deed) -> None:
    """A proof finds it."""
    erased(store)
    store.add(lambda _, now: [Decision(deed=deed, entrant=4, reason="", at_ms=now)])

    (found,) = prove(store.where, ROWS).findings

    assert found.what == "it is of entrant 4, which was erased"


def test_a_name_that_is_still_there_is_found(store: Store) -> None:
    """The chain does not see it: names are hashed apart."""
    before = store.roster.entrants[5]
    erased(store)
    change(store, lambda _: before)

    found = prove(store.where, ROWS).findings

    assert "bot 4 was erased, and its name is still there" in {one.what for one in found}


def test_a_match_that_was_made_up_for_an_erased_bot_is_found(store: Store) -> None:
    """Its record could not be asked for: no runner plays such a bot."""
    made_up = ladders.invented(store, ladders.job(store, (1, 4)))
    erased(store)
    store.add(lambda _, __: [made_up])

    found = prove(store.where, ROWS).findings

    assert "it was played after the bot of entrant 4 was erased" in {one.what for one in found}


def test_a_record_that_is_still_there_has_to_be_the_right_one(store: Store) -> None:
    """Who looks at it is not shown another one."""
    (match,) = store.matches_of([4, 5], 1)
    erased(store)
    path = record_store.path_of(store.files, match[1].record)
    path.chmod(0o600)
    path.write_bytes(b"another")

    (found,) = prove(store.where, ROWS).findings

    assert found.where == f"match {match[0]}"


def test_an_import_finds_names_that_are_missing(store: Store, tmp_path: Path) -> None:
    """Nothing is taken in."""
    change(store, lambda one: one.unnamed)
    export(store, tmp_path / "it.zip")

    with pytest.raises(RefereeError, match="a name of bot 4 is missing"):
        take_in(where_of(str(tmp_path / "other")), tmp_path / "it.zip")


NAMES = st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=8)


@given(st.tuples(NAMES, NAMES, NAMES), st.tuples(NAMES, NAMES, NAMES))
def test_the_digest_of_a_submission_binds_its_names_and_needs_none(
    names: tuple[str, str, str], others: tuple[str, str, str]
) -> None:
    """Unnamed it has the same; under other names another one, however they are cut."""

    def named(name: str, author: str, salt: str) -> Submission:
        return Submission(
            entrant=1,
            bot=1,
            name=name,
            author=author,
            version=1,
            hash="",
            source="",
            at_ms=0,
            salt=salt,
        )

    one, other = named(*names), named(*others)
    assert digest_of(one.unnamed) == digest_of(one)
    assert (digest_of(one) == digest_of(other)) is (names == others)


@pytest.mark.slow
def test_a_ladder_on_postgresql_erases_as_well(database: str, tmp_path: Path) -> None:
    """No row names them; what the server has freed it overwrites in its time."""
    where = f"{database}?files={tmp_path / 'files'}"
    with ladders.made(where, bots=("first", "random")) as store:
        ladders.submit(store, BOT, author=ADA, does="greedy")
        ladders.filled(store, 6)
        before = links(store)
        erased(store)
        with store.facts() as reader:
            bodies = b"".join(link.body for link, _ in reader.facts())
        assert ADA.encode() not in bodies
        assert links(store)[: len(before)] == before
        assert prove(store.where, ROWS).findings == ()

"""Records: what is written, what is found when it is changed, what a torn one still tells."""

import json
import os
import tempfile
from functools import partial
from pathlib import Path

import pytest
import trio
from msgspec import to_builtins

from referee.cli import run
from referee.errors import RefereeError
from referee.match.lines import ActLine, EndLine, FrozenLine, LegLine, Line
from referee.match.verdict import Receipt
from referee.record.as_json import match_object
from referee.record.chain import BadLine, Chain, decode
from referee.record.reader import Mismatch, RecordReader
from referee.record.stderr_log import stderr_by_act, stderr_file
from referee.record.verify import Resimulation
from referee.record.writer import HELD, Recorder
from support.matches import match, rogue, verified


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A record of one deal, with a fault in it."""
    path = tmp_path_factory.mktemp("records") / "record"
    others = ["sample:first-c"] * 5
    trio.run(partial(match, path, "briscola-6", *others, rogue("exits"), deals=1))
    return path.read_bytes()


def trouble(data: bytes, path: Path) -> str | None:
    """What is wrong with a record, or None."""
    path.unlink(missing_ok=True)  # to write over a file can mean to wait for the disk
    path.write_bytes(data)
    try:
        with RecordReader(path) as reader:
            found = Resimulation(reader)
            for _ in found.deals():
                pass
    except (Mismatch, RefereeError) as error:
        return str(error)
    return found.unfinished


def test_a_record_holds(record: bytes, tmp_path: Path) -> None:
    """What was written verifies."""
    assert trouble(record, tmp_path / "record") is None


@pytest.mark.slow
def test_any_flipped_bit_is_found(record: bytes, tmp_path: Path, many_cases: bool) -> None:
    """Whichever byte is changed, the record does not verify; and nothing worse happens."""
    path = tmp_path / "record"
    for at in range(0, len(record), 1 if many_cases else 7):
        changed = bytearray(record)
        changed[at] ^= 1 << at % 8
        assert trouble(bytes(changed), path) is not None, f"byte {at}"


@pytest.mark.slow
def test_any_cut_tail_is_found(record: bytes, tmp_path: Path, many_cases: bool) -> None:
    """However much of the end is missing, the record does not verify as finished."""
    path = tmp_path / "record"
    for length in range(0, len(record), 1 if many_cases else 7):
        assert trouble(record[:length], path) is not None, f"{length} bytes"


def test_a_missing_deal_or_an_addition_is_found(record: bytes, tmp_path: Path) -> None:
    """No whole part can be left out, doubled or added."""
    lines = record.splitlines(keepends=True)
    for at in range(len(lines)):
        assert trouble(b"".join(lines[:at] + lines[at + 1 :]), tmp_path / "record") is not None
        assert trouble(b"".join(lines[:at] + lines[at:] + [lines[at]]), tmp_path / "r2") is not None


def test_the_first_deal_seat_and_line_that_differ_are_named(record: bytes, tmp_path: Path) -> None:
    """A changed action is named where it stands, even when all hashes were made anew."""
    lines = record.splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith(b'{"act"'))
    lines[at] = lines[at].replace(lines[at][8:10], b"ZZ")
    found = trouble(rehashed(lines), tmp_path / "record")

    assert found is not None
    assert found.startswith(f"line {at + 1}: deal 1, seat ")
    assert "illegal" in found


def test_changed_times_are_found_as_bytes_sent(tmp_path: Path, record: bytes) -> None:
    """A receipt that empties the bank changes what the seat was told; the seat is named."""
    lines = record.splitlines(keepends=True)
    header = json.loads(lines[0])
    header["terms"]["time"]["bank_ms"] = 5000
    lines[0] = json.dumps(header, separators=(",", ":")).encode() + b"\n"
    found = trouble(rehashed(lines), tmp_path / "record")

    assert found is not None
    assert "deal 1, seat 0: the bytes sent differ" in found


@pytest.mark.parametrize("which", [0, 1])
def test_an_answer_that_ends_before_it_begins_is_found(
    which: int, tmp_path: Path, record: bytes
) -> None:
    """Or before the question was sent: nothing rests on these times, but none can be so."""
    lines = record.splitlines(keepends=True)
    at = next(at for at, line in enumerate(lines) if line.startswith(b'{"act"'))
    act = json.loads(lines[at])
    act["us"][which] = act["us"][2] + 1
    lines[at] = json.dumps(act, separators=(",", ":")).encode() + b"\n"
    assert "before it begins" in (trouble(rehashed(lines), tmp_path / "record") or "")


def rehashed(lines: list[bytes]) -> bytes:
    """The lines with hashes that fit, as a forger would make them."""
    chain = Chain()
    data = b""
    for text in lines:
        data += chain.encode(decode(text[:-1]))
    return data


FORGED = {
    b'"protocol":1': b'"protocol":2',
    b'"act":"': b'"note":' + b'"x"' + b',"act":"Z',
    b'{"start":0,"us":': b'{"start":0,"us":99999999',
    b'"seating":"one"': b'"seating":"full"',
    b'"legs":1': b'"legs":1000000000',
    b'"decks":1': b'"decks":0',
    b'"dealer":0': b'"dealer":9',
    b'"detail":"': b'"detail":"' + b"x" * 70_000,
    b'"options":{': b'"options":{"colour":"red",',
    b'"given":false': b'"given":true',
    b'"}\n{"leg"': b'","benched":[0]}\n{"leg"',
    b'"evidence":{': b'"evidence":{"x":' + b"[" * 3000 + b"]" * 3000 + b",",
    b'{"deal":1,': b'{"frozen":-1,"us":5}\n{"deal":1,',
    b'{"deal":': b'{"frozen":6,"us":5}\n{"deal":',
}


@pytest.mark.parametrize("old", FORGED, ids=str)
def test_a_forger_who_makes_all_hashes_anew_is_found_out(
    old: bytes, record: bytes, tmp_path: Path
) -> None:
    """What cannot have happened does not verify, and nothing worse happens."""
    assert old in record
    lines = record.replace(old, FORGED[old], 1).splitlines(keepends=True)
    try:
        data = rehashed(lines)
    except BadLine:
        data = b"".join(lines)
    found = trouble(data, tmp_path / "record")

    assert (found is None) == (old == b'"given":false')  # that one only claims less


def test_a_torn_line_is_cut_and_named(record: bytes, tmp_path: Path) -> None:
    """What came before a torn line is shown; the line is named."""
    path = tmp_path / "record"
    lines = record.splitlines(keepends=True)
    last_deal_end = max(at for at, line in enumerate(lines) if line.startswith(b'{"deal_end"'))
    path.write_bytes(b"".join(lines[: last_deal_end + 1]) + b'{"end":"de')
    with RecordReader(path) as reader:
        found = Resimulation(reader)
        deals = list(found.deals())

    assert len(deals) == 1
    assert found.unfinished == f"line {last_deal_end + 2} is torn and was left out"


@pytest.mark.parametrize("header", [b'{"record":5,"terms":1}\n', b'{"record":2,"wire":2}\n'])
def test_a_record_of_another_format_is_refused(
    header: bytes, record: bytes, tmp_path: Path
) -> None:
    """The format is looked at first, whatever else its header has."""
    path = tmp_path / "record"
    path.write_bytes(header + record.partition(b"\n")[2])
    with pytest.raises(RefereeError, match=r"has format [25]; this referee reads 4"):
        RecordReader(path)


@pytest.mark.parametrize(
    "data", [b"", b"\n", b"hello\n", b"\xff\xfe\n", b'{"act":"7D"}\n', b"{}\n"]
)
def test_what_is_no_record_is_refused(data: bytes, tmp_path: Path) -> None:
    """A file that does not begin with a header is named as no record."""
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(RefereeError, match="no record"):
        RecordReader(path)


def test_records_are_not_written_over(tmp_path: Path) -> None:
    """An existing record is never lost; an empty file may be used."""
    path = tmp_path / "record"
    path.write_text("something")
    with pytest.raises(RefereeError, match="exists already"):
        Recorder(path)
    (tmp_path / "empty").touch()
    Recorder(tmp_path / "empty").close()
    (tmp_path / "link").symlink_to(tmp_path / "empty")  # of a stranger's folder, to who knows what
    with pytest.raises(RefereeError, match="symbolic links"):
        Recorder(tmp_path / "link")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'{"act":', b'{"act":"XX","act":'),
        (b'{"end":', b'{"end":"deals","more":[],"end":'),
        (b'"scores":', b'"scores":[9,9],"scores":'),
        (b'{"record":4', b'{"record": 4'),
    ],
)
def test_a_line_that_others_could_read_otherwise_does_not_verify(
    record: bytes, tmp_path: Path, old: bytes, new: bytes
) -> None:
    """Fields that are there twice, or that we do not know; it is written in one way only."""
    chain, data = Chain(), b""
    for text in record.replace(old, new, 1).splitlines(keepends=True):
        sealed = text.startswith((b'{"deal_end"', b'{"end"'))
        body = text[: text.rfind(b',"hash":"') + len(b',"hash":"')] if sealed else text
        data += body + chain._close(body) + b'"}\n' if sealed else body
        if not sealed:
            chain.check(text)

    assert "not as a referee writes it" in str(trouble(data, tmp_path / "record"))


@pytest.mark.parametrize("where", [None, "/dev/shm"])  # noqa: S108  # a folder like any other
def test_a_pipe_to_which_no_process_writes_is_no_record(where: str | None) -> None:
    """It is not waited for, wherever it lies."""
    with tempfile.TemporaryDirectory(dir=where) as folder:
        os.mkfifo(f"{folder}/record.jsonl")
        with pytest.raises(RefereeError, match="is no record"):
            RecordReader(Path(folder, "record.jsonl"))


def test_nothing_that_may_never_end_is_read(tmp_path: Path) -> None:
    """Nor a link to it: a terminal's device waits for a person, and a log's pipe for a writer."""
    (tmp_path / "record.jsonl").symlink_to("/dev/ptmx")
    with pytest.raises(RefereeError, match="is no record: it is a device"):
        RecordReader(tmp_path / "record.jsonl")
    log = stderr_file(tmp_path / "record.jsonl")
    os.mkfifo(log)
    with pytest.raises(RefereeError, match="is no stderr of bots: it is a named pipe"):
        stderr_by_act(log)


def test_a_hash_covers_the_hash_before_it() -> None:
    """The same line twice has two different hashes, and only its own place accepts it."""
    end = EndLine("deals", (0,), None, "")
    chain = Chain()
    first, second = chain.encode(end), chain.encode(end)
    check = Chain()

    assert first != second
    assert not check.check(second)
    assert Chain().check(first)


def test_the_object_of_a_record_has_the_keys_of_the_contract(record: bytes, tmp_path: Path) -> None:
    """`replay --json` is exactly the object of DESIGN 8."""
    path = tmp_path / "record"
    path.write_bytes(record)
    with RecordReader(path) as reader:
        found = Resimulation(reader)
        shown = to_builtins(match_object(found, found.deals(), None))

    assert list(shown) == ["game", "options", "bots", "deals", "result", "game_digest"]
    assert list(shown["deals"][0]) == (
        [
            "deck",
            "dealer",
            "seats",
            "trump",
            "turn_up",
            "sides",
            "acts",
            "auction",
            "tricks",
            "points",
            "scores",
            "faults",
        ]
    )
    assert list(shown["deals"][0]["tricks"][0]) == ["leader", "cards", "winner", "points"]
    assert list(shown["result"]) == ["scores", "winner", "reason"]
    assert [fault["code"] for deal in shown["deals"] for fault in deal["faults"]] == ["crashed"]
    assert sum(shown["deals"][0]["points"]) == 120


async def test_only_the_times_differ_between_two_runs(tmp_path: Path) -> None:
    """The same bots with the same key: equal decks, actions, bytes and game digest."""
    ends = []
    for name in ("one", "two"):
        result = await match(
            tmp_path / name, "briscola-2", "sample:random", "sample:random", deals=5, key="k"
        )
        ends.append((result.end, [deal.sent for deal in verified(tmp_path / name)]))

    assert ends[0] == ends[1]


async def test_a_record_that_benches_who_is_not_there_is_refused(tmp_path: Path) -> None:
    """Nor twice, nor out of order, nor where decks do not stand alone."""
    path, other = tmp_path / "record", tmp_path / "other"
    await match(path, "briscola-2", "sample:first", "sample:first", deals=1)
    header, rest = path.read_bytes().split(b"\n", 1)
    for decks, benched in ((b"1", b"2"), (b"1", b"0,0"), (b"1", b"1,0"), (b"null", b"0")):
        changed = header.replace(b'"decks":1', b'"decks":' + decks)
        other.write_bytes(changed[:-1] + b',"benched":[' + benched + b"]}\n" + rest)
        with pytest.raises(Mismatch, match="cannot be benched"), RecordReader(other) as reader:
            Resimulation(reader)


async def test_a_record_of_other_rules_is_refused(tmp_path: Path) -> None:
    """A revision that is yet to come, another game's rules, and a game that is not here."""
    path, other = tmp_path / "record", tmp_path / "other"
    await match(path, "briscola-2", "sample:first", "sample:first", deals=1)
    for old, new, line in (
        (b'"revision":2', b'"revision":3', "revision 3"),
        (b'"game":"briscola-2"', b'"game":"sueca"', "rules of briscola-2"),
        (b'"briscola-2"', b'"poker-2"', "no game 'poker-2'"),
        (b'"record":4', b'"record":2', "format 2"),
    ):
        header, rest = path.read_bytes().split(b"\n", 1)
        other.write_bytes(header.replace(old, new) + b"\n" + rest)
        with pytest.raises((RefereeError, Mismatch), match=line), RecordReader(other) as reader:
            Resimulation(reader)


def test_a_name_that_no_bot_can_have_is_no_line_of_a_record() -> None:
    """What the protocol does not let a bot say, a record cannot say for it."""
    line = b'{"start":0,"us":1,"protocol":1,"name":"%b","version":""}'
    decode(line % b"x")
    for name in (b"", b"x" * 65):
        with pytest.raises(BadLine, match="name"):
            decode(line % name)


@pytest.mark.parametrize(
    ("old", "new"),
    [('"game":"briscola-2"', '"game":"LONG"'), ('"freeze":"', '"freeze":"LONG'), ("deck", "LONG")],
)
def test_a_record_with_a_name_of_megabytes_gets_a_short_line(
    old: str, new: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nobody reads megabytes of an error, and a terminal takes seconds for them."""
    path = tmp_path / "record"
    pair = ["match", "sample:first", "sample:first", "--game", "briscola-2", "--deals", "1"]
    assert run([*pair, "--sandbox", "bare", "--record", str(path)]) == 0
    capsys.readouterr()
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new.replace("LONG", "a" * 3_000_000), 1))
    assert run(["replay", str(path), "--verify"]) in {1, 2}
    assert len(capsys.readouterr().err) < 30_000


def test_acts_are_held_for_a_kilobyte_at_most_and_all_else_is_written_at_once(
    tmp_path: Path,
) -> None:
    """What is behind an act is never in the file before it; closing writes all."""
    path, act, given = tmp_path / "record", ActLine("5C", 1, Receipt(1, 2, 3, 4)), 0
    recorder = Recorder(path)

    def kept(line: Line) -> int:
        """How many bytes are still held after a line."""
        nonlocal given
        recorder.write(line)
        given += len(Chain().encode(line))
        return given - path.stat().st_size

    line = len(Chain().encode(act))
    assert kept(LegLine(0, (0, 1), 0)) == 0
    assert [kept(act) for _ in range(3)] == [line, 2 * line, 3 * line]
    recorder.flush()
    assert path.stat().st_size == given
    assert {kept(act) for _ in range(100)} == set(range(0, HELD, line))
    assert kept(act) > 0
    assert kept(FrozenLine(0, 1)) == 0
    assert kept(act) > 0
    recorder.close()
    assert path.stat().st_size == given

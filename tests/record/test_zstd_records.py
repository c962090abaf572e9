"""Compressed records, and records that are found by the id of their match."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import trio
import zstandard

from ladder.files.record_store import keep, path_of
from referee.cli import run
from referee.errors import RefereeError
from referee.match.lines import Line
from referee.record import by_id, reader
from referee.record.compressed import LARGEST_WINDOW, Damaged, Unpacked
from referee.record.reader import Mismatch
from support.matches import lines_of, match, rogue

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A record of three deals, with a fault in it."""
    path = tmp_path_factory.mktemp("records") / "record"
    trio.run(partial(match, path, "briscola-2", "sample:first", rogue("exits"), deals=3))
    return path


@pytest.fixture(scope="module")
def packed(plain: Path) -> bytes:
    """The same, as a ladder keeps it."""
    folder = plain.with_name("ladder")
    return path_of(folder, keep(folder, plain)[0]).read_bytes()


def compressed(data: bytes, **how: int) -> bytes:
    """A frame of its own making."""
    chosen = zstandard.ZstdCompressionParameters(write_checksum=1, **how)
    return zstandard.ZstdCompressor(compression_params=chosen).compress(data)


def in_two_blocks(text: bytes) -> bytes:
    """A frame whose first block holds the header of a record."""
    compressor = zstandard.ZstdCompressor(write_checksum=True).compressobj()
    end = text.index(b"\n") + 1
    first = compressor.compress(text[:end]) + compressor.flush(zstandard.COMPRESSOBJ_FLUSH_BLOCK)
    return first + compressor.compress(text[end:]) + compressor.flush()


def read(path: Path, data: bytes) -> list[Line] | str:
    """The lines of a record, or what is wrong with it."""
    path.unlink(missing_ok=True)  # to write over a file can mean to wait for the disk
    path.write_bytes(data)
    try:
        return lines_of(path)
    except (Mismatch, RefereeError) as error:
        return str(error)


def test_a_compressed_record_is_shown_and_proved_like_any_other(
    plain: Path, packed: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Told by its first bytes, whatever its name."""
    path = tmp_path / "record"
    path.write_bytes(packed)
    said = []
    for file in (plain, path):
        assert run(["replay", str(file), "--verify"]) == 0
        digest = capsys.readouterr().out.partition(": ")[2]
        assert run(["replay", str(file), "--json"]) == 0
        shown = json.loads(capsys.readouterr().out)
        assert run(["replay", str(file), "--deal", "2"]) == 0
        said.append((digest, shown, capsys.readouterr().out))

    assert said[0] == said[1]
    assert "verified, 3 deals" in said[0][0]
    assert lines_of(path) == lines_of(plain)


@pytest.mark.slow
def test_any_flipped_bit_of_a_compressed_record_is_found(
    plain: Path, packed: bytes, tmp_path: Path, many_cases: bool
) -> None:
    """Unless the same bytes come out of it; and it is one line, whatever the bit."""
    lines = lines_of(plain)
    found = 0
    for at in range(0, 8 * len(packed), 1 if many_cases else 5):
        changed = bytearray(packed)
        changed[at // 8] ^= 1 << at % 8
        trouble = read(tmp_path / "record", bytes(changed))
        assert trouble == lines or (isinstance(trouble, str) and "\n" not in trouble), at
        found += trouble != lines

    assert found > 0.95 * (8 * len(packed)) / (1 if many_cases else 5)


def test_any_cut_tail_of_a_compressed_record_is_found(packed: bytes, tmp_path: Path) -> None:
    """It is no record that merely ends early: somebody has lost a part of the file."""
    for length in range(len(packed)):
        assert isinstance(read(tmp_path / "record", packed[:length]), str), length
    trouble = read(tmp_path / "record", packed[:-1])

    assert isinstance(trouble, str)
    assert "its compressed bytes are cut off" in trouble


@pytest.mark.parametrize("more", [b"\n", b"x" * 1000, compressed(b"{}\n"), compressed(b"")])
def test_nothing_may_stand_after_the_compressed_bytes(
    more: bytes, packed: bytes, tmp_path: Path
) -> None:
    """Another compressed part neither."""
    trouble = read(tmp_path / "record", packed + more)

    assert isinstance(trouble, str)
    assert "something stands after its compressed bytes" in trouble


def test_damage_is_one_line_with_the_files_name(
    plain: Path, packed: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2 where there is no header, 1 where the record does not hold any further."""
    path = tmp_path / "record"
    path.write_bytes(packed[:50])
    assert run(["replay", str(path)]) == 2
    said = f"referee: {str(path)!r} is no record: line 1: its compressed bytes are cut off\n"
    assert capsys.readouterr().err == said
    path.write_bytes(packed[:-4] + bytes(4))
    assert run(["replay", str(path)]) == 2
    damaged = "line 1: its compressed bytes are damaged: restored data doesn't match checksum\n"
    assert capsys.readouterr().err.endswith(damaged)
    path.write_bytes(in_two_blocks(plain.read_bytes())[:-1])
    assert run(["replay", str(path), "--verify", "--json"]) == 1
    trouble = json.loads(capsys.readouterr().out)["trouble"]
    assert trouble == f"line {len(lines_of(plain)) + 1}: its compressed bytes are cut off"


def test_a_compressed_record_can_be_cut_into_lines_anywhere() -> None:
    """Lines are whole wherever pieces end; a limit cuts them as it does those of a file."""
    text = b"".join(b"%d" % number * (number % 97) + b"\n" for number in range(3000)) + b"torn"
    for limit in (7, 300, MIB):
        ours, theirs = Unpacked(io.BytesIO(compressed(text))), io.BytesIO(text)
        while line := theirs.readline(limit):
            assert ours.readline(limit) == line
        assert ours.readline(limit) == b""
    assert Unpacked(io.BytesIO(compressed(b"a\n"))).readline(0) == b""


def bomb(begin: bytes, again: bytes, mib: int) -> bytes:
    """A small file that becomes a large one."""
    compressor = zstandard.ZstdCompressor(level=1).compressobj()
    piece = again * (MIB // len(again))
    pieces = [compressor.compress(begin), *(compressor.compress(piece) for _ in range(mib))]
    return b"".join((*pieces, compressor.flush()))


GROWS = """
import resource, sys
from pathlib import Path
from referee.record.reader import Mismatch, RecordReader
from referee.errors import RefereeError

try:
    with RecordReader(Path(sys.argv[2])) as reader:
        for _ in reader:
            pass
except (Mismatch, RefereeError):
    pass
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    with RecordReader(Path(sys.argv[1])) as reader:
        for _ in reader:
            pass
except (Mismatch, RefereeError) as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["one line", "lines of nothing", "lines without a hash"])
@pytest.mark.thorough
def test_a_bomb_does_not_make_us_grow(kind: str, plain: Path, tmp_path: Path) -> None:
    """A gigabyte in a few kilobytes is read piece by piece, and given up in time."""
    header = plain.read_bytes().partition(b"\n")[0] + b"\n"
    frozen = b'{"frozen":0,"us":1}\n'
    begin, again, says = {
        "one line": (b"", b"\0", "line 1: it is longer than 4194304 bytes"),
        "lines of nothing": (header, b"\n", "line 2: it is no line of a record"),
        "lines without a hash": (header, frozen, f"no hash in {reader.LONGEST_PART} bytes"),
    }[kind]
    path = tmp_path / "bomb"
    path.write_bytes(bomb(begin, again, 1024))
    assert path.stat().st_size < MIB
    done = subprocess.run(
        [sys.executable, "-c", GROWS, path, plain], capture_output=True, text=True, check=True
    )
    said, grown = done.stdout.splitlines()

    assert says in said
    assert int(grown) < 64 * 1024, "KiB"


def test_a_file_may_not_ask_for_a_large_window(tmp_path: Path) -> None:
    """What every decoder can do is enough for a record."""
    text = bytes(2 * LARGEST_WINDOW)
    most = LARGEST_WINDOW.bit_length() - 1
    fits = Unpacked(io.BytesIO(compressed(text, window_log=most, write_content_size=0)))
    too_large = Unpacked(io.BytesIO(compressed(text, window_log=most + 1, write_content_size=0)))

    assert fits.readline(100) == bytes(100)
    with pytest.raises(Damaged, match="damaged: frame requires too much memory for decoding"):
        too_large.readline(100)


Finder = Callable[[str, str | None], Path]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs plug-ins that know matches by their ids."""

    def installed(*finders: Finder) -> None:
        for number, finder in enumerate(finders):
            monkeypatch.setattr(by_id, f"_test_{number}", finder, raising=False)
        points = tuple(
            EntryPoint(f"test{number}", f"referee.record.by_id:_test_{number}", by_id.PLUG_INS)
            for number in range(len(finders))
        )
        found = {by_id.PLUG_INS: points}
        monkeypatch.setattr(by_id, "entry_points", lambda group: found[group])

    return installed


def knows_nothing(text: str, where: str | None) -> Path:
    """The plug-in of an empty ladder."""
    raise RefereeError(f"there is no match {text} in {where}")


def test_replay_takes_the_id_of_a_match(
    plain: Path, install: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Whoever knows it says where the record is; the rest is as with a file."""
    asked: list[tuple[str, str | None]] = []

    def finds(text: str, where: str | None) -> Path:
        asked.append((text, where))
        return plain

    install(finds)
    for more in ([], ["--ladder", "L"]):
        for text in ("17", "0123abcd", "f" * 64):
            assert run(["replay", text, *more, "--verify"]) == 0
            assert "verified, 3 deals" in capsys.readouterr().out

    assert asked == [
        (text, where) for where in (None, "L") for text in ("17", "0123abcd", "f" * 64)
    ]


def test_the_next_plug_in_is_asked_when_one_knows_nothing(
    plain: Path, install: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """What the last one says is said, if none knows it."""
    install(knows_nothing, lambda text, where: plain)
    assert run(["replay", "17", "--verify"]) == 0
    install(lambda text, where: plain, knows_nothing)
    assert run(["replay", "17", "--verify"]) == 0
    install(knows_nothing, knows_nothing)
    capsys.readouterr()
    assert run(["replay", "17", "--ladder", "L"]) == 2
    assert capsys.readouterr().err == "referee: there is no match 17 in L\n"


def test_a_file_goes_before_an_id_unless_a_ladder_is_named(
    plain: Path,
    install: Callable[..., None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A file may have a number for its name."""
    install(knows_nothing)
    monkeypatch.chdir(tmp_path)
    Path("17").write_bytes(plain.read_bytes())

    assert run(["replay", "17", "--verify"]) == 0
    assert run(["replay", "17", "--verify", "--ladder", "L"]) == 2
    assert "there is no match 17 in L" in capsys.readouterr().err


NEITHER = {
    "17": "record '17': there is no such file, and nothing is installed that has matches",
    "r.jsonl": "record 'r.jsonl': No such file or directory",
    "abc": "record 'abc': No such file or directory",
    "ABCDEF01": "record 'ABCDEF01': No such file or directory",
    "r.jsonl --ladder L": "'r.jsonl' is no id of a match, a number or at least 8",
}


@pytest.mark.parametrize("typed", NEITHER)
def test_what_is_neither_a_file_nor_an_id_is_one_line(
    typed: str, install: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit code 2."""
    install()

    assert run(["replay", *typed.split()]) == 2
    said = capsys.readouterr().err
    assert NEITHER[typed] in said
    assert said.count("\n") == 1

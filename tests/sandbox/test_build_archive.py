"""The archive of a build: whatever bytes it is, files are made in their folder and nowhere else."""

import errno
import io
import os
import random
import tarfile
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.bots.find import BotSource
from referee.bots.settings import BuildOutput
from referee.errors import RefereeError
from referee.sandbox.build_archive import Unpacker

Entry = tuple[str, bytes, bytes | str]
"""A name, a kind, and contents or what a link names."""


def archive(*entries: Entry, layout: int = tarfile.GNU_FORMAT) -> bytes:
    """As tar would write it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=layout) as tar:
        for name, kind, data in entries:
            entry = tarfile.TarInfo(name)
            entry.type = kind
            if isinstance(data, str):
                entry.linkname = data
            else:
                entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data) if isinstance(data, bytes) else None)
    return buffer.getvalue()


def unpacked(data: bytes, to: Path, most: BuildOutput | None = None, piece: int = 1000) -> Unpacker:
    """Feed an archive piece by piece."""
    bot = BotSource("x", ("x",), {}, None, "", "x", build_output=most or BuildOutput())
    unpacker = Unpacker(to, bot)
    try:
        for start in range(0, len(data), piece):
            unpacker.feed(data[start : start + piece])
    finally:
        unpacker.close()
    return unpacker


def below(folder: Path) -> Iterable[str]:
    """The names of all that lies in a folder."""
    found = (
        os.path.join(where, name)
        for where, folders, files in os.walk(folder)
        for name in (*folders, *files)
    )
    return sorted(os.path.relpath(path, folder) for path in found)


LONG = "/".join(["d" * 90] * 3)
GOOD: tuple[Entry, ...] = (
    ("./", tarfile.DIRTYPE, b""),
    ("./a", tarfile.DIRTYPE, b""),
    ("./a/x", tarfile.REGTYPE, b"1" * 1500),
    ("./empty", tarfile.REGTYPE, b""),
    ("./pipe", tarfile.FIFOTYPE, b""),
    ("./link", tarfile.SYMTYPE, "t" * 300),
    ("./again", tarfile.LNKTYPE, "./a/x"),
    ("./" + "d" * 90, tarfile.DIRTYPE, b""),
    ("./" + "/".join(["d" * 90] * 2), tarfile.DIRTYPE, b""),
    (f"./{LONG}", tarfile.REGTYPE, b"deep"),
)


@pytest.mark.parametrize("piece", [1, 511, 512, 513, 100_000])
def test_an_archive_is_unpacked_however_its_bytes_come(piece: int, tmp_path: Path) -> None:
    """Long names and long links too, as GNU tar writes them."""
    made = tmp_path / "made"
    assert unpacked(archive(*GOOD), made, piece=piece).is_complete
    assert below(made) == sorted(
        ["a", "a/x", "again", "d" * 90, "/".join(["d" * 90] * 2), LONG, "empty", "link"]
    )
    assert (made / "again").read_bytes() == (made / "a/x").read_bytes() == b"1" * 1500
    assert os.readlink(made / "link") == "t" * 300


def test_names_in_two_parts_are_read_as_one(tmp_path: Path) -> None:
    """As the format ustar has them."""
    file: Entry = ("d" * 90 + "/" + "f" * 90, tarfile.REGTYPE, b"deep")
    unpacked(archive(GOOD[7], file, layout=tarfile.USTAR_FORMAT), tmp_path / "made")
    assert (tmp_path / "made" / file[0]).read_bytes() == b"deep"


@pytest.mark.parametrize(
    ("entries", "line"),
    [
        ([("/etc/x", b"0", b"")], "a name leads out"),
        ([("a/../../x", b"0", b"")], "a name leads out"),
        ([("nowhere/x", b"0", b"")], "an entry lies in no folder"),
        ([("a", b"2", "/"), ("a/x", b"0", b"")], "an entry lies in no folder"),
        ([("a", b"2", "/etc/passwd"), ("a", b"0", b"1")], "File exists"),
        ([("a", b"0", b"1"), ("a", b"0", b"1")], "File exists"),
        ([("a", b"1", "/etc/shadow")], "a name leads out"),
        ([("a", b"1", "missing")], "an entry is a link to none before it"),
        ([("s", b"2", "/etc/shadow"), ("a", b"1", "s")], "an entry is a link to none before it"),
        ([("a" * 300, b"0", b"1")], "File name too long"),
        ([("d/" * 60 + "x", b"0", b"")], "the build made folders more than 50 deep"),
        ([("n" * 1100, b"0", b"")], "a path of more than 1024 bytes"),
        ([("n" * 70_000, b"0", b"")], "a path of more than 1024 bytes"),
        ([("a", b"0", b"1" * (2 << 20))], "the build left 2.0 MiB or more in 1 file or more"),
        (
            [("a", b"0", b"1" * (1 << 19))] + [(f"a{n}", b"1", "a") for n in range(2)],
            "the build left 1.5 MiB or more in 3 files or more",
        ),
        ([(f"a{n}", b"5", b"") for n in range(11)], "in 11 files or more; at most 1 MiB and 10"),
    ],
)
def test_what_no_build_should_leave_is_refused(
    entries: list[Entry], line: str, tmp_path: Path
) -> None:
    """Whoever wrote the archive: a bot's build can."""
    with pytest.raises(RefereeError, match=line):
        unpacked(archive(*entries), tmp_path / "made", BuildOutput(size=1, files=10))
    assert os.listdir(tmp_path) == ["made"]


def test_other_formats_are_named(tmp_path: Path) -> None:
    """An image may have a tar that knows no other."""
    with pytest.raises(RefereeError, match="of the kind b'x', not of GNU tar's"):
        unpacked(archive(("é" * 80, b"0", b""), layout=tarfile.PAX_FORMAT), tmp_path / "made")


def test_a_cut_archive_is_not_complete(tmp_path: Path) -> None:
    """Its end is a block of zeros; what the end follows is not looked at."""
    data = archive(*GOOD)
    assert not unpacked(data[:2048], tmp_path / "cut").is_complete
    assert unpacked(data + b"nonsense" * 1000, tmp_path / "more").is_complete


@pytest.mark.parametrize(
    ("name", "kind", "line"),
    [
        ("huge", tarfile.REGTYPE, "the build left"),
        ("d", tarfile.DIRTYPE, "an entry that is no file has contents"),
        (".", tarfile.DIRTYPE, "an entry that is no file has contents"),
    ],
)
def test_a_size_that_is_a_lie_is_refused_at_its_header(
    name: str, kind: bytes, line: str, tmp_path: Path
) -> None:
    """Before a byte of it has come."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.size = kind, 1 << 70
    with pytest.raises(RefereeError, match=line):
        unpacked(entry.tobuf(tarfile.GNU_FORMAT), tmp_path / "made")


@pytest.mark.parametrize("text", [b"-7777777777", b"+7", b"1_0", b"0o17", b"7 7", b"8", b"\x0b7"])
def test_a_size_is_nothing_but_octal_digits(text: bytes, tmp_path: Path) -> None:
    """A negative one would make room for as much more."""
    entry = tarfile.TarInfo("x")
    block = bytearray(entry.tobuf(tarfile.GNU_FORMAT))
    block[124:136] = text.ljust(12, b"\0")
    block[148:156] = b"%06o\0 " % (sum(block) - sum(block[148:156]) + 8 * 0x20)
    with pytest.raises(RefereeError, match="a number of a header is none"):
        unpacked(bytes(block), tmp_path / "made")


def test_a_full_disk_is_not_the_fault_of_a_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody has to be told of it who can mend it."""

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(OSError, match="No space left on device"):
        unpacked(archive(("a", b"0", b"1")), tmp_path / "made")


@given(seed=st.integers(0, 1 << 32))
def test_changed_archives_make_nothing_elsewhere(
    seed: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """They are refused, or unpacked below their folder; nothing else is raised."""
    source, home = random.Random(seed), tmp_path_factory.mktemp("fuzz")
    data = bytearray(archive(*GOOD))
    for _ in range(source.randrange(1, 12)):
        data[source.randrange(len(data))] = source.randrange(256)
        start = source.randrange(0, len(data), 512)
        block = data[start : start + 512]
        block[148:156] = b"%06o\0 " % ((sum(block) - sum(block[148:156]) + 256) & 0o777777)
        data[start : start + 512] = block
    with suppress(RefereeError):
        unpacked(bytes(data), home / "made")
    assert os.listdir(home) == ["made"]

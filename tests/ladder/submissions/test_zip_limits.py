"""Zips that nobody trusts: every limit holds, and what is taken is plain files."""

import errno
import os
import random
import subprocess
import sys
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from ladder.submissions import unzip_program
from ladder.submissions.unzip import taken_from
from ladder.submissions.unzip_program import FILES, LARGEST_FILE, MEMORY, ZipRefused
from referee.bots.held_folder import OUR_TROUBLE
from referee.errors import HostError
from support.disks import small_disk
from support.zips import (
    GOOD,
    LAST,
    LOCAL,
    Entry,
    crowded,
    good,
    nested,
    overlapping,
    unpacked,
    with_central,
    with_local,
    zipped,
)


def unzip(data: bytes, folder: Path) -> Path:
    """Unpacks, in a process of its own."""
    return unpacked(data, folder / "out")


def random_bytes(size: int) -> bytes:
    return random.Random(1).randbytes(size)


NFC = unicodedata.normalize("NFC", "bot/é")
BAD_NAMES = {
    "/etc/cron.d/x": "must not begin with /",
    "bot/../../x": "have no place in a name",
    "../x": "have no place in a name",
    "bot/./x": "have no place in a name",
    "bot//x": "have no place in a name",
    "bot\\x": "a name is made of",
    "C:x": "a name is made of",
    "bot/a\0.sh": "a name is made of",
    "bot/a\nb": "a name is made of",
    "bot/\x1b[2J": "a name is made of",
    "bot/\u202egnp.sh": "a name is made of",
    NFC: "a name is made of",
    unicodedata.normalize("NFD", NFC): "a name is made of",
    "bot/x.": "ends with none or a dot",
    "bot/ x": "begins with no blank",
    "bot/x ": "begins with no blank",
    "b" * 101: "has at most 100 characters, 200 with its folders",
    "/".join(["b" * 60] * 4): "has at most 100 characters, 200 with its folders",
    "/".join("abcdefghijklm"): "lies more than 12 folders deep",
}


@pytest.mark.parametrize("name", BAD_NAMES, ids=ascii)
def test_names_that_mean_something_to_a_system_are_refused(name: str, tmp_path: Path) -> None:
    """Up, away, drives, control characters, letters of two spellings, too long and too deep."""
    with pytest.raises(ZipRefused, match=BAD_NAMES[name]):
        unzip(zipped(*(Entry(*one) for one in GOOD.items()), Entry(name)), tmp_path)


TWICE = {
    ("bot/a", "bot/a"): "is there twice",
    ("bot/a", "bot/A"): "differ only in case",
    ("bot/a/x", "bot/A/y"): "differ only in case",
    ("bot/a", "bot/a/b"): "is a file and a folder at once",
    ("bot/a/b/c/d/e", "bot/a/b"): "is a file and a folder at once",
    ("bot/a/", "bot/a"): "is a file and a folder at once",
}


@pytest.mark.parametrize("names", TWICE, ids=str)
def test_no_two_names_are_one_on_any_system(names: tuple[str, str], tmp_path: Path) -> None:
    """Nor is a name a file and a folder, however deep."""
    entries = (Entry(name, b"", 0o040755 if name.endswith("/") else 0o100644) for name in names)
    with pytest.raises(ZipRefused, match=TWICE[names]):
        unzip(zipped(Entry("bot.toml"), *entries), tmp_path)


@pytest.mark.parametrize(
    ("mode", "line"),
    [
        (0o120777, "is a link: a zip holds files and folders only"),
        (0o020666, "is no plain file"),
        (0o060666, "is no plain file"),
        (0o010666, "is no plain file"),
        (0o140666, "is no plain file"),
        (0o040755, "is a file and a folder at once"),
        (0o104755, "has the mode 4755"),
        (0o102755, "has the mode 2755"),
        (0o101777, "has the mode 1777"),
    ],
)
def test_only_plain_files_are_taken(mode: int, line: str, tmp_path: Path) -> None:
    """No links, devices, pipes and sockets, nothing setuid, setgid or sticky."""
    with pytest.raises(ZipRefused, match=line):
        unzip(zipped(Entry("bot.toml"), Entry("x", b"/etc/shadow", mode)), tmp_path)


def with_size(data: bytes, size: int) -> bytes:
    """A zip that says of its last entry that it unpacks to this size."""
    return with_local(with_central(data, 24, "<I", size), 22, "<I", size)


def stored(size: int) -> bytes:
    return zipped(Entry("x", bytes(size), method=zipfile.ZIP_STORED))


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "zip": (lambda: zipped(Entry("x", random_bytes(66 << 20))), "larger than 65 MiB"),
    "entries": (lambda: zipped(*(Entry(f"{n}") for n in range(2001))), "more than 2000"),
    "left out": (
        lambda: zipped(*(Entry(f".git/{n}") for n in range(20_001))),
        "more than 20000 files that are no part of a bot",
    ),
    "folders": (lambda: zipped(*(Entry(f"{n}/a/b") for n in range(700))), "more than 2000"),
    "crowd": (lambda: crowded(170_000), "more than 2000|too much memory"),
    "file": (lambda: zipped(Entry("x", bytes(LARGEST_FILE + 1))), "larger than 32 MiB"),
    "total": (
        lambda: zipped(*(Entry(f"{n}", bytes(22 << 20)) for n in range(3))),
        "larger than 64 MiB",
    ),
    "ratio": (lambda: zipped(Entry("x", bytes(1 << 20))), "over 200 times itself"),
    "lying": (lambda: with_size(zipped(Entry("x", bytes(LARGEST_FILE + 1))), 100), "damaged"),
    "boasting": (lambda: with_size(zipped(Entry("x", random_bytes(1000))), 2000), "damaged"),
    "overlap": (overlapping, "overlaps with what is before it"),
    "nested": (nested, "overlaps with"),
    "tail": (lambda: with_central(stored(9), 20, "<I", 80), "overlaps with its list|damaged"),
    "nowhere": (lambda: with_central(stored(9), 42, "<I", 1 << 30), "damaged"),
    "crc": (lambda: with_central(stored(9), 16, "<I", 1), "damaged"),
    "bzip2": (lambda: zipped(Entry("x", method=zipfile.ZIP_BZIP2)), "method 12: only deflate"),
    "lzma": (lambda: zipped(Entry("x", method=zipfile.ZIP_LZMA)), "method 14: only deflate"),
    "encrypted": (lambda: with_central(stored(9), 8, "<H", 1), "is encrypted"),
    "strongly": (lambda: with_central(stored(9), 8, "<H", 0x40), "is encrypted"),
    "masked": (lambda: with_central(stored(9), 8, "<H", 0x2000), "is encrypted"),
    "patched": (lambda: with_central(stored(9), 8, "<H", 0x20), "damaged"),
    "future": (lambda: with_central(stored(9), 6, "<H", 99), "damaged"),
    "full folder": (lambda: zipped(Entry("x/", b"full", 0o040755)), "a file and a folder at once"),
    "two names": (lambda: zipped(Entry("xy")).replace(b"xy", b"zz", 1), "damaged"),
    "no list": (lambda: LOCAL + bytes(100), "damaged"),
    "empty": (lambda: LAST + bytes(18), "it has no bot.toml"),
    "no toml": (lambda: zipped(Entry("x")), "it has no bot.toml"),
    "deep toml": (lambda: zipped(Entry("a/b/bot.toml")), "it has no bot.toml"),
    "beside toml": (lambda: zipped(Entry("a/bot.toml"), Entry("b/x")), "it has no bot.toml"),
}


@pytest.mark.parametrize("kind", BOMBS)
def test_every_limit_is_one(kind: str, tmp_path: Path) -> None:
    """Counted while it is unpacked: what a zip says of itself proves nothing."""
    data, line = BOMBS[kind]
    with pytest.raises(ZipRefused, match=line):
        unzip(data(), tmp_path)
    written = sum(path.stat().st_size for path in (tmp_path / "out" / FILES).rglob("*"))
    assert written <= 44 << 20


def test_a_total_is_counted_and_not_believed(tmp_path: Path) -> None:
    """Where what is written down is small."""
    data = zipped(*(Entry(f"{n}", random_bytes(1 << 20)) for n in range(3)))
    (tmp_path / "zip").write_bytes(data)
    (tmp_path / "out").mkdir()
    root = os.open(tmp_path / "out", os.O_RDONLY)
    with pytest.MonkeyPatch.context() as patch, (tmp_path / "zip").open("rb") as file:
        patch.setattr(zipfile.ZipInfo, "file_size", property(lambda _: 1 << 19, lambda *_: None))
        patch.setattr(unzip_program, "LARGEST_TOTAL", 5 << 18)
        report = unzip_program.report_of(file, root)
    os.close(root)
    assert set(report) == {"refused"}
    assert sum(path.stat().st_size for path in (tmp_path / "out").iterdir()) <= 5 << 18


def test_a_good_zip_becomes_plain_files(tmp_path: Path) -> None:
    """With and without a folder around them; what is executable stays so, and no other bit does."""
    odd = "with (odd) +chars=$1,~[x]{y}#%&'!@.txt"
    inside = [
        Entry("bot.toml", GOOD["bot/bot.toml"], 0o100600),
        Entry("run", b"#!/bin/sh\n", 0o100711),
        Entry("data/", b"", 0o042777),
        Entry("data/small zeros", bytes(60_000)),
        Entry(odd, method=zipfile.ZIP_STORED),
        Entry("__MACOSX/._bot.toml"),
    ]
    wrapped = [
        Entry(one.name if "MACOSX" in one.name else f"bot-1/{one.name}", one.data, one.mode)
        for one in inside
    ]
    for entries in (inside, wrapped):
        here = tmp_path / entries[0].name.replace("/", "-")
        here.mkdir()
        folder = unzip(zipped(*entries), here)
        assert folder.name == (FILES if entries is inside else "bot-1")
        modes = {path.name: path.stat().st_mode for path in folder.rglob("*")}
        assert modes == {
            "bot.toml": 0o100644,
            "run": 0o100755,
            "data": 0o040755,
            "small zeros": 0o100644,
            odd: 0o100644,
        }
        assert (folder / "data" / "small zeros").read_bytes() == bytes(60_000)


BINDS = """
import importlib.util, os, sys
spec = importlib.util.spec_from_file_location("unzip_program", sys.argv[1])
unzip_program = importlib.util.module_from_spec(spec)
spec.loader.exec_module(unzip_program)
unzip_program.CPU_S = 1
unzip_program.bind()
"""


@pytest.mark.parametrize(
    ("deed", "end"),
    [
        (f"bytearray({MEMORY})", "MemoryError"),
        (f"open(sys.argv[2], 'wb').write(bytes({LARGEST_FILE} + 1)) and open('f', 'rb')", ""),
        ("[os.dup(0) for _ in range(100)]", "Too many open files"),
    ],
)
def test_the_unpacker_is_bounded_whatever_it_does(deed: str, end: str, tmp_path: Path) -> None:
    """In memory, in the size of a file, and in descriptors."""
    command = [sys.executable, "-I", "-S", "-c", BINDS + deed]
    words = [*command, unzip_program.__file__, str(tmp_path / "large")]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert end in done.stderr
    if not end:
        assert (tmp_path / "large").stat().st_size == LARGEST_FILE


@pytest.mark.slow
@pytest.mark.thorough
def test_the_unpacker_is_bounded_in_time(tmp_path: Path) -> None:
    """In processor time, and on the clock: it is refused."""
    asleep = BINDS.replace("CPU_S", "WALL_S") + "import time; time.sleep(50)"
    for deed in (BINDS + "while True: pass", asleep):
        words = [sys.executable, "-I", "-S", "-c", deed, unzip_program.__file__]
        done = subprocess.run(words, capture_output=True, check=False)
        assert b"ZipRefused: it takes too long to unpack" in done.stderr


@pytest.mark.parametrize("said", ["", "{", '{"refused": 5}', "[" * 9999])
def test_an_unpacker_that_is_not_understood_is_no_fault_of_the_zip(
    said: str, tmp_path: Path
) -> None:
    """Whatever it has left."""
    if said:
        (tmp_path / "report.json").write_text(said)
    with pytest.raises(HostError, match="nothing that we understand"):
        taken_from(tmp_path)


def test_trouble_of_the_machine_is_the_same_for_zips_and_folders() -> None:
    """But for memory, which is bounded for zips; the unpacker knows nothing of us."""
    assert {*unzip_program.OUR_TROUBLE, errno.ENOMEM} == set(OUR_TROUBLE)


def test_a_full_disk_is_not_the_fault_of_the_zip(tmp_path: Path) -> None:
    """It is the machine's, and is told in one line."""
    with (
        small_disk(tmp_path, 256),
        pytest.raises(HostError, match="No space left on device"),
    ):
        unzip(good(large=random_bytes(150_000)), tmp_path)

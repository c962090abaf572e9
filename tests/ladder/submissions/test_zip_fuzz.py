"""Zips changed at random, and zips of any names: none escapes, none crashes, each has an answer."""

import os
import random
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.submissions.unzip_program import (
    LARGEST_FILE,
    LARGEST_TOTAL,
    MOST_ENTRIES,
    Names,
    ZipRefused,
)
from ladder.submissions.unzip_program import report_of as report
from support.zips import (
    CENTRAL,
    LAST,
    LOCAL,
    Entry,
    crowded,
    good,
    nested,
    overlapping,
    unpacked,
    zipped,
)

SEEDS = (
    good(),
    good(deep=b"0123456789" * 2000, zeros=bytes(9000)),
    zipped(*(Entry(f"bot/{n:x}/{n}.txt", b"%d" % n * n) for n in range(40)), Entry("bot/bot.toml")),
    zipped(Entry("bot.toml"), Entry("link", b"/etc/passwd", 0o120777)),
    zipped(Entry("bot.toml"), Entry("../../out", b"x")),
    zipped(Entry("/etc/x"), Entry("a"), Entry("A"), Entry("a/b")),
    zipped(Entry("bot.toml", mode=0o104755), Entry("pipe", b"", 0o010666)),
    overlapping(),
    nested(20),
    crowded(30),
)
SPICES = (CENTRAL, LOCAL, LAST, b"PK\x06\x06", b"../", b"\xff\xff\xff\xff", bytes(4), b"\\", b"/")
MUTANTS = 800


@pytest.fixture
def sentinel() -> Iterator[Path]:
    """A folder in which only `out` may change."""
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / "out").mkdir()
        (Path(name) / "guard").write_text("unchanged")
        yield Path(name)


def mutant(dice: random.Random) -> bytes:
    """One of the seeds with bytes changed, cut, doubled, or spliced with another's."""
    data = bytearray(dice.choice(SEEDS))
    for _ in range(dice.choice((1, 1, 2, 4, 16))):
        at, size = dice.randrange(len(data) + 1), dice.choice((1, 2, 4, 30))
        match dice.randrange(7):
            case 0 if at < len(data):
                data[at] ^= 1 << dice.randrange(8)
            case 1:
                data[at : at + size] = dice.randbytes(size)
            case 2:
                del data[at : at + size]
            case 3:
                data[at:at] = data[max(at - size, 0) : at]
            case 4:
                spice = dice.choice(SPICES)
                data[at : at + len(spice)] = spice
            case 5:
                other = dice.choice(SEEDS)
                data[at:] = other[dice.randrange(len(other)) :]
            case _:
                where = data.find(dice.choice((CENTRAL, LOCAL, LAST)))
                data[max(where, 0) + dice.randrange(50) : max(where, 0) + 50] = dice.randbytes(4)
    return bytes(data)


def check(data: bytes, here: Path) -> bool:
    """Unpacks in this process; whether it was taken. Whatever was written is within the rules."""
    (here / "zip").write_bytes(data)
    out = here / "out"
    root = os.open(out, os.O_RDONLY)
    began = time.process_time()
    try:
        with (here / "zip").open("rb") as file:
            found = report(file, root)
    finally:
        os.close(root)
    assert time.process_time() - began < 5
    assert set(found) <= {"refused", "left_out"}
    assert sorted(os.listdir(here)) == ["guard", "out", "zip"]
    assert (here / "guard").read_text() == "unchanged"
    total = count = 0
    for place, folders, names in os.walk(out, topdown=False):
        for name in (*folders, *names):
            path = Path(place) / name
            status, count = path.lstat(), count + 1
            wanted = (0o755,) if stat.S_ISDIR(status.st_mode) else (0o644, 0o755)
            assert stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)
            assert stat.S_IMODE(status.st_mode) in wanted
            total += status.st_size if stat.S_ISREG(status.st_mode) else 0
            assert status.st_size <= LARGEST_FILE
            (path.rmdir if stat.S_ISDIR(status.st_mode) else path.unlink)()
    assert count <= MOST_ENTRIES
    assert total <= LARGEST_TOTAL
    assert str(found.get("refused", "")).isprintable()
    return "left_out" in found


def test_no_mutant_escapes_or_crashes(sentinel: Path, many_cases: bool) -> None:
    """Hundreds of them, of good zips and bad; a few are taken, most are not."""
    dice = random.Random(6)
    taken = [check(mutant(dice), sentinel) for _ in range(10 * MUTANTS if many_cases else MUTANTS)]
    assert 0 < sum(taken) < len(taken) // 2


@pytest.mark.slow
@pytest.mark.thorough
def test_the_unpacker_answers_every_mutant(sentinel: Path) -> None:
    """In its own process, too."""
    dice = random.Random(7)
    for number in range(40):
        with suppress(ZipRefused):
            unpacked(mutant(dice), sentinel / "out" / f"{number}")
    assert sorted(os.listdir(sentinel)) == ["guard", "out"]


NAMES = st.text(st.sampled_from("aA.é/\\ \0:~\n-"), max_size=12) | st.text(max_size=30)


@given(st.lists(NAMES.filter(lambda name: name.isprintable() or "\n" in name), max_size=6))
def test_whatever_is_taken_lies_within_under_names_of_its_own(names: list[str]) -> None:
    """Names of all kinds, alone and together."""
    with tempfile.TemporaryDirectory() as folder:
        here = Path(folder)
        (here / "out").mkdir()
        (here / "guard").write_text("unchanged")
        check(zipped(*(Entry(name) for name in names if "\0" not in name)), here)


@given(st.lists(st.tuples(NAMES, st.booleans()), max_size=8))
def test_names_that_are_taken_can_be_written_in_any_order(names: list[tuple[str, bool]]) -> None:
    """What was taken together never clashes, whether case counts or not."""
    known, taken = Names(), []
    for name, folder in names:
        try:
            taken.append((known.add(name, folder=folder), folder))
        except ZipRefused:
            break
    files = [tuple(part.casefold() for part in parts) for parts, folder in taken if not folder]
    folders = {
        tuple(part.casefold() for part in parts[:count])
        for parts, folder in taken
        for count in range(1, len(parts) + folder)
    }
    assert len(set(files)) == len(files)
    assert not folders.intersection(files)

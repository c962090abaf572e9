"""What one life of a bot can tell the next by a clock and by what it may read: measured."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
import trio

from referee.doctor.cold_files import cold, in_memory, system_files
from referee.sandbox import Sandbox
from referee.sandbox.opened_files import bring_folder
from support.breaks import cache_kept, proc_open
from support.memory_channel import Carrier, Channel, measured
from support.page_marks import marks
from support.sandboxes import finish, line_of, need, prepared, python_bot

BITS = 200
BY_CHANCE = 0.3
"""Of random bits half are wrong; fewer than this share of 200 happens once in 10^8 times."""

COPIES = 4
LARGER_THAN_CACHES = 200 << 20
SIZE = 28 << 20
ALL_MARKS = (True, True)
NOT_IN_A_LIST_YET = 62
"""So many pages may wait in each of two stores of a core before they are put into a list."""

READS = """
import sys
open({always!r}, "rb", buffering=0).read(1)
sys.stdin.readline()
open({once!r}, "rb", buffering=0).read(1)
print("read", flush=True)
sys.stdin.readline()
"""
"""A program that reads one file before it is told anything, and one after."""

READS_TWICE = f"""
import os, random, sys
sys.stdin.readline()
file = os.open("/bot/pages", os.O_RDONLY)
for page in random.sample(range({SIZE} // 4096), 2000) * 2:
    os.pread(file, 1, page * 4096)
print("read", flush=True)
sys.stdin.readline()
"""

READ = (Carrier.SYSTEM, Carrier.COPY, Carrier.BLOCKS, Carrier.NAMES)
TOLD = (*READ, Carrier.MARKS)


@pytest.fixture(autouse=True)
def on_one_core() -> Iterator[None]:
    """As in a match."""
    need("bwrap", root=True)
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    yield
    os.sched_setaffinity(0, cores)


def fill_caches() -> None:
    """Put other things into the processor's caches, which have some ten megabytes."""
    assert len(b"x" * LARGER_THAN_CACHES) == LARGER_THAN_CACHES


def test_the_information_of_a_channel() -> None:
    """All that was sent where nothing is wrong, nothing where half is."""
    assert Channel(Carrier.NAMES, 100, 0, 2.0).rate == 50
    assert Channel(Carrier.NAMES, 100, 50, 2.0).rate == 0
    assert 0 < Channel(Carrier.NAMES, 100, 10, 1.0).rate < 60


@pytest.mark.slow
async def test_what_every_life_reads_stays_in_memory_and_what_one_reads_does_not(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """A life before the first, without a message, is what tells the two apart."""
    always, once = cold(system_files(), 2)
    text = READS.format(always=str(always), once=str(once))
    bot = await prepared(bwrap, python_bot(tmp_path / "bot", text))
    assert in_memory(always)
    for _ in range(2):
        process = await bwrap.launch(bot)
        os.write(process.stdin, b"\n")
        assert await line_of(process) == "read"
        assert in_memory(once)
        finish(process)

        assert in_memory(always)
        assert not in_memory(once)


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("carrier", TOLD)
async def test_what_a_life_has_read_tells_the_next_nothing(
    bwrap: Sandbox, tmp_path: Path, carrier: Carrier
) -> None:
    """Its pages and names are dropped at its end, and marks cannot be read: chance is as good."""
    channel = await measured(bwrap, carrier, tmp_path / "bot", BITS)

    assert channel.errors > BY_CHANCE * BITS, channel.text()


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("carrier", READ)
async def test_the_measurement_finds_the_channel_where_nothing_is_dropped(
    bwrap: Sandbox, tmp_path: Path, carrier: Carrier, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Thousands of bits a second get through then."""
    cache_kept(monkeypatch)
    channel = await measured(bwrap, carrier, tmp_path / "bot", BITS)

    assert channel.errors < BY_CHANCE * BITS, channel.text()


@pytest.mark.slow
@pytest.mark.thorough
async def test_numbers_of_pipes_tell_the_next_life_something(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """What SECURITY.md says of them is so: the doctor calls this guarantee absent."""
    channel = await measured(bwrap, Carrier.PIPES, tmp_path / "bot", 60)

    assert channel.errors < BY_CHANCE * channel.bits, channel.text()


@pytest.mark.slow
@pytest.mark.thorough
async def test_marks_of_pages_tell_the_next_life_something_where_proc_is_open(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The measurement finds the channel that a kernel without Landlock has."""
    proc_open(monkeypatch)
    channel = await measured(bwrap, Carrier.MARKS, tmp_path / "bot", BITS)

    assert channel.errors < BY_CHANCE * channel.bits, channel.text()


@pytest.mark.slow
async def test_no_read_of_a_fresh_copy_changes_a_mark_of_its_pages(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """The kernel marks pages at their first reads, which takes it some time; each tells a bit once.

    No life opens the file before it is told something, so nothing but the copying has read it.
    """
    folder = python_bot(tmp_path / "bot", READS_TWICE)
    (tmp_path / "bot" / "pages").write_bytes(os.urandom(SIZE))
    bot = await prepared(bwrap, folder)
    pages = Path(bot.folder) / "pages"
    before = marks(pages)
    process = await bwrap.launch(bot)
    os.write(process.stdin, b"\n")
    assert await line_of(process, 10) == "read"
    finish(process)

    assert set(before) == {ALL_MARKS}
    assert marks(pages) == before


def test_a_file_that_is_read_from_the_disk_has_all_marks_then(tmp_path: Path) -> None:
    """Also where the kernel moves pages from list to list some time after they were read.

    A monitor of the kernel's own (DAMON, on some machines) takes the mark off single pages, whoever
    reads them: of five files one has them all.
    """
    unused = []
    for number in range(5):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "pages").write_bytes(os.urandom(SIZE))
        os.sync()
        with (folder / "pages").open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
        bring_folder(folder)

        found = marks(folder / "pages")
        assert found.count(ALL_MARKS) >= len(found) - NOT_IN_A_LIST_YET
        unused.append(sum(not is_used for is_used, _ in found))
        if not unused[-1]:
            return
    raise AssertionError(f"pages without the mark of use: {unused}")


@pytest.mark.slow
@pytest.mark.thorough
async def test_a_fresh_copy_tells_nothing_of_how_often_its_pages_were_read(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """By a clock, but for what the processor's caches have of it (see SECURITY.md).

    No life opens the file before it is told something, so nothing but the copying has read it. The
    caches are filled with other things in between.
    """
    need("gcc")
    rereads = Path(__file__).parents[1] / "support" / "bots" / "rereads.c"
    wrong = 0
    for number in range(COPIES):
        folder = tmp_path / str(number)
        folder.mkdir()
        await trio.run_process(["gcc", "-O2", "-Wall", "-o", str(folder / "bot"), str(rereads)])
        (folder / "pages").write_bytes(os.urandom(28 << 20))
        (folder / "bot.toml").write_text(f'name = "{number}"\ncommand = "./bot"\n')
        bot = await prepared(bwrap, str(folder))
        for what in ("send", "look"):
            process = await bwrap.launch(bot)
            os.write(process.stdin, f"{what} {number + 1}\n".encode())
            said = await line_of(process, 10)
            finish(process)
            fill_caches()
        wrong += int(said)
    assert wrong / (140 * COPIES) > BY_CHANCE

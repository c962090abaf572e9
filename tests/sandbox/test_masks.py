"""What bots see in place of the counters of the machine, and that programs can still read it."""

import shutil
from pathlib import Path

import pytest

from referee.sandbox import Sandbox
from referee.sandbox.masks import Masks, constant_cpuinfo, constant_meminfo, constant_stat
from support.sandboxes import finish, line_of, need, prepared, python_bot

STAT = """\
cpu  10 20 30
cpu0 10 20 30
intr 99 1 2 3
ctxt 4242
btime 1700000000
processes 777
"""
PROCESSORS = Path("/proc/stat").read_text().count("\ncpu")
SIZES = """
import os
names = [line.split()[0] for line in open("/proc/stat") if line.startswith("cpu")]
memory = {line.split()[0]: line.split()[1] for line in open("/proc/meminfo")}
print(len(names) - 1, memory["MemTotal:"], memory["MemAvailable:"], flush=True)
"""


def test_only_the_processors_and_the_time_of_boot_are_left_of_stat() -> None:
    """Everything that counts is 0, whatever it was; the shape stays."""
    again = STAT.replace("777", "778").replace("4242", "9999").replace("10", "11")

    assert constant_stat(STAT) == constant_stat(again)
    assert "btime 1700000000\n" in constant_stat(STAT)
    assert "cpu0 0 0 0\n" in constant_stat(STAT)
    assert "processes 0\n" in constant_stat(STAT)


def test_the_frequency_of_processors_is_constant() -> None:
    """It rises with load; what else is said of a processor stays."""
    text = "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2441.5\nflags\t\t: fpu\n"

    assert constant_cpuinfo(text) == text.replace("2441.5", "1000.000")


def test_memory_is_what_the_bot_may_have() -> None:
    """In KiB, as programs expect it."""
    lines = dict(line.split(":") for line in constant_meminfo(256).splitlines())

    assert lines["MemTotal"].split() == ["262144", "kB"]
    assert lines["Cached"].split() == ["0", "kB"]


def test_links_to_manuals_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Most of /etc/alternatives; no bot reads manuals, and each link costs at every opening."""
    there = tmp_path / "alternatives"
    there.mkdir()
    (there / "awk").symlink_to("/usr/bin/mawk")
    (there / "awk.1.gz").symlink_to("/usr/share/man/man1/mawk.1.gz")
    (there / "CREATE.7.gz").symlink_to("/usr/share/postgresql/15/man/man7/CREATE.7.gz")
    monkeypatch.setattr("referee.sandbox.masks.ETC", (str(there), str(tmp_path / "not there")))
    masks = Masks(tmp_path / "masks", landlock=True)

    assert [path.name for path in (masks.etc / "alternatives").iterdir()] == ["awk"]
    assert (masks.etc / "alternatives" / "awk").readlink() == Path("/usr/bin/mawk")


@pytest.mark.slow
async def test_a_bot_reads_how_many_processors_there_are_and_its_own_memory(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """Programs that size themselves by /proc get what they may have."""
    bot = await prepared(bwrap, python_bot(tmp_path / "b", SIZES, "memory = 64"))
    process = await bwrap.launch(bot)

    assert await line_of(process) == f"{PROCESSORS} 65536 65536"
    finish(process)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "words"),
    [
        ("node", ("-p", "os = require('os'); os.cpus().length > 0 && os.totalmem() > 0")),
        ("java", ("-XX:+UseSerialGC", "-version")),
        ("free", ()),
    ],
)
async def test_programs_that_read_proc_run(
    bwrap: Sandbox, tmp_path: Path, program: str, words: tuple[str, ...]
) -> None:
    """Node sizes itself, Java looks for control groups, `free` prints."""
    path = shutil.which(program, path="/usr/bin")
    if path is None:
        need(program)
    text = f"import subprocess\nprint(subprocess.run({[path, *words]!r}).returncode, flush=True)\n"
    process = await bwrap.launch(await prepared(bwrap, python_bot(tmp_path / "b", text)))
    said = [await line_of(process)]
    while said[-1] and not said[-1].lstrip("-").isdigit():
        said.append(await line_of(process))

    assert said[-1] == "0"
    finish(process)

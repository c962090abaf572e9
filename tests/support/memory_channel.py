"""Measures what one life of a bot can tell the next by nothing but a clock and what it may read.

Two processes of one bot are started one after the other in a sandbox. The first reads, for each bit
that is 1, what carries that bit; the second reads all of them, and takes what came fast for a 1.
Where a threshold between fast and slow lies it learns from pilot bits that both know.
"""

import json
import math
import os
import random
import secrets
import textwrap
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any, Final

import trio
from msgspec import Struct

from referee.bots.find import BotSpec
from referee.doctor.cold_files import cold
from referee.sandbox import Sandbox
from support.sandboxes import finish, line_of, prepared, python_bot

_PAGES_APART: Final = 256 << 10
"""Bytes; farther than the kernel reads ahead."""

_DATA: Final = "pages.bin"
_COUNTER_STEP: Final = 512
_COUNTER_BITS: Final = 6
_MOST_MARKS: Final = 200
_LONGEST_S: Final = 60.0

_PROGRAM: Final = """
import ctypes, json, mmap, os, re, resource, signal, sys, time
signal.alarm(60)
PAGE = 4096
libc = ctypes.CDLL(None)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t] + [ctypes.c_int] * 3 + [ctypes.c_long]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]

def second_page(path):
    "Its address, in an area of its own; the page before it is ours, so that a fork copies entries."
    file = os.open(path, os.O_RDONLY)
    begin = libc.mmap(None, 2 * PAGE, 3, 2, file, 0)
    os.close(file)
    ctypes.c_char.from_address(begin).value = b"x"
    ctypes.c_char.from_address(begin + PAGE).value
    libc.mprotect(begin + PAGE, PAGE, 1)
    return begin + PAGE

def marks(paths):
    "What the kernel says of these pages: entries of a child are unused, the mark is the page's."
    pages, (ours, its) = [second_page(path) for path in paths], os.pipe()
    if not os.fork():
        said, at = {}, 0
        try:
            lines = open("/proc/self/smaps")
        except OSError:
            lines = ()
        for line in lines:
            begins = re.match("([0-9a-f]+)-", line)
            at = int(begins[1], 16) if begins else at
            if line.startswith("Referenced:"):
                said[at] = int(line.split()[1])
        os.write(its, bytes(bool(said.get(page)) for page in pages))
        os._exit(0)
    os.close(its)
    found = b""
    while more := os.read(ours, PAGE):
        found += more
    try:
        with open("/proc/self/clear_refs", "w") as clear:
            clear.write("1")
    except OSError:
        pass
    return list(found)

def mark(path):
    file = os.open(path, os.O_RDONLY)
    os.pread(file, 1, PAGE)
    os.close(file)

def blocks():
    return resource.getrusage(resource.RUSAGE_SELF).ru_inblock

def look(carrier):
    clock = blocks if asked.get("by blocks") else time.perf_counter_ns
    begun = clock()
    if isinstance(carrier, str):
        os.access(carrier, os.F_OK)
    else:
        os.pread(files[carrier[0]], 1, carrier[1])
    return clock() - begun

def pipe():
    ends = os.pipe()
    number = os.fstat(ends[0]).st_ino
    os.close(ends[0]); os.close(ends[1])
    return number

def readahead(path):
    "Whether its second page is not mapped with the first: the kernel would go on reading there."
    file = os.open(path, os.O_RDONLY)
    pages = mmap.mmap(file, 2 * PAGE, mmap.MAP_PRIVATE, mmap.PROT_READ)
    os.close(file)
    pages.madvise(mmap.MADV_RANDOM)
    pages[0]
    begun = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    pages[PAGE]
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - begun

for path in open("primes").read().split():
    file = os.open(path, os.O_RDONLY)
    os.pread(file, 1, 0)
    os.close(file)
asked = json.loads(sys.stdin.readline())
files = {path: os.open(path, os.O_RDONLY) for path in asked["files"]}
files = [files[path] for path in asked["files"]]
os.access("/usr/lib/one-that-warms-the-code", os.F_OK)
begun = time.perf_counter()
if asked["do"] == "count":
    aim, whole = asked["value"] * asked["step"], asked["step"] * asked["modulus"]
    for _ in range((aim + asked["step"] // 4 - pipe()) % whole):
        pipe()
    found = 0
elif asked["do"] == "read the count":
    found = pipe() // asked["step"] % asked["modulus"]
elif asked["do"] == "read the marks":
    found = marks(asked["carriers"])
elif asked["do"] == "look for marks":
    found = [readahead(path) for path in asked["carriers"]]
elif asked["do"] == "mark":
    found = [mark(path) for path in asked["carriers"]]
else:
    found = [look(carrier) for carrier in asked["carriers"]]
print(json.dumps({"found": found, "seconds": time.perf_counter() - begun}), flush=True)
sys.stdin.readline()
"""


class Carrier(StrEnum):
    """What carries the bits."""

    SYSTEM = "pages of /usr"
    COPY = "pages of its own copy"
    BLOCKS = "pages of /usr, by blocks"
    """Read from the disk for the process, which the kernel counts for it: no clock is needed."""

    NAMES = "names that do not exist"
    PIPES = "numbers of pipes"
    READAHEAD = "marks of pages read ahead"
    """Where the kernel would read on, which a page fault more tells, and a read takes away."""

    MARKS = "marks of pages of /usr"
    """That a page in memory was used, which the kernel tells of a mapping (`/proc/self/smaps`)."""


class Channel(Struct, frozen=True):
    """What got through.

    Attributes:
        bits: how many were sent, those that both knew before not counted.
        errors: how many of them were read wrong.
        seconds: how long sending and receiving took, the start of processes not counted.
    """

    carrier: Carrier
    bits: int
    errors: int
    seconds: float

    @property
    def information(self) -> float:
        """Bits that got through: the capacity of a channel that errs so often."""
        share = min(self.errors / self.bits, 1 - self.errors / self.bits)
        lost = 0.0 if not share else -sum(p * math.log2(p) for p in (share, 1 - share))
        return self.bits * (1 - lost)

    @property
    def rate(self) -> float:
        """Bits that got through a second."""
        return self.information / self.seconds

    def text(self) -> str:
        """One line for a person."""
        return (
            f"{self.carrier:24} {self.bits:6} bits, {self.errors / self.bits:6.1%} wrong, "
            f"{self.information:8.1f} got through, {self.rate:10.1f} a second"
        )


async def measured(
    sandbox: Sandbox,
    carrier: Carrier,
    folder: Path,
    bits: int,
    *,
    disk_too: bool = False,
    large: Sequence[Path] = (),
) -> Channel:
    """Send random bits from one life of a bot to the next.

    Args:
        sandbox: where it is started.
        carrier: what is to carry them.
        folder: where the bot's files are put.
        bits: how many to send; pilot bits come on top.
        disk_too: leave it to the disk, or to a virtual machine's host, what it keeps by itself;
            else it has read all that carries bits before, and only the kernel tells.
        large: files of the system whose pages may carry bits; by default the largest of all.
    """
    if carrier is Carrier.READAHEAD:
        return await _read_ahead(sandbox, folder, min(bits, _MOST_MARKS))
    bot = await _prepared(sandbox, carrier, folder, 2 * bits)
    if carrier is Carrier.PIPES:
        return await _counted(sandbox, bot, bits)
    if carrier is Carrier.MARKS:
        return await _marked(sandbox, bot, min(bits, _MOST_MARKS))
    chosen = random.Random(secrets.token_bytes(8))
    sent = [index % 2 for index in range(bits)] + [chosen.randrange(2) for _ in range(bits)]
    paths, carriers = _carriers(carrier, bot, 2 * bits, large or large_files())
    if not disk_too:
        _read(bot, paths, carriers)
    _cool(bot, paths)
    ones = [one for one, bit in zip(carriers, sent, strict=True) if bit]
    chosen.shuffle(ones)
    _, sending = await life(sandbox, bot, do="look", files=paths, carriers=ones)
    how = {"by blocks": carrier is Carrier.BLOCKS}
    times, receiving = await life(sandbox, bot, do="look", files=paths, carriers=carriers, **how)
    limit, fast_is_one = _threshold(times[:bits], sent[:bits])
    read = [int((time_ < limit) == fast_is_one) for time_ in times]
    errors = sum(one != bit for one, bit in zip(read[bits:], sent[bits:], strict=True))
    return Channel(carrier, bits, errors, (sending + receiving) / 2)


def _threshold(times: Sequence[int], bits: Sequence[int]) -> tuple[float, bool]:
    """The time that parts pilot bits best, and whether what is faster is a 1."""
    best = (len(bits) + 1, 0.0, True)
    for limit in sorted(set(times)):
        wrong = sum((time_ < limit) != bool(bit) for time_, bit in zip(times, bits, strict=True))
        best = min(best, (wrong, limit, True), (len(bits) - wrong, limit, False))
    return best[1], best[2]


async def _counted(sandbox: Sandbox, bot: BotSpec, bits: int) -> Channel:
    """Send by how many pipes there have been: a number in each pair of lives."""
    rounds = max(bits // _COUNTER_BITS, 1)
    terms = {"step": _COUNTER_STEP, "modulus": 1 << _COUNTER_BITS, "files": []}
    errors, seconds = 0, 0.0
    for _ in range(rounds):
        value = secrets.randbelow(1 << _COUNTER_BITS)
        _, sending = await life(sandbox, bot, do="count", value=value, **terms)
        read, receiving = await life(sandbox, bot, do="read the count", **terms)
        errors += (read ^ value).bit_count()
        seconds += sending + receiving
    return Channel(Carrier.PIPES, rounds * _COUNTER_BITS, errors, seconds)


async def _marked(sandbox: Sandbox, bot: BotSpec, bits: int) -> Channel:
    """Send by which pages were used that are in memory whatever the bot does."""
    paths = [str(path) for path in _small_files()[: 2 * bits]]
    sent = [index % 2 for index in range(bits)] + [secrets.randbelow(2) for _ in range(bits)]
    _warm(paths)
    await life(sandbox, bot, do="read the marks", carriers=paths, files=[])  # clears them
    ones = [path for path, bit in zip(paths, sent, strict=True) if bit]
    _, sending = await life(sandbox, bot, do="mark", carriers=ones, files=[])
    read, receiving = await life(sandbox, bot, do="read the marks", carriers=paths, files=[])
    limit, low_is_one = _threshold(read[:bits], sent[:bits])
    found = [int((one < limit) == low_is_one) for one in read[bits:]]
    errors = sum(one != bit for one, bit in zip(found, sent[bits:], strict=True))
    return Channel(Carrier.MARKS, bits, errors, sending + receiving)


async def _read_ahead(sandbox: Sandbox, folder: Path, bits: int) -> Channel:
    """Send by marks that the life before the first has brought about; reading takes one away."""
    paths = [str(path) for path in cold(iter(_small_files()), 2 * bits)]
    sent = [index % 2 for index in range(bits)] + [secrets.randbelow(2) for _ in range(bits)]
    bot = await _prepared(sandbox, Carrier.READAHEAD, folder, 0, primes=paths)
    ones = [path for path, bit in zip(paths, sent, strict=True) if bit]
    _, sending = await life(sandbox, bot, do="mark", carriers=ones, files=[])
    read, receiving = await life(sandbox, bot, do="look for marks", carriers=paths, files=[])
    limit, low_is_one = _threshold(read[:bits], sent[:bits])
    found = [int((one < limit) == low_is_one) for one in read[bits:]]
    errors = sum(one != bit for one, bit in zip(found, sent[bits:], strict=True))
    return Channel(Carrier.READAHEAD, bits, errors, sending + receiving)


def _warm(paths: Sequence[str]) -> None:
    """Have files in memory, brought there by us: what a bot's group brings is dropped."""
    for path in paths:
        Path(path).read_bytes()


def _small_files() -> list[Path]:
    """Files of the system with two to eight pages: one of more has its pages in common folios."""
    found = (path for path in Path("/usr/share").rglob("*") if not path.is_symlink())
    whole = [path for path in found if path.is_file() and path.stat().st_mode & 0o004]
    return sorted(path for path in whole if 8192 <= path.stat().st_size <= 32768)


async def life(sandbox: Sandbox, bot: BotSpec, **request: object) -> tuple[Any, float]:
    """Start a process, have it do one thing, and end it; what it found, and in how many seconds."""
    process = await sandbox.launch(bot)
    data = json.dumps(request).encode() + b"\n"
    while data:
        try:
            data = data[os.write(process.stdin, data) :]
        except BlockingIOError:
            await trio.lowlevel.wait_writable(process.stdin)
    line = await line_of(process, _LONGEST_S)
    finish(process)
    said = json.loads(line)
    return said["found"], said["seconds"]


async def _prepared(
    sandbox: Sandbox, carrier: Carrier, folder: Path, pages: int, primes: Sequence[str] = ()
) -> BotSpec:
    typed = python_bot(folder, textwrap.dedent(_PROGRAM))
    (folder / "primes").write_text("\n".join(primes))
    if carrier is Carrier.COPY:
        (folder / _DATA).write_bytes(os.urandom(_PAGES_APART) * min(pages, 120))
    return await prepared(sandbox, typed)


def _carriers(
    carrier: Carrier, bot: BotSpec, count: int, large: Sequence[Path]
) -> tuple[list[str], list[Any]]:
    """The files to be opened, and what carries each bit, in an order that tells nothing."""
    if carrier is Carrier.NAMES:
        word = secrets.token_hex(4)
        return [], [f"/usr/bin/{word}-{number}" for number in range(count)]
    if carrier is Carrier.COPY:
        size = (Path(bot.folder) / _DATA).stat().st_size
        apart = size // count // 4096 * 4096
        return [f"/bot/{_DATA}"], [(0, number * apart) for number in range(count)]
    paths: list[str] = []
    carriers: list[Any] = []
    for path in large:
        carriers += [(len(paths), page * _PAGES_APART) for page in range(pages_in(path))]
        paths.append(str(path))
        if len(carriers) >= count:
            break
    return paths, carriers[:count]


def pages_in(file: Path) -> int:
    """How many pages of a large file can carry a bit each."""
    return -(-file.stat().st_size // _PAGES_APART)


def large_files() -> list[Path]:
    """Files of the system that are large and seldom read, the largest first."""
    found = [path for path in Path("/usr").glob("lib/**/*") if path.is_file()]
    found = [path for path in found if not path.is_symlink() and path.stat().st_mode & 0o004]
    return sorted(found, key=lambda path: -path.stat().st_size)[:200]


def _read(bot: BotSpec, paths: Sequence[str], carriers: Sequence[Any]) -> None:
    """Have the disk read each page that carries a bit, and none beside."""
    for number, path in enumerate(paths):
        descriptor = os.open(_outside(bot, path), os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
        for of, at in carriers:
            if of == number:
                os.pread(descriptor, 1, at)
        os.close(descriptor)


def _outside(bot: BotSpec, path: str) -> str:
    return path.replace("/bot", bot.folder, 1) if path.startswith("/bot/") else path


def _cool(bot: BotSpec, paths: Sequence[str]) -> None:
    """Bring the files to the state of those that no process has read lately."""
    os.sync()
    for path in paths:
        descriptor = os.open(_outside(bot, path), os.O_RDONLY)
        os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(descriptor)

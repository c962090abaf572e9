"""Measures what the kernel remembers of pages that it dropped for a life of a bot and tells others.

It keeps with each for which memory group it was dropped, and how old that group was then, as long
as another page near it is in memory; a process of a group with the same number that reads it again
has it kept among those in frequent use. So the sender makes its group old, by reading much, and
reads the pages that are 1. The receiver makes its own older, reads all, and takes so much memory
that pages are dropped again: those in frequent use last. Which are gone the kernel tells by
counting what comes from the disk.
"""

import os
import random
import textwrap
from pathlib import Path
from typing import Final

import trio

from referee.sandbox import Sandbox
from support.memory_channel import life
from support.sandboxes import prepared, python_bot

BITS: Final = 60
_PILOTS: Final = 60
_PAGE: Final = 4096
_NODE: Final = 64 * _PAGE
"""Bytes that the kernel has in one node of the tree of a file's pages."""

_IN_EACH: Final = (9, 25, 41, 57)
_HELD: Final = 33
"""Which pages of a node are used, and which is kept in memory by us."""

_AGE: Final = 30 << 20
"""Bytes that the sender reads before; the receiver reads twice as many, three times."""

_SETTLES_S: Final = 0.3
"""After so long the number of a group that is gone can be given again."""

_PROGRAM: Final = """
import json, mmap, os, resource, signal, sys, time
signal.alarm(60)
MIB = 1 << 20

def read_of(paths, most):
    for path in paths:
        with open(path, "rb", buffering=0) as file:
            while most > 0 and (data := file.read(MIB)):
                most -= len(data)

def comes_from_disk(file, at):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_inblock
    os.pread(file, 1, at)
    return resource.getrusage(resource.RUSAGE_SELF).ru_inblock > before

def receive(file, asked):
    for _ in range(3):
        read_of(asked["others"], 2 * asked["age"])
    time.sleep(2.5)  # the kernel adds up every two seconds
    for at in asked["pages"] + asked["pilots"]:
        os.pread(file, 1, at)
    room, used = mmap.mmap(-1, 400 * MIB, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS), 0
    for pilot in asked["pilots"]:
        while True:
            for at in range(used, used + MIB, 4096):
                room[at] = 1
            used += MIB
            if used >= asked["least"] * MIB:
                break
        if comes_from_disk(file, pilot):
            break
    return [not comes_from_disk(file, at) for at in asked["pages"]]

asked, found = json.loads(sys.stdin.readline()), None
file = os.open(asked["file"], os.O_RDONLY)
if asked["does"] == "send":
    read_of(asked["others"], asked["age"])
    for at in asked["pages"]:
        os.pread(file, 1, at)
elif asked["does"] == "receive":
    found = receive(file, asked)
print(json.dumps({"found": found, "seconds": 0}), flush=True)
sys.stdin.readline()
"""
_LEAST_MIB: Final = 150
"""Memory that a bot may take without any page being dropped for it."""


def large_files() -> list[Path]:
    """The largest files of /usr that every user can read, the largest first."""
    found = {}
    for folder, _, names in os.walk("/usr"):
        for path in (Path(folder, name) for name in names):
            if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o004:
                found[path] = path.stat().st_size
    return sorted(found, key=found.__getitem__, reverse=True)[:20]


def _keep_few(descriptor: int) -> int:
    """Have one page of each node of a file in memory, no other; return how many nodes it has."""
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_DONTNEED)
    os.posix_fadvise(descriptor, 0, 0, os.POSIX_FADV_RANDOM)
    nodes = os.fstat(descriptor).st_size // _NODE
    for node in range(nodes):
        os.pread(descriptor, 1, node * _NODE + _HELD * _PAGE)
    return nodes


async def wrong_bits(sandbox: Sandbox, folder: Path) -> int:
    """How many of `BITS` random bits the second of two lives has wrong."""
    carrier, *others = large_files()
    for path in others:
        with path.open("rb") as file:
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    bot = await prepared(sandbox, python_bot(folder, textwrap.dedent(_PROGRAM)))
    with carrier.open("rb") as held:
        nodes = _keep_few(held.fileno())
        pages = [node * _NODE + page * _PAGE for node in range(nodes) for page in _IN_EACH]
        chosen = random.SystemRandom().sample(pages, BITS + _PILOTS)
        sent = [random.SystemRandom().getrandbits(1) for _ in range(BITS)]
        ones = [page for page, bit in zip(chosen, sent, strict=False) if bit]
        common = {"file": str(carrier), "others": list(map(str, others)), "age": _AGE}
        for _ in range(3):  # so that the lowest number that is free is that of the last life
            await life(sandbox, bot, does="nothing", **common)
            await trio.sleep(_SETTLES_S)
        await life(sandbox, bot, does="send", pages=ones, **common)
        await trio.sleep(_SETTLES_S)
        read, _ = await life(
            sandbox,
            bot,
            does="receive",
            pages=chosen[:BITS],
            pilots=chosen[BITS:],
            least=_LEAST_MIB,
            **common,
        )
    return sum(map(int.__ne__, sent, map(int, read)))

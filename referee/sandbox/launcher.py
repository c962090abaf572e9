"""The words for the launcher, which becomes a bot; `referee/native/launcher.c` is that program."""

import ctypes
import resource
from collections.abc import Iterable, Iterator
from typing import Final

from referee.bots.find import BotSpec
from referee.sandbox.environment import LOCKED, OPEN_FILES, SIGNALS, file_limit, own_memory

READABLE: Final = tuple(f"/proc/self/{name}" for name in ("maps", "stat", "statm", "status"))
"""What a bot's first process may read of itself: libc looks for its stack there, Node its memory.

Other files of a process tell of marks that the kernel has for all that share a page.
"""


def joined(doors: Iterable[str]) -> Iterator[str]:
    """Yield the words to enter control groups, by the files that let a process in."""
    for door in doors:
        yield from ("join", door)


def limited(bot: BotSpec, *, alone: bool) -> Iterator[str]:
    """Yield the words for the limits of each process.

    Args:
        bot: whom they are for.
        alone: whether no control group binds all its processes together.
    """
    most, files = (1 << 30, 1024) if bot.is_build else (file_limit(bot.bounds), OPEN_FILES)
    yield from _limit(resource.RLIMIT_CORE, 0)
    yield from _limit(resource.RLIMIT_NOFILE, files)
    yield from _limit(resource.RLIMIT_MEMLOCK, LOCKED)
    yield from _limit(resource.RLIMIT_FSIZE, most)
    if alone:
        yield from _limit(resource.RLIMIT_DATA, own_memory(bot.bounds))
        yield "small"


def limited_inside(processes: int) -> Iterator[str]:
    """Yield the words for limits that count what a user has, which is the bot's own inside only."""
    waiting = min(SIGNALS, *resource.getrlimit(resource.RLIMIT_SIGPENDING))
    yield from _limit(resource.RLIMIT_NPROC, processes)
    yield from _limit(resource.RLIMIT_SIGPENDING, waiting)


def has_landlock() -> bool:
    """Whether this kernel can close files below /proc to a process and all that it starts.

    The second version of Landlock's interface is wanted, which came with Linux 5.19.
    """
    create_ruleset, ask_version, wanted = 444, 1, 2
    return int(ctypes.CDLL(None).syscall(create_ruleset, None, 0, ask_version)) >= wanted


def walled(constants: Iterable[str], *, landlock: bool) -> Iterator[str]:
    """Yield the words that close /proc, and that take from the bot the calls for that.

    Args:
        constants: the files there that stay open, beside what is READABLE.
        landlock: whether the kernel can; where it cannot, all stays open that no mount covers.
    """
    if landlock:
        for path in (*constants, *READABLE):
            yield from ("read", path)
        yield "wall"
    yield "refuse"


def _limit(kind: int, most: int) -> tuple[str, str]:
    return "limit", f"{kind}:{most}"

# story: plays honestly, and takes the processor from whoever it plays against
# row: resources: processor stolen by every means
# kinds: children sessions threads flapping forks relay bandwidth disk signals timers pipes yields
#   polite populates resumes before-ready after-an-answer protects
# expect: plays late startup memory - late is what its own crowd makes it, and nobody else; memory
#   where its crowd locks what is read to count its mappings, as fork_bomb does
# time: move=500ms,start=2s
# before: sixty children made an honest thinker late in 6 of 6 deals, and charged startup to it
# after: tests/fair_shares.py counts: no fault of a victim and no void deal as root and in Docker;
#   in a user's Docker timers voided 25 of 48 deals, populates made victims late in 24: none now;
#   protects made a victim that forks late in 10 of 10 matches, uncharged
# not-bare: bare bots share the processor as the machine does
"""How to take the processor: `steals.py HOW`, by the standard library only.

Every process ends by itself after `LIFE_S` seconds.
"""

import contextlib
import ctypes
import json
import mmap
import os
import resource
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

LIFE_S = 200
"""Longer than a deal of forty acts of 4 s each, which `test_fair_shares.py` gives."""

CROWD = 60
MAPPINGS = 24_000
MAP_POPULATE = 0x8000

Act = dict[str, Any]


def spin() -> None:
    while True:
        pass


def child(work: Callable[[], object], *, leave: bool = False) -> None:
    """Forks a process that does some work, in a session of its own where it is to leave ours."""
    with contextlib.suppress(OSError):
        if os.fork() == 0:
            signal.alarm(LIFE_S)
            if leave:
                os.setsid()
            try:
                work()
            finally:
                os._exit(0)


def crowd(work: Callable[[], object], many: int = CROWD, *, leave: bool = True) -> None:
    for _ in range(many):
        child(work, leave=leave)


def threads() -> None:
    for _ in range(CROWD):
        with contextlib.suppress(RuntimeError):
            threading.Thread(target=spin, daemon=True).start()


def flap() -> None:
    """Works and sleeps in turns, each for about as long as somebody might look."""
    while True:
        until = time.monotonic() + 0.012
        while time.monotonic() < until:
            pass
        time.sleep(0.003)


def forks() -> None:
    """A storm of processes that live for a moment only."""
    while True:
        child(lambda: None)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(-1, os.WNOHANG)


def relay() -> None:
    """Each process starts its successor and ends, so that a list of them is old at once."""
    for _ in range(200_000):
        time.sleep(0.0005)
        if os.fork():
            os._exit(0)


def bandwidth() -> None:
    area = mmap.mmap(-1, 24 << 20)
    data = b"x" * (8 << 20)
    while True:
        area.seek(0)
        area.write(data)


def disk() -> None:
    with open(f"/tmp/{os.getpid()}", "wb", buffering=0) as file:  # noqa: S108  # its own
        while True:
            file.seek(0)
            file.write(b"x" * 65536)
            os.fsync(file.fileno())


def signals() -> None:
    """Two processes that send each other signals without end."""
    signal.signal(signal.SIGUSR1, lambda *_: None)
    this = os.getpid()

    def send() -> None:
        while True:
            os.kill(this, signal.SIGUSR1)

    child(send)
    while True:
        signal.pause()


def timers() -> None:
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.00005, 0.00005)
    while True:
        signal.pause()


def pipes() -> None:
    """Two processes that wake each other without end."""
    there, here = os.pipe(), os.pipe()

    def echo() -> None:
        while True:
            os.write(here[1], os.read(there[0], 1))

    child(echo)
    while True:
        os.write(there[1], b"x")
        os.read(here[0], 1)


def yields() -> None:
    while True:
        os.sched_yield()


def populates() -> None:
    """Stays in the kernel for long, which then cannot stop it: an unprivileged Docker gave up."""
    while True:
        mmap.mmap(-1, 40 << 20, flags=mmap.MAP_PRIVATE | MAP_POPULATE).close()


def polite() -> None:
    """Claims to be of the least priority, then of the highest, and spins."""
    for nice in (19, -20):
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, 0, nice)
    with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as file:
        file.write("-20")
    spin()


def early() -> None:
    """Works before it is ready, so that nobody else becomes ready."""
    crowd(spin)
    until = time.monotonic() + 0.4
    while time.monotonic() < until:
        pass


def resumes() -> None:
    """Wakes its own stopped processes again."""

    def wake() -> None:
        while True:
            for pid in range(1, 1 + 4 * CROWD):  # as they are numbered in a sandbox
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGCONT)

    crowd(wake)


def late(act: Act) -> None:
    """Starts to spin only when it has answered: nothing was seen of it before."""
    if act["id"]:
        child(spin, leave=True)


class Protected:
    """Many threads that change the protection of memory, one after the other in the kernel.

    They have begun when they are stopped, and go on: for some hundred milliseconds.
    """

    def __init__(self) -> None:
        self._size = MAPPINGS * 2 * mmap.PAGESIZE
        self._libc = ctypes.CDLL(None)
        self._libc.mmap.restype = ctypes.c_void_p
        how = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        begin = self._libc.mmap(None, ctypes.c_size_t(self._size), mmap.PROT_READ, how, -1, 0)
        self._begin = begin or 0
        for number in range(0, MAPPINGS, 2):  # each second one is another mapping then
            at = self._begin + number * 2 * mmap.PAGESIZE
            self._libc.madvise(ctypes.c_void_p(at), ctypes.c_size_t(2 * mmap.PAGESIZE), 16)

    def change(self, way: int) -> None:
        ways = (mmap.PROT_READ, mmap.PROT_READ | mmap.PROT_WRITE)
        area = ctypes.c_void_p(self._begin), ctypes.c_size_t(self._size)
        self._libc.mprotect(*area, ways[way % 2])

    def storm(self, act: Act) -> None:
        for way in range(CROWD if act["id"] else 0):
            with contextlib.suppress(RuntimeError):
                threading.Thread(target=self.change, args=(way,), daemon=True).start()


PROTECTED: list[Protected] = []


def protects(act: Act) -> None:
    if not PROTECTED:
        PROTECTED.append(Protected())
    PROTECTED[0].storm(act)


AT_START: dict[str, Callable[[], object]] = {
    "honest": lambda: None,
    "children": lambda: crowd(spin, leave=False),
    "sessions": lambda: crowd(spin),
    "threads": threads,
    "flapping": lambda: crowd(flap, 8),
    "forks": lambda: crowd(forks, 8),
    "relay": lambda: crowd(relay, 16),
    "bandwidth": lambda: crowd(bandwidth, 4),
    "disk": lambda: crowd(disk),
    "signals": lambda: crowd(signals, 8),
    "timers": lambda: crowd(timers),
    "pipes": lambda: crowd(pipes, 8),
    "yields": lambda: crowd(yields),
    "polite": lambda: crowd(polite),
    "populates": lambda: crowd(populates, 4),
    "resumes": resumes,
}
BEFORE_READY = {"before-ready": early}
AFTER_AN_ANSWER = {"after-an-answer": late, "protects": protects}
HOW = (*AT_START, *BEFORE_READY, *AFTER_AN_ANSWER)


def say(**fields: object) -> None:
    os.write(1, json.dumps(fields).encode() + b"\n")


def play(how: str) -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            BEFORE_READY.get(how, lambda: None)()
            say(type="ready", protocol=1, name="steals")
            AT_START.get(how, lambda: None)()
        elif message["type"] == "act":
            say(id=message["id"], action=message["legal"][0])
            AFTER_AN_ANSWER.get(how, lambda _: None)(message)
        elif message["type"] == "end":
            break


if __name__ == "__main__":
    signal.alarm(LIFE_S)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    play(sys.argv[1])
    os._exit(0)

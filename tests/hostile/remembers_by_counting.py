# story: remembers by times and numbers that the kernel keeps for the whole machine
# row: escape: memory in times and numbers
# expect: plays
# not-bare: bare forbids no system call
# before: times of devices 19 bits a second, numbers 3 to 12, none wrong
# after: all refused; numbers of pipes are left, 79 bits a second (SECURITY.md)
import os
import re
import socket
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hostile.honest import child, spy
from hostile.kernel import buffer, call

DEVICES = ("null", "zero", "full", "random", "urandom")
MESSAGE = 0b10110
SO_COOKIE = 57
SYSINFO_BYTES = 112
CLONE_PIDFD = 0x1000
SIGCHLD = 17


def attack() -> str:
    """One process leaves a message, another one reads it."""
    with suppress(OSError):
        if by_times() == MESSAGE:
            return "the times of devices"
    counted: dict[str, Callable[[], int]] = {
        "sessions": session,
        "processes": process,
        "sockets": cookie,
    }
    for name, number in counted.items():
        with suppress(OSError, AttributeError):
            before = number()
            for _ in range(MESSAGE):
                number()
            if number() > before + MESSAGE:
                return f"the number of {name}"
    with suppress(OSError):
        call("sysinfo", buffer(SYSINFO_BYTES))
        return "the free memory of the machine"
    with suppress(OSError):
        if call("clone", CLONE_PIDFD | SIGCHLD, 0, buffer(8), 0, 0) == 0:
            os._exit(0)
        os.wait()
        return "a descriptor of a process"
    return ""


def by_times() -> int:
    before = times()
    os.waitpid(child(touch), 0)
    return sum(
        (old != new) << at for at, (old, new) in enumerate(zip(before, times(), strict=True))
    )


def times() -> list[int]:
    return [Path("/dev", name).stat().st_mtime_ns for name in DEVICES]


def touch() -> None:
    for at, name in enumerate(DEVICES):
        if MESSAGE >> at & 1:
            os.utime(Path("/dev", name))


def session() -> int:
    """The number that the kernel gives a new session of ours."""
    ours, theirs = os.pipe()

    def tell() -> None:
        os.setsid()
        os.write(theirs, Path("/proc/self/autogroup").read_bytes())

    os.waitpid(child(tell), 0)
    os.set_blocking(ours, False)
    try:
        found = re.search(rb"\d+", os.read(ours, 100))
    finally:
        os.close(ours)
        os.close(theirs)
    assert found is not None
    return int(found[0])


def process() -> int:
    """The number of a descriptor of a new process of ours."""
    pid = child(lambda: None)
    try:
        descriptor = os.pidfd_open(pid)
        number = os.fstat(descriptor).st_ino
        os.close(descriptor)
    finally:
        os.waitpid(pid, 0)
    return number


def cookie() -> int:
    one, two = socket.socketpair()
    with one, two:
        return int.from_bytes(one.getsockopt(socket.SOL_SOCKET, SO_COOKIE, 8), "little")


spy(attack)

"""Asks the kernel for what no bot needs. Each call is harmless where it works."""

import ctypes
import errno
import fcntl
import json
import os
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import IO

LIFE_S = 10
TMP_FILE = "/tmp/locked"
LIBC = ctypes.CDLL(None, use_errno=True)
LIBC.syscall.restype = ctypes.c_long
COLUMN = {"x86_64": 0, "aarch64": 1}[os.uname().machine]
NEW_USER, NEW_MOUNTS = 0x10000000, 0x20000
SAME_FOLDER = 0x200  # which a new user namespace must not have: EINVAL
SEIZE = 0x4206
KEY = 0x42524954
HERE = -100
PAGE = ctypes.create_string_buffer(4096)
NOW = ctypes.create_string_buffer(struct.pack("qq", *divmod(time.time_ns(), 10**9)), 16)
NOW_US = ctypes.create_string_buffer(struct.pack("qq", int(time.time()), 0), 16)
CORES = ctypes.create_string_buffer(
    sum(1 << core for core in os.sched_getaffinity(0)).to_bytes(128, "little"), 128
)
CLOCK_EVENT = ctypes.create_string_buffer(
    struct.pack("II32xQ", 1, 112, 0x61),
    112,  # a software clock, disabled, of this process only
)
MAP = ctypes.create_string_buffer(struct.pack("IIII", 2, 4, 8, 1), 128)

CALLS: "dict[str, tuple[int, int, tuple[object, ...]]]" = {
    # name: number on x86_64, number on aarch64, arguments
    "add_key": (248, 217, (b"user", b"probe", b"x", 1, -3)),
    "bpf": (321, 280, (0, MAP, 128)),
    "chroot": (161, 51, (b"/",)),
    "clone a user namespace": (56, 220, (NEW_USER | SAME_FOLDER, 0)),
    # flags that do not go together, where a descriptor may be had at all
    "clone with a descriptor": (56, 220, (0x401011, 0, 0, 0, 0)),
    # it lacks flags that a thread must have, where it may be had without its maker's descriptors
    "clone a thread": (56, 220, (0x10000, 0, 0, 0, 0)),
    "close_range": (436, 436, (1000, 1000, 2)),
    "clone3": (435, 435, (PAGE, 0)),
    "fanotify_init": (300, 262, (0x200, 0)),
    "fcntl F_NOTIFY": (72, 25, (-1, 1026, 0)),
    "fcntl F_SETLEASE": (72, 25, (-1, 1024, 0)),
    "fcntl F_SETPIPE_SZ": (72, 25, (-1, 1031, 0)),
    "fsopen": (430, 430, (b"tmpfs", 0)),
    "huge pages": (9, 222, (0, 1 << 21, 3, 0x40022, -1, 0)),
    "inotify_init1": (294, 26, (0,)),
    "ioctl TIOCSTI": (16, 29, (-1, 0x5412, 0)),
    "init_module": (175, 105, (PAGE, 0, b"")),
    "io_setup": (206, 0, (0, PAGE)),
    "io_uring_setup": (425, 425, (4, PAGE)),
    "kcmp": (312, 272, (os.getpid(), os.getpid(), 1, 0, 0)),
    "kexec_load": (246, 104, (0, 0, None, 0)),
    "keyctl": (250, 219, (0, -3, 0)),
    "membarrier of others": (324, 283, (1 << 20, 0)),
    "landlock_create_ruleset": (444, 444, (None, 0, 1)),
    "locked pages": (9, 222, (0, 4096, 3, 0x2022, -1, 0)),
    "memfd of huge pages": (319, 279, (b"probe", 4)),
    "memfd_secret": (447, 447, (0,)),
    "message queues": (240, 180, (b"nothing", 0)),
    "messages": (68, 186, (KEY, 0)),
    "mlock": (149, 228, (PAGE, 4096)),
    "mount": (165, 40, (b"none", b"/tmp", b"tmpfs", 0, None)),
    "name_to_handle_at": (303, 264, (HERE, b"/", PAGE, PAGE, 0)),
    "open_by_handle_at": (304, 265, (HERE, PAGE, 0)),
    "open_tree": (428, 428, (HERE, b"/tmp", 1)),
    "perf_event_open": (298, 241, (CLOCK_EVENT, 0, -1, -1, 0)),
    "numbers of sockets": (55, 209, (-1, 1, 57, PAGE, PAGE)),
    "descriptors of peers": (55, 209, (-1, 1, 77, PAGE, PAGE)),
    "descriptors in messages": (46, 211, (-1, PAGE, 0)),
    "descriptors with messages": (54, 208, (-1, 1, 76, PAGE, 4)),
    "personality": (135, 92, (0x0040000,)),
    "pidfd_open": (434, 434, (os.getpid(), 0)),
    "pidfd_getfd": (438, 438, (-1, 0, 0)),
    "pivot_root": (155, 41, (b"/", b"/")),
    "prctl of other kinds": (157, 167, (27, 0, 0, 0, 0)),
    "prctl PR_SET_SECCOMP": (157, 167, (22, 2, None, 0, 0)),
    "process_vm_readv": (310, 270, (1, None, 0, None, 0, 0)),
    "reboot": (169, 142, (0, 0, 0, None)),
    "semaphores": (64, 190, (KEY, 1, 0)),
    "set_robust_list": (273, 99, (PAGE, 24)),
    "setns": (308, 268, (-1, 0)),
    "shared memory": (29, 194, (KEY, 1, 0)),
    "signalfd": (289, 74, (-1, PAGE, 8, 0)),
    "socketpair of a network": (53, 199, (2, 1, 0, PAGE)),
    "splice": (275, 76, (-1, 0, -1, 0, 1, 0)),
    "swapon": (167, 224, (b"/nothing", 0)),
    "sysinfo": (99, 179, (PAGE,)),
    "syslog": (103, 116, (3, PAGE, 64)),
    "timer_create": (222, 107, (1, 0, PAGE)),
    "timerfd_create": (283, 85, (1, 0)),
    "umount2": (166, 39, (b"/nothing", 0)),
    "unshare a user namespace": (272, 97, (NEW_USER,)),
    "unshare the mounts": (272, 97, (NEW_MOUNTS,)),
    "userfaultfd": (323, 282, (1,)),
}
ANSWERED: "dict[str, tuple[int, int, tuple[object, ...]]]" = {
    # these say that they are done, not supported, or not for these files, and do nothing; other
    # errors are the kernel's
    "fdatasync": (75, 83, (-1,)),
    "fsync": (74, 82, (-1,)),
    "sendfile": (40, 71, (-1, -1, None, 1)),
    "setxattr": (188, 5, (b"/nothing", b"user.probe", b"x", 1, 0)),
    "sync_file_range": (277, 84, (-1, 0, 0, 0)),
    "syncfs": (306, 267, (-1,)),
}
PAGES: "dict[str, tuple[int, int, tuple[object, ...]]]" = {
    # an error other than of refusal means that the kernel has looked at the arguments
    "cachestat": (451, 451, (-1, PAGE, PAGE, 0)),
    "mincore": (27, 232, (1, 4096, PAGE)),
    "preadv2 without waiting": (327, 286, (-1, None, 0, 0, 0, 8)),
    "pwritev2 without waiting": (328, 287, (-1, None, 0, 0, 0, 8)),
    "readahead": (187, 213, (-1, 0, 0)),
    "opening past the cache": (257, 56, (HERE, b"/nothing", (0x4000, 0x10000)[COLUMN])),
    **{
        f"madvise {name}": (28, 233, (0, 0, kind))
        for name, kind in (("COLD", 20), ("PAGEOUT", 21), ("POPULATE_READ", 22), ("WILLNEED", 3))
    },
}
ADVICE: "dict[str, tuple[int, int, tuple[object, ...]]]" = {
    "fadvise": (221, 223, (-1, 0, 0, 4)),
}
CLOCKS: "dict[str, tuple[int, int, tuple[object, ...]]]" = {
    "clock_settime": (227, 112, (0, NOW)),
    "settimeofday": (164, 170, (NOW_US, None)),
}
CORE_CALLS: "dict[str, tuple[int, int, tuple[object, ...]]]" = {
    "sched_setaffinity": (203, 122, (0, 128, CORES)),
    "sched_setscheduler": (144, 119, (0, 1, struct.pack("i", 1))),
    "setpriority": (141, 140, (0, 0, -5)),
}
SOCKETS = {
    "TCP": (socket.AF_INET, socket.SOCK_STREAM, 0),
    "UDP": (socket.AF_INET, socket.SOCK_DGRAM, 0),
    "TCP over IPv6": (socket.AF_INET6, socket.SOCK_STREAM, 0),
    "raw": (socket.AF_INET, socket.SOCK_RAW, 1),
    "packet": (17, socket.SOCK_RAW, 0),
    "netlink": (16, socket.SOCK_RAW, 0),
    "vsock": (40, socket.SOCK_STREAM, 0),
    "kernel crypto": (38, socket.SOCK_SEQPACKET, 0),
}


def call(number: int, arguments: "tuple[object, ...]") -> str:
    """Makes a system call; the name of its error, or nothing when it worked."""
    typed = [ctypes.c_long(one) if isinstance(one, int) else one for one in arguments]
    if LIBC.syscall(ctypes.c_long(number), *typed) >= 0:
        return ""
    return errno.errorcode.get(ctypes.get_errno(), "unknown")


def all_of(calls: "dict[str, tuple[int, int, tuple[object, ...]]]") -> "dict[str, str]":
    """The error of each call, made by a process of its own that ends with it."""
    found = {}
    for name, (*numbers, arguments) in calls.items():
        found[name] = elsewhere(partial(call, numbers[COLUMN], arguments))
    return found


def not_made(calls: "dict[str, tuple[int, int, tuple[object, ...]]]") -> "dict[str, str]":
    """The errors of calls that the filter answers: ENOSYS where the kernel saw nothing of one."""
    answers = ("", errno.errorcode[errno.EOPNOTSUPP], errno.errorcode[errno.EINVAL])
    return {name: "ENOSYS" if error in answers else error for name, error in all_of(calls).items()}


def elsewhere(work: "Callable[[], str]") -> str:
    """What some work says in a child process."""
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(theirs, work().encode())
        finally:
            os._exit(0)
    os.close(theirs)
    said = os.read(ours, 100).decode()
    os.close(ours)
    os.waitpid(child, 0)
    return said


def trace(pid: int) -> str:
    """Takes hold of a process without stopping it; our end lets it go."""
    return call((101, 117)[COLUMN], (SEIZE, pid, 0, 0))


def sockets() -> "list[str]":
    """The kinds of sockets that we get."""
    found = []
    for name, kind in SOCKETS.items():
        try:
            socket.socket(*kind).close()
        except OSError:
            continue
        found.append(name)
    return found


def reached(port: int, name: str) -> "list[str]":
    """Which of the referee's own doors we come to."""
    found = []
    doors: dict[str, tuple[int, object]] = {
        "TCP port of the host": (socket.AF_INET, ("127.0.0.1", port)),
        "abstract socket of the host": (socket.AF_UNIX, b"\0" + name.encode()),
    }
    for what, (family, address) in doors.items():
        try:
            with socket.socket(family) as one:
                one.settimeout(1)
                one.connect(address)  # type: ignore[arg-type]  # two kinds of address
        except OSError:
            continue
        found.append(what)
    return found


def interfaces() -> "list[str]":
    """The network's interfaces, where their list can be read."""
    with suppress(OSError), open("/proc/net/dev") as file:
        return [line.partition(":")[0].strip() for line in file.readlines()[2:]]
    return []


def locks() -> "list[str]":
    """Which kinds of locks can be had on files.

    A lock that two can have is none: the call did nothing.
    """
    found = []
    with open(TMP_FILE, "w") as ours:
        for name, lock in (("flock", fcntl.flock), ("fcntl", fcntl.lockf)):
            with suppress(OSError):
                lock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if elsewhere(partial(locked, lock)) in {"EAGAIN", "EACCES"}:
                    found.append(name)
    return found


def locked(lock: "Callable[[IO[str], int], None]") -> str:
    """The error of a lock on that file by another process."""
    with open(TMP_FILE, "w") as theirs:
        try:
            lock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return errno.errorcode.get(error.errno or 0, "unknown")
    return ""


def main() -> None:
    """Answers one line with one line."""
    signal.alarm(LIFE_S)
    asked = json.loads(sys.stdin.readline())
    found = {
        "sockets": sockets(),
        "reached": reached(asked["port"], asked["name"]),
        "interfaces": interfaces(),
        "calls": all_of(CALLS) | not_made(ANSWERED),
        "pages": all_of(PAGES) | not_made(ADVICE),
        "clocks": all_of(CLOCKS),
        "cores": all_of(CORE_CALLS),
        "init": {"ptrace": elsewhere(lambda: trace(1))},
        "locks": locks(),
    }
    print(json.dumps(found), flush=True)


main()

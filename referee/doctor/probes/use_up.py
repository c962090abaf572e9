"""Takes more and more of one thing: `use_up.py WHAT TOKEN`. It says how much it got, as it goes."""

import ctypes
import errno
import json
import mmap
import os
import resource
import select
import signal
import sys
import time

LIFE_S = 10
MIB = 1 << 20
MOST_FILES = 200_000
MOST_OPEN = 4096
MAPPED_AT_ONCE = 45_000
WAITED_FILES = 60
FIRST_WAITED, LAST_WAITED = 80, 250
DEEP, LONGEST_NAME = 20, 250
MOST_MAPPING = 8
"""Processes that map so much: together more than a group may have that is bound from outside."""
LIMITS = {
    "cores": resource.RLIMIT_CORE,
    "open files": resource.RLIMIT_NOFILE,
    "locked memory": resource.RLIMIT_MEMLOCK,
    "size of a file": resource.RLIMIT_FSIZE,
    "own memory": resource.RLIMIT_DATA,
    "processes": resource.RLIMIT_NPROC,
    "signals that wait": resource.RLIMIT_SIGPENDING,
}


def say(**facts: object) -> None:
    """Says what has been found so far."""
    print(json.dumps(facts), flush=True)


def name_of(error: OSError) -> str:
    """The name of an error."""
    return errno.errorcode.get(error.errno or 0, "unknown")


def memory(bound: int) -> None:
    """Three times what it may have."""
    held = []
    for number in range(1, 3 * bound + 1):
        held.append(b"x" * MIB)
        if number % 4 == 0:
            say(memory_mib=number)


def children(bound: int) -> None:
    """Four processes that want half of it each; those that have it live on."""
    ours, theirs = os.pipe()
    started = {child(number, bound // 2, theirs) for number in range(4)}
    content: set[int] = set()
    dead: set[int] = set()
    while content | dead != started:
        if select.select([ours], [], [], 0.01)[0]:
            content.add(int(os.read(ours, 8)))
        while pid := os.waitpid(-1, os.WNOHANG)[0]:
            dead.add(pid)
            if dead == started:
                break
    say(children_mib=len(started - dead) * (bound // 2))


def child(number: int, mib: int, to: int) -> int:
    """One of them; it says who it is when it has what it wanted."""
    pid = os.fork()
    if pid == 0:
        held = b"x" * (mib * MIB)
        os.write(to, b"%8d" % os.getpid())
        time.sleep(LIFE_S)
        os._exit(len(held) + number & 1)
    return pid


def files(bound: int) -> None:
    """Files in memory: /dev/shm, then a memfd, or mappings whose pages no process keeps."""
    say(shm_mib=fill("/dev/shm", bound // 4)[0] // MIB)
    for name in os.listdir("/dev/shm"):
        os.unlink(f"/dev/shm/{name}")
    try:
        descriptor = os.memfd_create("probe")
    except OSError:
        say(memfd_mib=0)
        mappings(bound)
        return
    for number in range(1, 2 * bound + 1):
        try:
            os.write(descriptor, b"x" * MIB)
        except OSError:
            break
        if number % 4 == 0:
            say(memfd_mib=number)


def mappings(bound: int) -> None:
    """Memory to be shared, anonymous or of the device of zeros, with pages that no process maps."""
    kept = []
    for device in (-1, os.open("/dev/zero", os.O_RDWR)):
        for _ in range(bound):
            try:
                kept.append(mmap.mmap(device, MIB, flags=mmap.MAP_SHARED))
            except OSError:
                break
            kept[-1].write(b"x" * MIB)
            kept[-1].madvise(mmap.MADV_DONTNEED)
            if len(kept) % 4 == 0:
                say(unmapped_mib=len(kept))


def fill(folder: str, most_mib: int) -> "tuple[int, str]":
    """Writes until it is refused; how many bytes, and the name of the error."""
    written = 0
    try:
        for number in range(most_mib):
            with open(f"{folder}/fill-{number}", "wb", buffering=0) as file:
                while file.tell() < MIB:
                    written += file.write(b"x" * 65536)
    except OSError as error:
        return written, name_of(error)
    return written, ""


def tmp(bound: int) -> None:
    """/tmp, full."""
    written, error = fill("/tmp", bound)
    say(tmp_kib=written >> 10, tmp_error=error)


def inodes(_: int) -> None:
    """Empty files in /tmp."""
    number = 0
    try:
        for number in range(1, MOST_FILES + 1):
            os.close(os.open(f"/tmp/{number}", os.O_CREAT | os.O_WRONLY))
            if number % 5000 == 0:
                say(tmp_files=number)
    except OSError as error:
        say(tmp_files=number, tmp_files_error=name_of(error))


def mapped(_: int) -> None:
    """Mappings of one file by process after process; who looks, looks ten times a second."""
    libc, (heard, told) = ctypes.CDLL(None), os.pipe()
    with open(sys.executable, "rb") as file:
        for number in range(1, MOST_MAPPING + 1):
            if os.fork() == 0:
                for _ in range(MAPPED_AT_ONCE):  # Python's own would take a descriptor for each
                    libc.mmap(None, 4096, mmap.PROT_READ, mmap.MAP_PRIVATE, file.fileno(), 0)
                os.write(told, b"x")
                time.sleep(LIFE_S)
                os._exit(0)
            os.read(heard, 1)
            say(mapped=number * MAPPED_AT_ONCE)
            time.sleep(0.3)


def waiting(_: int) -> None:
    """An epoll that waits for one pipe under very many numbers, as many as one message wakes.

    Beside it is a file whose name is longer than the kernel tells of a descriptor.
    """
    os.mkfifo("/tmp/pipe")
    os.chdir("/tmp")
    for _ in range(DEEP):
        os.mkdir("x" * LONGEST_NAME)
        os.chdir("x" * LONGEST_NAME)
    os.open("file", os.O_CREAT | os.O_RDWR)
    kept = [os.open("/tmp/pipe", os.O_RDWR | os.O_NONBLOCK) for _ in range(WAITED_FILES)]
    poll, waits = select.epoll(), 0
    for file in kept:
        for number in range(FIRST_WAITED, LAST_WAITED):
            os.dup2(file, number)
            poll.register(number, select.EPOLLIN)
            os.close(number)
            waits += 1
        say(waiting=waits)
        time.sleep(0.05)
    time.sleep(1)


def processes(bound: int) -> None:
    """Forks until it is refused, or has four times what it may have."""
    started: list[int] = []
    try:
        while len(started) < 4 * bound:
            pid = os.fork()
            if pid == 0:
                time.sleep(LIFE_S)
                os._exit(0)
            started.append(pid)
            if len(started) % 16 == 0:
                say(forks=len(started))
    except OSError:
        pass
    say(forks=len(started))
    for pid in started:
        os.kill(pid, signal.SIGKILL)


def limits(_: int) -> None:
    """Open files, and a core dump."""
    opened: list[int] = []
    try:
        while len(opened) < MOST_OPEN:
            opened.append(os.open("/dev/null", os.O_RDONLY))
    except OSError:
        pass
    for descriptor in opened:
        os.close(descriptor)
    pid = os.fork()
    if pid == 0:
        os.chdir("/tmp")  # where it could be written
        os.abort()
    _, status = os.waitpid(pid, 0)
    most = {name: resource.getrlimit(number)[1] for name, number in LIMITS.items()}
    say(open_files=len(opened), core_dumped=os.WCOREDUMP(status), limits=most)


def main() -> None:
    """Uses up what the command line says."""
    signal.alarm(LIFE_S)
    bound = json.loads(sys.stdin.readline())["bound"]
    works = (memory, children, files, tmp, inodes, mapped, waiting, processes, limits)
    {work.__name__: work for work in works}[sys.argv[1]](bound)
    say(done=True)


main()

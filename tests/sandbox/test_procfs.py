"""A process may end at any moment, also between two looks at what /proc says of it."""

import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from referee.sandbox import procfs


def threads(pid: int) -> list[int]:
    """All threads of one process."""
    return list(procfs.threads_of([pid]))


def sockets(pid: int) -> int:
    """The sockets of one process's network."""
    return procfs.sockets_kib([pid])


def path_mark(pid: int) -> set[str]:
    """What its environment says of a variable that most processes have."""
    return procfs.marks(pid, "PATH")


GONE: Final = 1 << 30
"""The id of no thread."""

LOOKS: Final[list[Callable[[int], object]]] = [
    procfs.sleeps_in_a_read,
    procfs.sleeps,
    procfs.children,
    procfs.descendants,
    procfs.is_running,
    procfs.is_blocked,
    threads,
    procfs.memory_kib,
    procfs.resident_kib,
    sockets,
    procfs.cpu_us,
    procfs.is_dead,
    path_mark,
]


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that waits for its end."""
    with subprocess.Popen(["sleep", "60"]) as process:
        yield process
        process.kill()


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("listing", ["listdir", "scandir", "stat"])
def test_a_process_that_ends_while_it_is_looked_at_raises_nothing(
    look: Callable[[int], object],
    listing: str,
    sleeper: subprocess.Popen[bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its folder was there, and is gone when it is listed; from then on there is nothing."""
    plain = getattr(os, listing)

    def ending(*args: object, **options: object) -> object:
        seen = plain(*args, **options) if listing == "stat" else None
        if sleeper.returncode is None and str(sleeper.pid) in str(args[0]):
            sleeper.kill()
            sleeper.wait()
        return seen or plain(*args, **options)

    monkeypatch.setattr(os, listing, ending)

    look(sleeper.pid)
    monkeypatch.undo()
    sleeper.kill()
    sleeper.wait()

    assert not look(sleeper.pid)


def test_children_are_those_of_all_threads() -> None:
    """Also where another thread than the first has started them."""
    with ThreadPoolExecutor(1) as pool:
        child = pool.submit(subprocess.Popen, ["sleep", "60"]).result()
        try:
            assert child.pid in procfs.children(os.getpid())
            assert child.pid in procfs.descendants(os.getpid())
        finally:
            child.kill()
            child.wait()


def test_a_process_whose_threads_end_all_the_time_is_looked_at_a_few_times_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """However many more have begun meanwhile: what was found by then is returned."""
    looks = 0

    def threads_of(_: object) -> list[int]:
        nonlocal looks
        looks += 1
        assert looks < 100
        return [os.getpid(), GONE]

    with subprocess.Popen(["sleep", "60"]) as child:
        monkeypatch.setattr(procfs, "threads_of", threads_of)
        found = procfs.children(os.getpid())
        child.kill()

    assert child.pid in found


def test_sockets_are_counted_although_a_process_of_the_network_has_ended() -> None:
    """It is there until its parent asks for its status, and shows no network."""
    with subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        before = procfs.sockets_kib([ended.pid, os.getpid()])
        ours, theirs = socket.socketpair()
        with ours, theirs:
            assert procfs.sockets_kib([ended.pid, os.getpid()]) > before


def test_files_are_counted_although_a_process_with_their_folders_has_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is there until its parent asks for its status, and shows no folder."""
    monkeypatch.setattr(procfs, "_device_of", len)  # as if our own folders were others
    with subprocess.Popen(["true"]) as ended:
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        assert procfs.entries_kib([ended.pid], ["/"]) == 0
        assert procfs.entries_kib([ended.pid, os.getpid()], ["/"]) > 0


def test_our_own_files_are_not_counted_for_a_bot_whose_sandbox_is_not_complete() -> None:
    """Bubblewrap's child has our folders until it has its own: there may be many files in them."""
    assert procfs.entries_kib([os.getpid()], ["/"]) == 0


HEADLESS = """
import ctypes, os, sys, threading, time
libc = ctypes.CDLL(None)
libc.prctl(15, os.fsencode(sys.argv[1]))  # PR_SET_NAME
def work():
    held = bytearray(b"x") * (64 << 20)
    print("ready", flush=True)
    sys.stdin.read()
    os._exit(len(held) & 1)
threading.Thread(target=work).start()
libc.pthread_exit(None)
"""


@pytest.mark.parametrize("name", [b"bot", b"\xff\xfe\xff", b"\x0cVmSize: 1", b"\rVmSize: 1", b"\n"])
def test_a_process_whose_first_thread_has_ended_has_its_memory_all_the_same(name: bytes) -> None:
    """The kernel tells it of the threads that live, whatever name the first one gave itself."""
    command = [sys.executable, "-S", "-c", HEADLESS, os.fsdecode(name)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        while not procfs.is_dead(process.pid):
            time.sleep(0.001)
        assert procfs.memory_kib(process.pid) > 60 << 10
        assert procfs.resident_kib(process.pid) > 60 << 10
        process.kill()


_TEARS_DOWN: Final = """
import mmap, os, sys
pages = os.open(sys.argv[1], os.O_RDWR)
kept = [mmap.mmap(pages, 1 << 26, mmap.MAP_SHARED | mmap.MAP_POPULATE) for _ in range(300)]
print(end="x", flush=True)
os.read(0, 1)
os.execv("/bin/echo", ["echo"])
"""


def test_a_thread_that_takes_its_memory_apart_keeps_nobody_who_looks_at_it(tmp_path: Path) -> None:
    """The kernel has a reader of `stat` wait: 0.3 to 2.3 s were seen."""
    file = tmp_path / "pages"
    file.touch()
    os.truncate(file, 1 << 26)
    command = (sys.executable, "-S", "-c", _TEARS_DOWN, str(file))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        os.read(process.stdout.fileno(), 1)
        os.write(process.stdin.fileno(), b"x")
        looks = 0
        while not select.select([process.stdout], [], [], 0)[0]:
            procfs.is_running(process.pid)
            looks += 1

    assert looks > 1000

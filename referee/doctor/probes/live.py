"""Lives in ways that are hard to end or to measure: `live.py HOW TOKEN`."""

import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress

LIFE_S = 20
TRACE = "left-by-a-probe"
FOR_EVER = {"x86_64": b"\xeb\xfe", "aarch64": b"\x00\x00\x00\x14"}
"""An instruction that jumps to itself."""

DEVICES = ("null", "zero", "full", "random", "urandom")

CROWD = 12
"""Processes that spin or wait together: few enough for any bound on them."""

SHARED_KEY = 0x42524953
SET_NAME = 15
MARKS = ("smaps", "smaps_rollup", "numa_maps", "pagemap", "clear_refs")
"""By these the kernel tells whether a page was used, though not who did, or has it forgotten."""


def say(**facts: object) -> None:
    """Says what has been found so far."""
    print(json.dumps(facts), flush=True)


def fork_daemon(work: "Callable[[], object]") -> None:
    """A process without a parent of ours: two forks, and a session of its own in between."""
    pid = os.fork()
    if pid:
        os.waitpid(pid, 0)
        return
    os.setsid()
    if os.fork() == 0:
        signal.alarm(LIFE_S)
        work()
    os._exit(0)


def wait_for_ever() -> None:
    """Until we are ended, or the alarm comes."""
    while True:
        time.sleep(LIFE_S)


def burn(seconds: float) -> float:
    """Uses the processor; how long, as the kernel counted it."""
    begun = time.process_time()
    while time.process_time() - begun < seconds:
        pass
    return time.process_time() - begun


def name_self(name: str) -> None:
    """Changes what /proc/PID/comm says."""
    ctypes.CDLL(None).prctl(SET_NAME, name.encode())


def daemon() -> None:
    """Ignores every signal that can be ignored, and leaves a daemon that does so, too."""
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_IGN)
    fork_daemon(wait_for_ever)
    say(ready=True)
    wait_for_ever()


def stop() -> None:
    """Stops itself, so that no signal but one does anything to it."""
    say(ready=True)
    os.kill(os.getpid(), signal.SIGSTOP)
    wait_for_ever()


def take_over() -> None:
    """Has the sandbox's first process loop for ever once this one has ended."""
    done = ""
    try:
        if os.getpid() == 1:
            raise OSError
        with open("/proc/1/syscall") as file:
            place = int(file.read().split()[-1], 16)
        with open("/proc/1/mem", "r+b", buffering=0) as memory:
            os.pwrite(memory.fileno(), FOR_EVER[os.uname().machine], place)
            done = "written to"
    except (OSError, ValueError):
        done = "out of reach"
    say(first_memory=done)


def traces() -> "dict[str, bool]":
    """What another bot could have left behind, and whether it is there."""
    libc = ctypes.CDLL(None)
    found = {f"{folder}/{TRACE}": False for folder in ("/tmp", "/dev/shm")}
    found = {path: os.path.exists(path) for path in found}
    found["shared memory"] = libc.shmget(SHARED_KEY, 4096, 0) >= 0
    return found


def times() -> "dict[str, int]":
    """When devices were changed last, in nanoseconds: they may be the host's own."""
    paths = [f"/dev/{name}" for name in DEVICES]
    return {f"the time of {path}": os.stat(path).st_mtime_ns for path in paths}


def touch() -> None:
    """Changes what `times` says, if we may."""
    for name in DEVICES:
        with suppress(OSError):
            os.utime(f"/dev/{name}")


def session() -> str:
    """What the kernel calls a new session, if it tells."""
    ours, theirs = os.pipe()
    if os.fork() == 0:
        try:
            os.setsid()
            with open("/proc/self/autogroup") as file:
                os.write(theirs, file.read().encode())
        finally:
            os._exit(0)
    os.close(theirs)
    os.wait()
    said = os.read(ours, 100).decode()
    os.close(ours)
    return said


def numbers() -> "dict[str, int]":
    """What the kernel calls the next of what it numbers in turn."""
    ours, theirs = os.pipe()
    one, two = socket.socketpair()
    with one, two:
        found = {"pipes": os.fstat(ours).st_ino, "sockets": os.fstat(one.fileno()).st_ino}
    os.close(ours)
    os.close(theirs)
    return found


def process_counts() -> "dict[str, int]":
    """How many processes the kernel says there are, wherever it counts more than ours."""
    return {"the links of /proc": os.stat("/proc").st_nlink}


def marks() -> "list[str]":
    """Which of MARKS can be opened: of this process, its thread, a child, and the first one."""
    child = os.fork()
    if not child:
        wait_for_ever()
    found = []
    for whose in ("self", "thread-self", child, 1):
        for name in MARKS:
            way = os.O_WRONLY if name == "clear_refs" else os.O_RDONLY
            with suppress(OSError):
                os.close(os.open(f"/proc/{whose}/{name}", way))
                found.append(name)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return found


def state() -> None:
    """Looks for traces, leaves them, starts a crowd, and lives on."""
    found = [name for name, there in traces().items() if there]
    if session() != session():
        found.append("a count of sessions")
    before = times()
    touch()
    for folder in ("/tmp", "/dev/shm"):
        with suppress(OSError), open(f"{folder}/{TRACE}", "w") as file:  # another's may be there
            file.write("x")
    ctypes.CDLL(None).shmget(SHARED_KEY, 4096, 0o1000 | 0o666)
    left = [name for name, there in traces().items() if there]
    counted = {"numbers": numbers(), "marks": marks(), "process_counts": process_counts()}
    for _ in range(CROWD):
        if not os.fork():
            wait_for_ever()
    say(traces=found, left=left, before=before, after=times(), **counted)
    wait_for_ever()


def work() -> None:
    """Burns processor time on demand: in this process, in its children, or without end."""
    say(ready=True)
    for line in sys.stdin:
        asked = json.loads(line)
        if asked["do"] == "burn":
            say(burned=burn(asked["s"]))
        elif asked["do"] == "burn elsewhere":
            say(burned=burn_elsewhere(asked["s"]))
        elif asked["do"] == "read":
            say(read=[len(first_page(path)) for path in asked["paths"]])
        elif asked["do"] == "end":
            return
        elif asked["do"] == "spin":
            spin()
            say(ready=True)
        elif asked["do"] == "crowd":
            for _ in range(CROWD):
                fork_daemon(lambda: burn(LIFE_S))
            say(ready=True)
        else:
            say(pong=True)


def first_page(path: str) -> bytes:
    """The beginning of a file."""
    with open(path, "rb", buffering=0) as file:
        return file.read(4096)


def burn_elsewhere(seconds: float) -> float:
    """In a child that is waited for, and in a daemon."""
    ours, theirs = os.pipe()

    def burner() -> None:
        os.write(theirs, b"%.6f " % burn(seconds))

    pid = os.fork()
    if pid == 0:
        burner()
        os._exit(0)
    os.waitpid(pid, 0)
    fork_daemon(burner)
    os.close(theirs)
    said = b""
    while data := os.read(ours, 100):
        said += data
    os.close(ours)
    return sum(map(float, said.split()))


def spin() -> None:
    """Starts two processes that spin: one in our session, one that has left it."""

    def turn(name: str) -> None:
        name_self(name)
        burn(LIFE_S)

    if os.fork() == 0:
        signal.alarm(LIFE_S)
        turn("stayer")
        os._exit(0)
    fork_daemon(lambda: turn("leaver"))


def main() -> None:
    """Lives as the command line says."""
    signal.alarm(LIFE_S)
    {one.__name__: one for one in (daemon, stop, state, take_over, work)}[sys.argv[1]]()


main()

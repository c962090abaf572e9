"""Looks for what of the machine changes under its own doings, and so tells later bots of them."""

import json
import os
import signal
import socket
import sys
from contextlib import suppress

LIFE_S = 10
ROOTS = ("/proc", "/sys")
OWN = ("self", "thread-self", "net", "mounts", "sysvipc", "ns_last_pid")
"""In /proc: what is of this process, or of its namespaces; below /proc/sys, too."""

MOST_FILES = 4000
MOST_BYTES = 1 << 16
CHILDREN = 40
READS = 400
CONSTANT_MHZ = b"1000.000"


def files(root: str) -> "list[str]":
    """The files below a folder that can be read, not through links; of /proc no process's."""
    found: list[str] = []
    for place, folders, names in os.walk(root):
        if place == "/proc":
            folders[:] = [name for name in folders if not name.isdigit() and name not in OWN]
        paths = [os.path.join(place, name) for name in names if name not in OWN]
        found += [path for path in paths if not os.path.islink(path) and os.path.isfile(path)]
        if len(found) > MOST_FILES:
            break
    return found[:MOST_FILES]


def contents(paths: "list[str]") -> "dict[str, bytes]":
    """What is in files, as far as it can be read."""
    found = {}
    for path in paths:
        with suppress(OSError):
            descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
            try:
                found[path] = os.read(descriptor, MOST_BYTES)
            finally:
                os.close(descriptor)
    return found


def times(paths: "list[str]") -> "dict[str, int]":
    """When files and folders were read last, in nanoseconds."""
    return {path: os.stat(path).st_atime_ns for path in paths}


def shared_paths() -> "list[str]":
    """Files and folders that other processes see, too: of this bot, and of the system."""
    found = [os.getcwd(), "/usr/lib"]
    for folder in (os.getcwd(), "/usr/bin"):
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        found += [entry.path for entry in entries if entry.is_file() and os.access(entry, os.R_OK)]
    return found[:READS]


def shown(hidden: "list[str]") -> "list[str]":
    """Which files, and folders of files, say anything; some may not be there at all."""
    return [
        path
        for path in hidden
        if any(contents(files(path) if os.path.isdir(path) else [path]).values())
    ]


def speed() -> "list[str]":
    """Where the frequency of processors, which changes with load, is not a constant."""
    lines = contents(["/proc/cpuinfo"]).get("/proc/cpuinfo", b"").splitlines()
    values = {line.partition(b":")[2].strip() for line in lines if line.startswith(b"cpu MHz")}
    return ["/proc/cpuinfo"] * (not values <= {CONSTANT_MHZ})


def be_busy(paths: "list[str]") -> None:
    """Forks, reads, opens and talks: all that counters count."""
    for _ in range(CHILDREN):
        pid = os.fork()
        if pid == 0:
            os._exit(0)
        os.waitpid(pid, 0)
    for path in paths:
        if os.path.isdir(path):
            os.listdir(path)
            continue
        with open(path, "rb") as file:
            file.read(MOST_BYTES)
    pairs = [socket.socketpair() for _ in range(CHILDREN)]
    for one, two in pairs:
        one.send(b"x" * 4096)
        one.close()
        two.close()


def terminal() -> "list[str]":
    """Whether there are pseudo terminals to be had, of which the machine has so many."""
    try:
        for descriptor in os.openpty():
            os.close(descriptor)
    except OSError:
        return []
    return ["pseudo terminals"]


def main() -> None:
    """Says what has changed."""
    signal.alarm(LIFE_S)
    hidden = json.loads(sys.stdin.readline())["hidden"]
    paths = [path for root in ROOTS for path in files(root)]
    shared = shared_paths()
    read_before, before = times(shared), contents(paths)
    be_busy(shared)
    after, read_after = contents(paths), times(shared)
    changed = [path for path, data in before.items() if after.get(path, data) != data]
    read = [path for path, at in read_before.items() if read_after[path] != at]
    found = [*changed[:20], *shown(hidden), *speed(), *terminal()]
    print(json.dumps({"counters": found, "times": read[:5]}), flush=True)


main()

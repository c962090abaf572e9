"""What a bot can see and where it can write. Changes nothing that it does not take back."""

import json
import os
import signal
import stat
import subprocess
import sys
from contextlib import suppress

LIFE_S = 10
OWN = ("/tmp", "/dev/shm")
"""Where a bot may write."""

SETUID = ("su", "passwd", "chsh", "newgrp", "mount", "sudo")
SWITCHES = (
    "/proc/sysrq-trigger",
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/kernel/hostname",
    "/proc/sys/vm/drop_caches",
)


CONSTANTS = ("/proc/stat", "/proc/meminfo")
"""Files that all bots see, where a sandbox puts its own over those of the machine."""


def text_of(path: str) -> str:
    """A file's content, or nothing."""
    try:
        with open(path, errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def pids() -> "list[str]":
    """The processes that can be seen."""
    return [name for name in os.listdir("/proc") if name.isdigit()]


def status(pid: str) -> "dict[str, str]":
    """/proc/PID/status by key."""
    pairs = (line.partition(":") for line in text_of(f"/proc/{pid}/status").splitlines())
    return {key: value.strip() for key, _, value in pairs}


def secrets(secret: str, words: "list[str]") -> "list[str]":
    """Where something of the host stands: the secret, or a word on a command line."""
    found = [f"variable {name}" for name, value in os.environ.items() if secret in value]
    for pid in pids():
        if secret in text_of(f"/proc/{pid}/environ"):
            found.append(f"/proc/{pid}/environ")
        line = text_of(f"/proc/{pid}/cmdline")
        if secret in line or any(word in line for word in words):
            found.append(f"/proc/{pid}/cmdline")
    return found


def folders() -> "set[str]":
    """Where to try to write: every mount, and the folders near the root."""
    found = {line.split()[4] for line in text_of("/proc/self/mountinfo").splitlines()}
    for top in ("/", "/usr", "/usr/local", "/etc", "/dev", "/var", os.getcwd()):
        if os.path.isdir(top):
            found |= {top, *(entry.path for entry in os.scandir(top) if entry.is_dir())}
    return {one for one in found if os.path.isdir(one)}


def writable() -> "list[str]":
    """The folders and switches of the system that can be written to, but for the bot's own."""
    found = []
    for folder in sorted(folders()):
        if folder in OWN or folder.startswith(tuple(f"{one}/" for one in OWN)):
            continue
        path = os.path.join(folder, ".probe")
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        except OSError:
            continue
        os.unlink(path)
        found.append(folder)
    for path in SWITCHES:
        try:
            os.close(os.open(path, os.O_WRONLY))
        except OSError:
            continue
        found.append(path)
    found += [path for path in CONSTANTS if can_be_changed(path)]
    disks = (entry for entry in os.scandir("/dev") if not entry.is_symlink())
    return found + [entry.path for entry in disks if stat.S_ISBLK(entry.stat().st_mode)]


def can_be_changed(path: str) -> bool:
    """Whether a file can be given the mode that it has."""
    with suppress(OSError):
        os.chmod(path, os.stat(path).st_mode & 0o7777)
        return True
    return False


def seen(paths: "list[str]") -> "list[str]":
    """Which of the host's files and folders are there; of /etc/shadow, whether it can be read."""
    found = [path for path in paths if os.path.lexists(path)]
    return found + ["/etc/shadow"] * bool(text_of("/etc/shadow"))


def shared_folders(paths: "list[str]", devices: "list[int]") -> "list[str]":
    """Which folders are of a file system of the host."""
    return [path for path in paths if os.path.isdir(path) and os.stat(path).st_dev in devices]


def others() -> "list[str]":
    """The processes that are neither this one nor above it, nor the first one."""
    line, pid = {"1"}, str(os.getpid())
    while pid not in ("", "0"):
        line.add(pid)
        pid = status(pid).get("PPid", "")
    return [text_of(f"/proc/{pid}/comm").strip() or pid for pid in pids() if pid not in line]


def shared(namespaces: "dict[str, str]") -> "list[str]":
    """The kinds of namespace that we have in common with the referee."""
    return [
        kind for kind, name in namespaces.items() if os.readlink(f"/proc/self/ns/{kind}") == name
    ]


def descriptors() -> "list[str]":
    """What is open beside the three pipes."""
    found = []
    for name in os.listdir("/proc/self/fd"):
        with suppress(OSError):  # that of the folder itself is closed by now
            if int(name) > 2:
                found.append(os.readlink(f"/proc/self/fd/{name}"))
    return found


def setuid() -> str:
    """The name of a program that gave us another user id, or nothing."""
    for name in SETUID:
        path = f"/usr/bin/{name}"
        if not os.path.exists(path) or not os.stat(path).st_mode & stat.S_ISUID:
            continue
        nothing = subprocess.DEVNULL
        program = subprocess.Popen([path], stdin=nothing, stdout=nothing, stderr=nothing)
        user = os.stat(f"/proc/{program.pid}").st_uid  # a dead one has it, too
        program.kill()
        program.wait()
        if user != os.getuid():
            return name
    return ""


def main() -> None:
    """Answers one line with one line."""
    signal.alarm(LIFE_S)
    asked = json.loads(sys.stdin.readline())
    found = {
        "secrets": secrets(asked["secret"], asked["words"]),
        "writable": writable(),
        "seen": seen(asked["paths"]),
        "others": others(),
        "shared": shared(asked["namespaces"]),
        "setuid": setuid(),
        "descriptors": descriptors(),
        "shared_folders": shared_folders(asked["folders"], asked["devices"]),
    }
    print(json.dumps(found), flush=True)
    sys.stdin.readline()  # it is looked at meanwhile


main()

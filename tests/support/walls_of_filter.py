"""The filter of system calls as walls: each group of calls that it refuses, allowed by itself."""

from typing import Final

import pytest

from referee.sandbox import seccomp
from referee.sandbox.system_calls import Call, Condition
from support.walls import Break, Wall, current

CLOSED: Final = "closed files of /proc"
"""The name of the wall that Landlock is."""

_NO_CAPABILITY: Final = "the kernel asks for a capability, which no process of a bot has"


def calls(table: str) -> tuple[Call, ...]:
    rows = (row.split() for row in table.split(","))
    return tuple(Call(name, int(x86_64), int(aarch64)) for name, x86_64, aarch64 in rows)


def allowing(*calls: Call) -> Break:
    """Allow calls, whatever their arguments."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        names = {call.name for call in calls}
        usual = current(seccomp, "conditions")

        def conditions(column: int) -> tuple[Condition, ...]:
            return tuple(one for one in usual(column) if one.call.name not in names)

        answered = tuple(
            (error, tuple(call for call in of if call.name not in names))
            for error, of in current(seccomp, "ANSWERED")
        )
        usually = current(seccomp, "ALLOWED")
        there = {call.name for call in usually}
        allowed = (*usually, *(call for call in calls if call.name not in there))
        patch.setattr(seccomp, "ALLOWED", allowed)
        patch.setattr(seccomp, "ANSWERED", answered)
        patch.setattr(seccomp, "conditions", conditions)

    return breaks


def _group(name: str, table: str, *rows: str, word: str = "") -> Wall:
    return Wall(f"filter: {name}", allowing(*calls(table)), rows or ("calls",), word)


def mounts(behind: tuple[str, ...] = (), reason: str = _NO_CAPABILITY) -> Wall:
    """Return the refusal of mounts; `behind` with which walls broken it is to be noticed."""
    rows = ("calls",) if behind else ()
    word = "mount (it worked)" if behind else ""
    return Wall(
        "filter: mounts",
        allowing(*calls("mount 165 40")),
        rows,
        word,
        behind=behind,
        reason=reason,
    )


def tracing(behind: str) -> Wall:
    """Return the refusal of tracing; `behind`: the wall that holds the same."""
    return Wall(
        "filter: tracing",
        allowing(*calls("ptrace 101 117")),
        ("init",),
        behind=(behind,),
        reason="with Landlock no process traces one that has not its rules",
    )


def another_root(behind: tuple[str, ...]) -> Wall:
    """Return the refusal of another root; `behind`: the walls that hold the same."""
    return Wall(
        "filter: another root",
        allowing(*calls("chroot 161 51")),
        ("calls",),
        "chroot (it worked)",
        behind=behind,
        reason=_NO_CAPABILITY,
    )


GROUPS: Final = (
    _group("System V objects", "shmget 29 194, semget 64 190, msgget 68 186"),
    _group("message queues", "mq_open 240 180", word="message queues"),
    _group("asynchronous reading", "io_setup 206 0", word="io_setup"),
    _group("io_uring", "io_uring_setup 425 425", word="io_uring_setup"),
    _group("keys", "add_key 248 217, keyctl 250 219", word="add_key"),
    _group("notices", "inotify_init1 294 26", word="inotify_init1"),
    *(
        Wall(
            f"filter: {name}",
            allowing(*calls(table)),
            ("calls",),
            word,
            behind=("limit of locked memory",),
            reason="where none may be locked by its limit, the kernel refuses it, too",
        )
        for name, table, word in (
            ("locked memory", "mlock 149 228", "mlock"),
            ("locked pages of mappings", "mmap 9 222", "locked pages"),
        )
    ),
    _group("signals as descriptors", "signalfd4 289 74", word="signalfd"),
    _group("timers as descriptors", "timerfd_create 283 85", word="timerfd_create"),
    _group("timers beyond one of each kind", "timer_create 222 107", word="timer_create"),
    _group("lists of robust locks", "set_robust_list 273 99", word="set_robust_list"),
    _group("splicing of pipes", "splice 275 76", word="splice"),
    _group("sending of files", "sendfile 40 71", word="sendfile"),
    _group("memory of others", "process_vm_readv 310 270", word="process_vm_readv"),
    _group("what others have open", "pidfd_getfd 438 438, kcmp 312 272", word="pidfd_getfd"),
    _group("new namespaces", "unshare 272 97, setns 308 268", word="unshare"),
    _group("new namespaces by clone", "clone 56 220", word="clone a user"),
    _group("new namespaces by clone3", "clone3 435 435", word="clone3"),
    _group("handles of files", "name_to_handle_at 303 264", word="name_to_handle_at"),
    _group("faults in user space", "userfaultfd 323 282", word="userfaultfd"),
    _group("measuring the processor", "perf_event_open 298 241", word="perf_event_open"),
    Wall(
        "filter: programs in the kernel",
        allowing(*calls("bpf 321 280")),
        reason="nearly all kernels, as this one, let root of the machine only",
    ),
    _group("secret memory", "memfd_secret 447 447", word="memfd_secret"),
    _group("advice to the page cache", "fadvise64 221 223", "pages", word="fadvise"),
    _group("reading without waiting", "preadv2 327 286, pwritev2 328 287", "pages", word="preadv2"),
    _group("what is in memory", "mincore 27 232, cachestat 451 451", "pages", word="mincore"),
    _group("reading ahead", "readahead 187 213", "pages", word="readahead"),
    _group("opening past the cache", "openat 257 56, open 2 -1", "pages", word="opening past"),
    _group("kinds of madvise", "madvise 28 233", "pages", word="madvise PAGEOUT"),
    _group("flushing", "fsync 74 82, fdatasync 75 83, syncfs 306 267", word="fsync"),
    _group("attributes of files", "setxattr 188 5", word="setxattr"),
    _group("locks of files", "flock 73 32", "locks", word="flock"),
    _group("locks of records", "fcntl 72 25", "locks", word="fcntl"),
    _group("kinds of fcntl", "fcntl 72 25", word="F_SETPIPE_SZ"),
    _group("kinds of ioctl", "ioctl 16 29", word="TIOCSTI"),
    _group("huge pages", "mmap 9 222", word="huge pages"),
    _group("huge pages as files", "memfd_create 319 279", word="memfd of huge pages"),
    _group("kinds of membarrier", "membarrier 324 283", word="membarrier"),
    _group("kinds of personality", "personality 135 92", word="personality"),
    _group("kinds of prctl", "prctl 157 167", word="prctl"),
    _group("kinds of sockets", "socket 41 198", "network", word="sockets"),
    _group("kinds of pairs of sockets", "socketpair 53 199", word="socketpair"),
    _group("choice of a core", "sched_setaffinity 203 122", "pinned", word="sched_setaffinity"),
)
"""Those of the table that a process without rights could use."""

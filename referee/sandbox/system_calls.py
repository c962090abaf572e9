"""The system calls that a bot may make; all that are not named here are refused. Pure data.

A row is a name with its number on x86_64 and on aarch64, `-` where that machine has no such call.
What a call reaches beyond the bot's own processes is why it is missing: what is in the page cache
or can be evicted from it, memory of the kernel that no control group counts, other bots, the host.
"""

import errno
from typing import Final, NamedTuple

from msgspec import Struct


class Call(NamedTuple):
    """A system call: its number on each kind of processor, -1 where there is none."""

    name: str
    x86_64: int
    aarch64: int


class Test(NamedTuple):
    """What the lower 32 bits of an argument, counted from 0, must be where the mask has bits."""

    argument: int
    mask: int
    value: int


class Positive(NamedTuple):
    """What the lower 32 bits of an argument must be: a number above 0 of so many bits at most."""

    argument: int
    bits: int


Alternative = tuple[Test, ...] | Positive
"""What arguments must be: all of some tests, or a number."""


class Condition(Struct, frozen=True):
    """A call that is allowed only with some arguments.

    Attributes:
        allowed: alternatives, of which one must pass whole.
        ignored: alternatives with which the call does nothing, as if it were done.
    """

    call: Call
    allowed: tuple[Alternative, ...]
    ignored: tuple[Alternative, ...] = ()


NEWER: Final = 424
"""From this number on, the same on all processors, programs expect that a call may be missing."""

NEW_NAMESPACES: Final = 0x7E020000
"""The flags of clone(2) that make namespaces: mounts, cgroups, uts, ipc, users, pids, network."""

ALL_BITS: Final = 0xFFFFFFFF
_PIDFD: Final = 0x1000
"""The flag of clone(2) that makes a descriptor of the process."""

_THREAD, _FILES = 0x10000, 0x400
"""The flags of clone(2) that make a thread, and let it share its maker's descriptors."""

_OWN_FILES: Final = 2
"""The flag of close_range(2) that gives a thread descriptors of its own first."""

_SOCKET_OPTIONS: Final = (
    *(2, 3, 4, 7, 8, 9, 13),
    *(15, 16, 17, 18, 20, 21, 30, 38, 39),
)
"""SO_REUSEADDR, TYPE, ERROR, SNDBUF, RCVBUF, KEEPALIVE, LINGER; REUSEPORT, PASSCRED, PEERCRED,
RCVLOWAT, RCVTIMEO, SNDTIMEO, ACCEPTCONN, PROTOCOL, DOMAIN. Others have numbers of the machine, such
as SO_COOKIE, or make descriptors of processes, or programs in the kernel.
"""

_DIRECT: Final = (0x4000, 0x10000)
"""O_DIRECT on x86_64 and on aarch64: to read past the page cache evicts what is in it."""

_ASYNC: Final = 0x2000
"""O_ASYNC: the kernel goes through all descriptors that have it whenever a process writes to their
file, and has no bound on their number; a bot made 30,000."""


def _calls(table: str) -> tuple[Call, ...]:
    """Read a table; a line with # says what the rows below it are for."""

    def number(text: str) -> int:
        return -1 if text == "-" else int(text)

    lines = (line for line in table.splitlines() if not line.strip().startswith("#"))
    rows = (row.split() for row in "".join(lines).split(","))
    return tuple(Call(name, number(x86_64), number(aarch64)) for name, x86_64, aarch64 in rows)


ALLOWED: Final = _calls(
    """
    # memory of its own
    brk 12 214, munmap 11 215, mprotect 10 226, mremap 25 216, msync 26 227,
    pkey_alloc 330 289, pkey_free 331 290, pkey_mprotect 329 288,
    # reading and writing
    read 0 63, write 1 64, readv 19 65, writev 20 66, pread64 17 67, pwrite64 18 68,
    preadv 295 69, pwritev 296 70, lseek 8 62, copy_file_range 326 285,
    # opening and closing
    creat 85 -, close 3 57, dup 32 23, dup2 33 -, dup3 292 24,
    pipe 22 -, pipe2 293 59,
    # looking at files
    stat 4 -, fstat 5 80, lstat 6 -, newfstatat 262 79, statx 332 291, access 21 -,
    faccessat 269 48, faccessat2 439 439, readlink 89 -, readlinkat 267 78,
    getdents 78 -, getdents64 217 61, getcwd 79 17, getxattr 191 8, lgetxattr 192 9,
    fgetxattr 193 10, listxattr 194 11, llistxattr 195 12, flistxattr 196 13,
    # changing files, where they may be written
    truncate 76 45, ftruncate 77 46, fallocate 285 47, rename 82 -, renameat 264 38,
    renameat2 316 276, mkdir 83 -, mkdirat 258 34, rmdir 84 -, link 86 -, linkat 265 37,
    unlink 87 -, unlinkat 263 35, symlink 88 -, symlinkat 266 36, mknod 133 -,
    mknodat 259 33, chmod 90 -, fchmod 91 52, fchmodat 268 53, chown 92 -, fchown 93 55,
    lchown 94 -, fchownat 260 54, umask 95 166, chdir 80 49, fchdir 81 50,
    # waiting for several things at once
    epoll_create 213 -, epoll_create1 291 20, epoll_ctl 233 21, epoll_wait 232 -,
    epoll_pwait 281 22, epoll_pwait2 441 441, eventfd 284 -, eventfd2 290 19,
    # sockets among its own processes; no recvmmsg, which goes on where it should be stopped, and no
    # sendmsg and sendmmsg: they pass descriptors on, which belong to no process then. A socket in
    # flight to itself is freed by a thread of the kernel, which wakes all waiters in time that is
    # charged to no bot
    bind 49 200, listen 50 201, accept 43 202, accept4 288 242, connect 42 203,
    shutdown 48 210, getsockname 51 204, getpeername 52 205, sendto 44 206,
    recvfrom 45 207, recvmsg 47 212,
    # starting and ending processes
    fork 57 -, vfork 58 -, execve 59 221, execveat 322 281, exit 60 93,
    exit_group 231 94, wait4 61 260, waitid 247 95, tkill 200 130,
    tgkill 234 131, restart_syscall 219 128,
    # threads
    futex 202 98, futex_waitv 449 449, set_tid_address 218 96, rseq 334 293,
    sched_yield 24 124, getcpu 309 168,
    arch_prctl 158 -,
    # signals
    rt_sigaction 13 134, rt_sigprocmask 14 135, rt_sigreturn 15 139,
    rt_sigpending 127 136, rt_sigtimedwait 128 137, rt_sigsuspend 130 133,
    rt_sigqueueinfo 129 138, rt_tgsigqueueinfo 297 240, sigaltstack 131 132, pause 34 -,
    # clocks and timers
    nanosleep 35 101, clock_nanosleep 230 115, clock_gettime 228 113,
    clock_getres 229 114, gettimeofday 96 169, time 201 -, times 100 153, alarm 37 -,
    getitimer 36 102, setitimer 38 103,
    # who it is
    getpid 39 172, getppid 110 173, gettid 186 178, getpgid 121 155, getpgrp 111 -,
    setpgid 109 154, getsid 124 156, getuid 102 174, geteuid 107 175,
    getgid 104 176, getegid 108 177, getresuid 118 148, getresgid 120 150,
    getgroups 115 158, setuid 105 146, setgid 106 144, setreuid 113 145, setregid 114 143,
    setresuid 117 147, setresgid 119 149, capget 125 90, uname 63 160,
    getrandom 318 278,
    # the launcher's, which takes them from the bot
    landlock_create_ruleset 444 444, landlock_add_rule 445 445,
    landlock_restrict_self 446 446,
    # limits and priorities, which it can only lower
    getrlimit 97 163, setrlimit 160 164, prlimit64 302 261, getrusage 98 165,
    getpriority 140 141, setpriority 141 140, sched_getaffinity 204 123,
    sched_getparam 143 121, sched_getscheduler 145 120, sched_getattr 315 275,
    sched_get_priority_max 146 125, sched_get_priority_min 147 126,
    sched_rr_get_interval 148 127
    """
)

ANSWERED: Final = tuple(
    (error, _calls(table))
    for error, table in (
        # advice to the page cache, which would be a memory of bits
        (
            0,
            """
            fadvise64 221 223
            """,
        ),
        # flushing: nothing that a bot writes has to outlast a power cut
        (
            0,
            """
            fsync 74 82, fdatasync 75 83, sync 162 81, syncfs 306 267, sync_file_range 277 84
            """,
        ),
        # locks: other bots can see them, and the Java machine warns on stdout where there are none
        (
            0,
            """
            flock 73 32
            """,
        ),
        # times of files: one who may write to a device of the host sets its times for all to see
        (
            0,
            """
            utime 132 -, utimes 235 -, futimesat 261 -, utimensat 280 88
            """,
        ),
        # the kernel counts the sessions that there have been, and tells each process its number
        (
            0,
            """
            setsid 112 157
            """,
        ),
        # attributes, which are memory of the kernel
        (
            errno.EOPNOTSUPP,
            """
            setxattr 188 5, lsetxattr 189 6, fsetxattr 190 7
            """,
        ),
        # into a pipe from a socket on which nothing comes, it holds the pipe's lock for as long as
        # the bot likes: a reader of the other end, waiting or not, hangs unkillably.
        # That nothing can be sent so from this file is an answer that all programs know
        (
            errno.EINVAL,
            """
            sendfile 40 71
            """,
        ),
        # tell what is in the page cache; libc goes back to preadv, pwritev
        (
            errno.ENOSYS,
            """
            preadv2 327 286, pwritev2 328 287
            """,
        ),
        # timers and signals that wake those who wait for a descriptor, from within an interrupt: a
        # hundred descriptors in a hundred epolls are 10,000 to wake, and the time is charged to
        # whom it interrupts, which is the opponent
        (
            errno.ENOSYS,
            """
            signalfd 282 -, signalfd4 289 74, timerfd_create 283 85, timerfd_settime 286 86,
            timerfd_gettime 287 87, timer_create 222 107, timer_settime 223 110,
            timer_gettime 224 108, timer_getoverrun 225 109, timer_delete 226 111
            """,
        ),
        # a list that the kernel reads when a thread ends; it can lie on pages that come slowly,
        # and no signal ends that
        (
            errno.ENOSYS,
            """
            set_robust_list 273 99, get_robust_list 274 100
            """,
        ),
        # descriptors of processes, which are numbered in turn for the whole machine
        (
            errno.ENOSYS,
            """
            pidfd_send_signal 424 424, pidfd_open 434 434
            """,
        ),
        # new and not needed: libraries go back to older calls. What is newer still is refused alike
        (
            errno.ENOSYS,
            """
            io_uring_setup 425 425, io_uring_enter 426 426, io_uring_register 427 427,
            open_tree 428 428, move_mount 429 429, fsopen 430 430, fsconfig 431 431,
            fsmount 432 432, fspick 433 433, clone3 435 435, openat2 437 437,
            pidfd_getfd 438 438, process_madvise 440 440, mount_setattr 442 442,
            quotactl_fd 443 443, memfd_secret 447 447, process_mrelease 448 448
            """,
        ),
    )
)
"""Calls that are not made, and the error that is returned at once; 0: as if they were done."""

SYSINFO: Final = Call("sysinfo", 99, 179)
"""How much memory the machine has left, and how many processes: every bot can change both."""

MEMFD: Final = Call("memfd_create", 319, 279)
_MMAP: Final = Call("mmap", 9, 222)
FSTATFS: Final = Call("fstatfs", 138, 44)
"""How full a file system is, which tells of what others write; runc asks in the bot's place."""


def _one_of(argument: int, *values: int) -> tuple[tuple[Test, ...], ...]:
    return tuple((Test(argument, ALL_BITS, value),) for value in values)


def _none_of(argument: int, bits: int) -> tuple[tuple[Test, ...], ...]:
    return ((Test(argument, bits, 0),),)


_LOCAL_STREAMS: Final = tuple((Test(0, ALL_BITS, 1), Test(1, 0xF, kind)) for kind in (1, 5))
"""AF_UNIX, SOCK_STREAM or SOCK_SEQPACKET: of datagrams, a socket keeps those of many dead ones."""


_HUGE, _LOCKED, _SHARED, _ANONYMOUS = 0x40000, 0x2000, 1, 0x20
_NEVER: Final = _HUGE | _LOCKED
"""Huge pages are the machine's, and no bot's memory; locked ones cannot be dropped at its end."""

UNSHARED_MMAP: Final = Condition(
    _MMAP, (*_none_of(3, _NEVER | _SHARED), *_none_of(3, _NEVER | _ANONYMOUS))
)
"""Mappings of files, and memory of one's own: that goes with its pages, shared memory does not."""


_CLONE_BITS: Final = NEW_NAMESPACES | _PIDFD | _THREAD | _FILES
_CLONES: Final = (
    (Test(0, _CLONE_BITS, 0),),
    (Test(0, _CLONE_BITS, _THREAD | _FILES),),
)
"""Processes with descriptors of their own, and threads that share their maker's: we count those of
one thread for all, and no process can close what another one waits in."""

_ONE_PROCESS: Final = Positive(0, bits=22)
"""For 0 and below, the kernel goes through a group, and for -1 through all processes of the
machine, with a lock that each start and end of a process waits for, on any core: 122 processes in
another match, one of which sends signals to its group, had a bot late that starts 780 in an act and
needs 65 ms of 100, in 3 of 3.
"""

_POLLED: Final = 31
"""How many descriptors a poll may have; in a select, those with numbers below it.

Who wakes an epoll runs through all that polls it, with the interrupts of the core off, and as
often as it has entries: 10,000 of these, polled 51,200 times, were made in 15 ms and kept a core
for 26 s. It is less by as much as one process can poll it less often.
"""

_POLLS: Final = tuple(
    Condition(call, _none_of(argument, ALL_BITS ^ _POLLED))
    for argument, calls in (
        (0, (Call("select", 23, -1), Call("pselect6", 270, 72))),
        (1, (Call("poll", 7, -1), Call("ppoll", 271, 73))),
    )
    for call in calls
)


def conditions(column: int) -> tuple[Condition, ...]:
    """The calls that are allowed with some arguments, for x86_64 (0) or aarch64 (1)."""
    direct = _DIRECT[column]
    set_flags = (Test(1, ALL_BITS, 4), Test(2, direct | _ASYNC, 0))
    return (
        Condition(Call("open", 2, -1), _none_of(1, direct)),
        Condition(Call("openat", 257, 56), _none_of(2, direct)),
        # F_DUPFD, _GETFD, _SETFD, _GETFL, _SETFL, _DUPFD_CLOEXEC, _GETPIPE_SZ; no leases, no
        # notifications, no larger pipes. Locks of records (F_SETLK, _SETLKW, _OFD_SETLK,
        # _OFD_SETLKW) are memory that nothing counts; SQLite gives up without them.
        Condition(
            Call("fcntl", 72, 25),
            (*_one_of(1, 3, 1, 2, 0, 1030, 1032), set_flags),
            ignored=_one_of(1, 6, 7, 37, 38),
        ),
        # FIONBIO, FIOCLEX, FIONCLEX, FIONREAD; TCGETS and TCGETS2 (isatty), TIOCGWINSZ; TIOCSPGRP
        # and TIOCGPGRP, which Docker's init asks for
        Condition(
            Call("ioctl", 16, 29),
            _one_of(
                *(1, 0x5421, 0x5451, 0x5450, 0x541B),
                *(0x5401, 0x802C542A, 0x5413, 0x5410, 0x540F),
            ),
        ),
        Condition(_MMAP, _none_of(3, _NEVER)),
        Condition(MEMFD, _none_of(1, 4)),
        # NORMAL, RANDOM, SEQUENTIAL, DONTNEED (one's own mapping only), FREE, DONTFORK, DOFORK,
        # HUGEPAGE, NOHUGEPAGE, DONTDUMP, DODUMP, WIPEONFORK, KEEPONFORK
        Condition(
            Call("madvise", 28, 233), _one_of(2, 4, 8, 14, 15, 0, 1, 2, 10, 11, 16, 17, 18, 19)
        ),
        # QUERY and the barriers of one's own process; the others interrupt all processors
        Condition(Call("membarrier", 324, 283), _one_of(0, 8, 16, 32, 64, 0)),
        # to the usual one, as some do for every thread
        Condition(Call("sched_setscheduler", 144, 119), _one_of(1, 0)),
        Condition(Call("clone", 56, 220), _CLONES),
        Condition(Call("kill", 62, 129), (_ONE_PROCESS,)),
        *_POLLS,
        Condition(Call("close_range", 436, 436), _none_of(2, _OWN_FILES)),
        Condition(Call("getsockopt", 55, 209), _one_of(2, *_SOCKET_OPTIONS)),
        Condition(Call("socket", 41, 198), _LOCAL_STREAMS),
        Condition(Call("socketpair", 53, 199), _LOCAL_STREAMS),
        # SO_REUSEADDR, _KEEPALIVE, _LINGER, _PASSCRED, _RCVLOWAT, _RCVTIMEO and _SNDTIMEO, old and
        # new; no filters, which are memory. Larger buffers (SO_SNDBUF, _RCVBUF) are not had.
        Condition(
            Call("setsockopt", 54, 208),
            _one_of(2, 2, 9, 13, 16, 18, 20, 21, 66, 67),
            ignored=_one_of(2, 7, 8),
        ),
        # to be asked, and to be an ordinary program
        Condition(Call("personality", 135, 92), _one_of(0, 0, ALL_BITS)),
        # names, parents' death, dumps, subreapers, slack of timers, no new privileges, and whether
        # there are huge pages;
        # PR_SET_SECCOMP is the launcher's, which takes it from the bot
        Condition(
            Call("prctl", 157, 167),
            _one_of(0, 15, 16, 1, 2, 3, 4, 22, 23, 29, 30, 36, 37, 38, 39, 42),
        ),
    )

"""The table of system calls: its numbers are the kernel's, and its two forms say the same."""

import errno
import json
import re
import struct
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from referee.sandbox.seccomp import Filter, UnknownMachine, docker_profile, program
from referee.sandbox.system_calls import (
    ALL_BITS,
    ALLOWED,
    ANSWERED,
    FSTATFS,
    NEWER,
    SYSINFO,
    Call,
    conditions,
)

HEADERS = {
    "x86_64": Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    "aarch64": Path("/usr/include/asm-generic/unistd.h"),
}
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
MACHINES = tuple(HEADERS)
ALLOW, KILL = 0x7FFF0000, 0x80000000
IN_64_BITS = {"newfstatat": "fstatat"}
"""Names in the header of aarch64 that are other ones on machines of 64 bits."""

O_DIRECT = {"x86_64": 0x4000, "aarch64": 0x10000}
RECORD_LOCKS = (6, 7, 37, 38)
QUESTIONS_ABOUT_LOCKS = (5, 36)
LEASES_AND_NOTIFICATIONS = (1024, 1025, 1026)
EVICTING = {"COLD": 20, "PAGEOUT": 21, "COLLAPSE": 25, "HWPOISON": 100, "SOFT_OFFLINE": 101}
READING = {"WILLNEED": 3, "POPULATE_READ": 22, "POPULATE_WRITE": 23}
MERGING = {"MERGEABLE": 12, "UNMERGEABLE": 13}

_REFUSED = """
    readahead mincore cachestat remap_file_pages vmsplice splice tee statfs ustat sysfs
    io_setup io_destroy io_submit io_cancel io_getevents io_pgetevents
    io_uring_setup io_uring_enter io_uring_register userfaultfd
    shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl
    mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr
    mlock mlock2 mlockall munlock munlockall memfd_secret
    add_key request_key keyctl quotactl quotactl_fd removexattr lremovexattr fremovexattr
    inotify_init inotify_init1 inotify_add_watch inotify_rm_watch fanotify_init fanotify_mark
    mount umount2 pivot_root chroot fsopen fsconfig fsmount fspick move_mount open_tree
    mount_setattr unshare setns clone3 openat2 name_to_handle_at open_by_handle_at
    bpf perf_event_open seccomp ptrace process_vm_readv process_vm_writev process_madvise
    pidfd_getfd kcmp process_mrelease
    sched_setaffinity sched_setparam sched_setattr ioprio_set
    mbind set_mempolicy get_mempolicy migrate_pages move_pages set_mempolicy_home_node
    acct adjtimex clock_adjtime clock_settime settimeofday syslog sethostname setdomainname
    init_module finit_module delete_module kexec_load kexec_file_load reboot swapon swapoff
    vhangup lookup_dcookie nfsservctl iopl ioperm modify_ldt uselib _sysctl
    setfsuid setfsgid setgroups capset
"""
"""What none of our languages needs, and a bot could remember, talk or do harm by."""

LATER = {"cachestat": 451, "fchmodat2": 452, "statmount": 457, "listmount": 458, "mseal": 462}
"""Newer calls than some headers know."""


def verdict(code: bytes, architecture: int, number: int, *arguments: int) -> tuple[int, int]:
    """Runs a filter, as the kernel would, on one call; with how many instructions that took."""
    data = struct.pack("<iIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    instructions = [struct.unpack_from("<HBBI", code, at) for at in range(0, len(code), 8)]
    value = at = steps = 0
    while True:
        operation, yes, no, operand = instructions[at]
        at, steps = at + 1, steps + 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("<I", data, operand)
            case 0x54:
                value &= operand
            case 0x05:
                at += operand
            case 0x06:
                return int(operand), steps
            case 0x15:
                at += yes if value == operand else no
            case 0x35:
                at += yes if value >= operand else no
            case other:
                raise AssertionError(other)


written = cache(program)


@cache
def profiled(filter_: Filter, machine: str) -> list[dict[str, Any]]:  # JSON
    """The rules of Docker's profile."""
    rules: list[dict[str, Any]] = json.loads(docker_profile(filter_, machine))["syscalls"]  # JSON
    return rules


def by_program(machine: str, filter_: Filter, name: str, *arguments: int) -> int | None:
    """What the program answers to a call: None where it is made, else the error."""
    code = written(filter_, machine)
    found, _ = verdict(code, ARCHITECTURES[machine], numbers(machine)[name], *arguments)
    return None if found == ALLOW else found & 0xFFFF


def by_profile(machine: str, filter_: Filter, name: str, *arguments: int) -> int | None:
    """What Docker's profile answers, as runc and libseccomp read it."""
    rules = profiled(filter_, machine)
    matching = [rule for rule in rules if name in rule["names"] and fits(rule, arguments)]
    if not matching:
        named = [numbers(machine)[call] for rule in rules for call in rule["names"]]
        return errno.ENOSYS if numbers(machine)[name] > max(named) else errno.EPERM
    assert len({rule["action"] for rule in matching}) == 1
    return matching[0].get("errnoRet")


def fits(rule: dict[str, Any], arguments: tuple[int, ...]) -> bool:  # JSON
    """Whether the arguments are those that a rule is for."""
    asked = rule.get("args", [])
    assert all(one["op"] == "SCMP_CMP_MASKED_EQ" for one in asked)
    assert len({one["index"] for one in asked}) == len(asked)  # runc makes alternatives of such
    padded = (*arguments, *[0] * (6 - len(arguments)))
    return all(padded[one["index"]] & one["value"] == one["valueTwo"] for one in asked)


@cache
def numbers(machine: str) -> dict[str, int]:
    """The kernel's numbers of all calls."""
    header = HEADERS[machine]
    if not header.is_file():
        pytest.skip(f"no {header.name}: the headers of the kernel are not installed")
    found = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text())
    known = {name: int(number) for name, number in found} | LATER
    aliases = {new: known[old] for new, old in IN_64_BITS.items() if new not in known}
    return known | aliases


def named() -> list[Call]:
    """Every call of the table, as often as it stands there."""
    found = [*ALLOWED, *(call for _, calls in ANSWERED for call in calls), FSTATFS, SYSINFO]
    return found + [one.call for one in conditions(0)]


def test_the_numbers_are_those_of_the_kernel() -> None:
    """Each name in the table has the number that the kernel's headers give it."""
    assert len(named()) > 200
    for machine in MACHINES:
        real = numbers(machine)
        for call in named():
            assert getattr(call, machine) == real.get(call.name, -1), (call, machine)


def test_a_call_stands_in_one_place() -> None:
    """In Docker a call that is allowed whole would hide that it is allowed in part only."""
    counted = Counter(call.name for call in named())

    assert {name for name, count in counted.items() if count > 1} == set()


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("name", re.findall(r"\w+", _REFUSED))
def test_what_reaches_beyond_a_bot_is_refused(machine: str, name: str) -> None:
    """In both forms, whatever the arguments; where a call may be missing, as if it were."""
    number = numbers(machine).get(name)
    if number is None:
        return  # there is no such call on this machine
    expected = errno.EPERM if number < NEWER else errno.ENOSYS

    for answer in (by_program, by_profile):
        assert answer(machine, Filter(), name) == expected
        assert answer(machine, Filter(), name, *[0xFFFFFFFF] * 6) == expected


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("name", "arguments", "error"),
    [
        ("read", (), None),
        ("futex", (), None),
        ("execve", (), None),
        ("fadvise64", (3, 0, 0, 4), 0),
        ("flock", (3, 2), 0),
        ("fsync", (3,), 0),
        ("sync", (), 0),
        ("preadv2", (), errno.ENOSYS),
        ("pwritev2", (), errno.ENOSYS),
        ("fsetxattr", (), errno.EOPNOTSUPP),
        ("utimensat", (), 0),
        ("setsid", (), 0),
        ("pidfd_open", (), errno.ENOSYS),
        ("pidfd_send_signal", (), errno.ENOSYS),
        ("clone", (0x1211,), errno.EPERM),  # with a descriptor of the process
        ("getsockopt", (3, 1, 4), None),  # SO_ERROR
        ("getsockopt", (3, 1, 57), errno.EPERM),  # SO_COOKIE
        ("getsockopt", (3, 1, 71), errno.EPERM),  # SO_NETNS_COOKIE
        ("getsockopt", (3, 1, 77), errno.EPERM),  # SO_PEERPIDFD
        ("setsockopt", (3, 1, 2), None),  # SO_REUSEADDR
        ("setsockopt", (3, 1, 26), errno.EPERM),  # SO_ATTACH_FILTER
        ("setsockopt", (3, 1, 76), errno.EPERM),  # SO_PASSPIDFD
        ("clone", (0x1200011,), None),  # as fork does it
        ("clone", (0x3D0F00,), None),  # as threads do it
        ("clone", (0x3D0B00,), errno.EPERM),  # a thread with descriptors of its own
        ("clone", (0x4111,), None),  # a process as vfork makes it
        ("clone", (0x511,), errno.EPERM),  # one that shares descriptors with its maker
        ("kill", (1, 9), None),
        ("kill", ((1 << 22) - 1, 0), None),  # the highest that there is
        ("kill", (1 << 22, 0), errno.EPERM),
        ("kill", ((1 << 30) + 1, 0), errno.EPERM),
        ("kill", ((1 << 32) + 1, 9), None),  # the kernel takes 32 bits
        ("kill", (1 << 32, 9), errno.EPERM),
        ("kill", (0, 9), errno.EPERM),  # its group: the kernel goes through it, with a lock
        ("kill", (0xFFFFFFFF_FFFFFFFF, 9), errno.EPERM),  # all: through those of the machine
        ("kill", (0xFFFFFFFF, 0), errno.EPERM),
        ("kill", (0xFFFFFFFF_FFFFFFFE, 9), errno.EPERM),  # a group
        ("kill", (-(1 << 22) & ALL_BITS, 9), errno.EPERM),
        ("kill", (-12345 & ALL_BITS, 9), errno.EPERM),
        ("ppoll", (0, 31), None),
        ("ppoll", (0, 32), errno.EPERM),  # more than a bot has to wait for
        ("pselect6", (31,), None),
        ("pselect6", (32,), errno.EPERM),
        ("close_range", (3, 4, 4), None),  # closes them when another program begins
        ("close_range", (3, 4, 2), errno.EPERM),  # likewise with descriptors of its own
        ("clone", (0x10000000,), errno.EPERM),  # with a user namespace
        ("clone", (0x00020000,), errno.EPERM),  # with mounts of its own
        ("socket", (1, 1), None),  # AF_UNIX
        ("socket", (2, 1), errno.EPERM),  # AF_INET
        ("socket", (16, 3), errno.EPERM),  # AF_NETLINK
        ("socket", (40, 1), errno.EPERM),  # AF_VSOCK
        ("socketpair", (1, 1), None),
        ("socketpair", (30, 1), errno.EPERM),  # AF_TIPC
        ("ioctl", (0, 0x5412), errno.EPERM),  # TIOCSTI
        ("ioctl", (0, 0x80045430), errno.EPERM),  # TIOCGPTN
        ("ioctl", (0, 0x541B), None),  # FIONREAD
        ("ioctl", (0, 0xFFFFFFFF_802C542A), None),  # TCGETS2, with its sign
        ("personality", (0xFFFFFFFF,), None),
        ("personality", (0x0040000,), errno.EPERM),
        ("fcntl", (0, 3), None),  # F_GETFL
        ("fcntl", (0, 4, 0x800), None),  # F_SETFL, O_NONBLOCK
        ("fcntl", (0, 4, 0x2800), errno.EPERM),  # with O_ASYNC
        ("fcntl", (0, 1031), errno.EPERM),  # F_SETPIPE_SZ
        ("mmap", (0, 4096, 3, 0x22), None),
        ("mmap", (0, 4096, 3, 0x40022), errno.EPERM),  # MAP_HUGETLB
        ("mmap", (0, 4096, 1, 0x2002), errno.EPERM),  # MAP_LOCKED
        ("timerfd_create", (1, 0), errno.ENOSYS),
        ("signalfd4", (3, 0, 8, 0), errno.ENOSYS),
        ("set_robust_list", (0, 24), errno.ENOSYS),
        ("memfd_create", (0, 1), None),
        ("memfd_create", (0, 5), errno.EPERM),  # MFD_HUGETLB
        ("madvise", (0, 4096, 4), None),  # MADV_DONTNEED, of its own mapping
        ("madvise", (0, 4096, 8), None),  # MADV_FREE
        ("sched_setscheduler", (0, 0), None),  # SCHED_OTHER
        ("sched_setscheduler", (0, 1), errno.EPERM),  # SCHED_FIFO
        ("membarrier", (8,), None),  # MEMBARRIER_CMD_PRIVATE_EXPEDITED
        ("membarrier", (1,), errno.EPERM),  # MEMBARRIER_CMD_GLOBAL
        ("prctl", (15,), None),  # PR_SET_NAME
        ("prctl", (22,), None),  # PR_SET_SECCOMP: the launcher takes it from the bot
        ("landlock_create_ruleset", (), None),  # likewise
        ("landlock_restrict_self", (), None),
        ("prctl", (0x53564D41,), errno.EPERM),  # PR_SET_VMA: names are memory of the kernel
    ],
)
def test_what_bots_need_is_allowed(
    machine: str, name: str, arguments: tuple[int, ...], error: int | None
) -> None:
    """Nothing more; in both forms and on both machines alike."""
    assert by_program(machine, Filter(), name, *arguments) == error
    assert by_profile(machine, Filter(), name, *arguments) == error


@pytest.mark.parametrize("machine", MACHINES)
def test_the_page_cache_cannot_be_set_nor_read_nor_evicted(machine: str) -> None:
    """By no advice, and by no way past it, when a file is opened or later."""
    kinds = (*EVICTING.values(), *READING.values(), *MERGING.values())
    asked: list[tuple[str, tuple[int, ...]]]
    asked = [("madvise", (0, 4096, kind)) for kind in kinds]
    asked += [
        ("openat", (0, 0, O_DIRECT[machine])),
        ("fcntl", (3, 4, O_DIRECT[machine])),
        ("fcntl", (3, 4, 0x800 | O_DIRECT[machine])),
    ]
    if machine == "x86_64":
        asked.append(("open", (0, O_DIRECT[machine])))
    for name, arguments in asked:
        for answer in (by_program, by_profile):
            assert answer(machine, Filter(), name, *arguments) == errno.EPERM, (name, arguments)
    assert by_program(machine, Filter(), "openat", 0, 0, 0o2000000) is None  # O_CLOEXEC


@pytest.mark.parametrize("machine", MACHINES)
def test_locks_are_not_had(machine: str) -> None:
    """They are memory of the kernel that nothing counts, and others can see them."""
    for answer in (by_program, by_profile):
        for command in RECORD_LOCKS:
            assert answer(machine, Filter(), "fcntl", 3, command) == 0, command
        for command in (*QUESTIONS_ABOUT_LOCKS, *LEASES_AND_NOTIFICATIONS):
            assert answer(machine, Filter(), "fcntl", 3, command) == errno.EPERM, command


def test_every_number_has_its_verdict() -> None:
    """What is not in the table is refused: old calls plainly, calls to come as not there."""
    code, allowed = program(Filter(), "x86_64"), {call.x86_64 for call in ALLOWED}
    others = {call.x86_64 for call in named()} - allowed
    for number in [*range(-1, 1024), *range(0x40000000, 0x40000000 + 600)]:
        found, _ = verdict(code, ARCHITECTURES["x86_64"], number)
        if number in allowed:
            assert found == ALLOW
        elif number not in others:
            unknown = errno.EPERM if 0 <= number < NEWER else errno.ENOSYS
            assert found == 0x00050000 | unknown, number


def test_another_architecture_is_the_end() -> None:
    """The old way into the kernel, by which numbers mean other calls, kills."""
    assert verdict(program(Filter(), "x86_64"), 0x40000003, 0)[0] == KILL
    assert verdict(program(Filter(), "aarch64"), ARCHITECTURES["x86_64"], 0)[0] == KILL
    with pytest.raises(UnknownMachine):
        program(Filter(), "riscv64")
    with pytest.raises(UnknownMachine):
        docker_profile(Filter(), "riscv64")


def test_memory_files_can_be_taken_away() -> None:
    """Where nothing counts what is in them."""
    for answer in (by_program, by_profile):
        assert answer("x86_64", Filter(), "memfd_create") is None
        assert answer("x86_64", Filter(unmapped=False), "memfd_create") == errno.ENOSYS


def test_memory_that_no_process_maps_can_be_taken_away() -> None:
    """Anonymous memory to be shared, by both words for it; files and memory of one's own stay."""
    shared, private, validated, anonymous, huge = 1, 2, 3, 0x20, 0x40000
    for answer in (by_program, by_profile):
        for machine in ARCHITECTURES:
            for flags in (shared, private, validated, private | anonymous):
                mapped = (machine, Filter(unmapped=False), "mmap", 0, 4096, 3, flags)
                assert answer(*mapped) is None
            for flags in (shared | anonymous, validated | anonymous, private | huge):
                mapped = (machine, Filter(unmapped=False), "mmap", 0, 4096, 3, flags)
                assert answer(*mapped) == errno.EPERM
            mapped = (machine, Filter(), "mmap", 0, 4096, 3, shared | anonymous)
            assert answer(*mapped) is None


def test_only_builds_may_ask_for_the_memory_of_the_machine() -> None:
    """Compilers size themselves by it, and a build knows no cards."""
    for answer in (by_program, by_profile):
        assert answer("x86_64", Filter(), "sysinfo") == errno.EPERM
        assert answer("x86_64", Filter(sysinfo=True), "sysinfo") is None


def test_only_docker_may_ask_how_full_a_file_system_is() -> None:
    """Its runtime does so in the bot's place when the filter is already in force."""
    assert by_program("x86_64", Filter(), "fstatfs") == errno.EPERM
    assert by_profile("x86_64", Filter(), "fstatfs") is None


def test_a_call_is_judged_in_few_steps() -> None:
    """The longest way through the program takes no longer than an old list of refusals did."""
    for machine in MACHINES:
        code = program(Filter(), machine)
        steps = [verdict(code, ARCHITECTURES[machine], number)[1] for number in range(500)]
        assert max(steps) <= 32
        assert sum(steps) / len(steps) <= 16

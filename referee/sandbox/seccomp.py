"""System calls that no bot needs: one table, for bubblewrap as a program, for Docker as JSON.

A deny list, beside namespaces, no capabilities and no new privileges. What it is for: a bot that
traces its own init can keep the sandbox from ending; io_uring, keyrings and vsock reach past the
namespaces; a bot that chooses its core steals another's.
"""

import errno
import json
import platform
import struct
from typing import Any, Final

from msgspec import Struct

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32: Final = 0x40000000
_AF_UNIX: Final = 1

NEW_NAMESPACES: Final = 0x7E020000
"""The flags of clone(2) that make namespaces: mounts, cgroups, uts, ipc, users, pids, network."""

_PERM = errno.EPERM
_DENIED: Final[dict[str, tuple[int, int, int]]] = {
    # name: number on x86_64, number on aarch64 (-1 where there is none), what it returns
    "acct": (163, 89, _PERM),
    "add_key": (248, 217, _PERM),
    "adjtimex": (159, 171, _PERM),
    "bpf": (321, 280, _PERM),
    "chroot": (161, 51, _PERM),
    "clock_adjtime": (305, 266, _PERM),
    "clock_settime": (227, 112, _PERM),
    "clone3": (435, 435, errno.ENOSYS),  # its flags are out of a filter's sight; libc takes clone
    "delete_module": (176, 106, _PERM),
    "fanotify_init": (300, 262, _PERM),
    "finit_module": (313, 273, _PERM),
    "fsconfig": (431, 431, _PERM),
    "fsmount": (432, 432, _PERM),
    "fsopen": (430, 430, _PERM),
    "fspick": (433, 433, _PERM),
    "init_module": (175, 105, _PERM),
    "inotify_add_watch": (254, 27, _PERM),  # tells what other bots open in what all can read
    "inotify_init": (253, -1, _PERM),
    "inotify_init1": (294, 26, _PERM),
    "io_uring_enter": (426, 426, errno.ENOSYS),
    "io_uring_register": (427, 427, errno.ENOSYS),
    "io_uring_setup": (425, 425, errno.ENOSYS),
    "ioperm": (173, -1, _PERM),
    "iopl": (172, -1, _PERM),
    "kcmp": (312, 272, _PERM),
    "kexec_file_load": (320, 294, _PERM),
    "kexec_load": (246, 104, _PERM),
    "keyctl": (250, 219, _PERM),
    "lookup_dcookie": (212, 18, _PERM),
    "mbind": (237, 235, _PERM),
    "memfd_secret": (447, 447, _PERM),
    "migrate_pages": (256, 238, _PERM),
    "mount": (165, 40, _PERM),
    "mount_setattr": (442, 442, _PERM),
    "move_mount": (429, 429, _PERM),
    "move_pages": (279, 239, _PERM),
    "name_to_handle_at": (303, 264, _PERM),
    "open_by_handle_at": (304, 265, _PERM),
    "open_tree": (428, 428, _PERM),
    "perf_event_open": (298, 241, _PERM),
    "pidfd_getfd": (438, 438, _PERM),
    "pivot_root": (155, 41, _PERM),
    "process_vm_readv": (310, 270, _PERM),
    "process_vm_writev": (311, 271, _PERM),
    "ptrace": (101, 117, _PERM),
    "quotactl": (179, 60, _PERM),
    "quotactl_fd": (443, 443, _PERM),
    "reboot": (169, 142, _PERM),
    "request_key": (249, 218, _PERM),
    "sched_setaffinity": (203, 122, _PERM),
    "set_mempolicy": (238, 237, _PERM),
    "set_mempolicy_home_node": (450, 450, _PERM),
    "setdomainname": (171, 162, _PERM),
    "sethostname": (170, 161, _PERM),
    "setns": (308, 268, _PERM),
    "settimeofday": (164, 170, _PERM),
    "swapoff": (168, 225, _PERM),
    "swapon": (167, 224, _PERM),
    "syslog": (103, 116, _PERM),
    "umount2": (166, 39, _PERM),
    "unshare": (272, 97, _PERM),
    "userfaultfd": (323, 282, _PERM),
    "vhangup": (153, 58, _PERM),
}


class Condition(Struct, frozen=True):
    """A call that is allowed only with some arguments.

    Attributes:
        numbers: on x86_64 and on aarch64.
        argument: which one is looked at, from 0; its lower 32 bits.
        allowed: it must be this, if there is one (Docker cannot say "one of these").
        denied: it must be none of these.
        bits: it must have none of these bits.
        error: what a forbidden call returns.
    """

    name: str
    numbers: tuple[int, int]
    argument: int
    error: int
    allowed: int | None = None
    denied: tuple[int, ...] = ()
    bits: int = 0


_CONDITIONS: Final = (
    Condition("clone", (56, 220), 0, _PERM, bits=NEW_NAMESPACES),
    Condition("socket", (41, 198), 0, errno.EAFNOSUPPORT, allowed=_AF_UNIX),
    Condition("ioctl", (16, 29), 1, _PERM, denied=(0x5412, 0x541C)),  # TIOCSTI, TIOCLINUX
    Condition("personality", (135, 92), 0, _PERM, allowed=0),
)
_LOCKS: Final = Condition(
    "fcntl", (72, 25), 1, errno.ENOLCK, denied=(6, 7, 37, 38, 1024, 1026)
)  # record locks, open-file locks, leases, notifications
_FLOCK: Final = ("flock", (73, 32), errno.ENOLCK)
_MEMFD: Final = ("memfd_create", (319, 279), errno.ENOSYS)


class Filter(Struct, frozen=True):
    """What may vary.

    Attributes:
        locks: whether files may be locked. Bots could signal to each other by locks on shared
            files of the system, but the Java machine warns on stdout where it cannot lock.
        memfd: whether memory may be had as a file; not where nothing counts such memory.
    """

    locks: bool = True
    memfd: bool = True


class UnknownMachine(Exception):
    """There is no table for this kind of processor."""


def _column(machine: str) -> int:
    try:
        return ("x86_64", "aarch64").index(machine)
    except ValueError:
        raise UnknownMachine(machine) from None


def _denied(filter_: Filter, column: int) -> list[tuple[str, int, int]]:
    """Name, number and error of every call that is refused whatever its arguments."""
    rows = [(name, row[column], row[2]) for name, row in _DENIED.items()]
    for allowed, (name, numbers, error) in ((filter_.locks, _FLOCK), (filter_.memfd, _MEMFD)):
        if not allowed:
            rows.append((name, numbers[column], error))
    return [row for row in rows if row[1] >= 0]


def _conditions(filter_: Filter) -> tuple[Condition, ...]:
    return _CONDITIONS if filter_.locks else (*_CONDITIONS, _LOCKS)


_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand


def program(filter_: Filter, machine: str = "") -> bytes:
    """The filter as classic BPF, as `bwrap --seccomp` reads it.

    Raises:
        UnknownMachine: there is no table for this processor.
    """
    column = _column(machine or platform.machine())
    native = (0xC000003E, 0xC00000B7)[column]
    code: list[_Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, native),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if column == 0:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, _ERRNO | errno.ENOSYS)]
    for _, number, error in _denied(filter_, column):
        code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, _ERRNO | error)]
    for condition in _conditions(filter_):
        body = _body(condition)
        code += [(_EQUAL, 0, len(body), condition.numbers[column]), *body]
    code.append((_RETURN, 0, 0, _ALLOW))
    return b"".join(struct.pack("<HBBI", *one) for one in code)


def _body(condition: Condition) -> list[_Instruction]:
    """The look at an argument; every way through it returns."""
    deny, allow = (_RETURN, 0, 0, _ERRNO | condition.error), (_RETURN, 0, 0, _ALLOW)
    code: list[_Instruction] = [(_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * condition.argument)]
    for value in condition.denied:
        code += [(_EQUAL, 0, 1, value), deny]
    if condition.bits:
        code += [(_ANY_BIT, 0, 1, condition.bits), deny]
    if condition.allowed is not None:
        return [*code, (_EQUAL, 0, 1, condition.allowed), allow, deny]
    return [*code, allow]


def docker_profile(filter_: Filter) -> str:
    """The filter as Docker's `--security-opt seccomp=` takes it."""
    column = _column(platform.machine())
    rules: list[dict[str, Any]] = []  # JSON
    for name, _, error in _denied(filter_, column):
        rules.append({"names": [name], "action": "SCMP_ACT_ERRNO", "errnoRet": error})
    for condition in _conditions(filter_):
        rules += _docker_rules(condition)
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ALLOW",
            "architectures": [("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")[column]],
            "syscalls": rules,
        }
    )


def _docker_rules(condition: Condition) -> list[dict[str, Any]]:  # JSON
    """Rules of one call are alternatives: a call that meets any of them is refused."""

    def refuse(*arguments: dict[str, Any]) -> dict[str, Any]:  # JSON
        return {
            "names": [condition.name],
            "action": "SCMP_ACT_ERRNO",
            "errnoRet": condition.error,
            "args": list(arguments),
        }

    def argument(operation: str, value: int, second: int = 0) -> dict[str, Any]:  # JSON
        return {
            "index": condition.argument,
            "op": operation,
            "value": value,
            "valueTwo": second,
        }

    found = [refuse(argument("SCMP_CMP_EQ", value)) for value in condition.denied]
    if condition.allowed is not None:
        found.append(refuse(argument("SCMP_CMP_NE", condition.allowed)))
    bits = (1 << place for place in range(32))
    return found + [
        refuse(argument("SCMP_CMP_MASKED_EQ", bit, bit)) for bit in bits if condition.bits & bit
    ]

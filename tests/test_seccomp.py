"""The table of system calls: its numbers are the kernel's, and its two forms say the same."""

import errno
import json
import re
import struct
from pathlib import Path

import pytest

from referee.sandbox import seccomp
from referee.sandbox.seccomp import Filter, UnknownMachine, docker_profile, program

HEADERS = {
    0: Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
    1: Path("/usr/include/asm-generic/unistd.h"),
}
X86_64, AARCH64 = 0xC000003E, 0xC00000B7
ALLOWED, KILLED = 0x7FFF0000, 0x80000000


def verdict(code: bytes, architecture: int, number: int, *arguments: int) -> int:
    """Runs a filter, as the kernel would, on one call."""
    data = struct.pack("<iIQ6Q", number, architecture, 0, *arguments, *[0] * (6 - len(arguments)))
    program_ = [struct.unpack_from("<HBBI", code, at) for at in range(0, len(code), 8)]
    value = at = 0
    while True:
        operation, yes, no, operand = program_[at]
        at += 1
        match operation:
            case 0x20:
                (value,) = struct.unpack_from("<I", data, operand)
            case 0x06:
                return int(operand)
            case 0x15:
                at += yes if value == operand else no
            case 0x35:
                at += yes if value >= operand else no
            case 0x45:
                at += yes if value & operand else no
            case other:
                raise AssertionError(other)


def refused(error: int) -> int:
    return 0x00050000 | error


@pytest.mark.parametrize("column", [0, 1])
def test_the_numbers_are_those_of_the_kernel(column: int) -> None:
    """Each name in the table has the number that the kernel's header gives it."""
    header = HEADERS[column]
    if not header.is_file():
        pytest.skip(f"no {header.name}: the headers of the kernel are not installed")
    real = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", header.read_text()))
    rows = {name: numbers[column] for name, (*numbers, _) in seccomp._DENIED.items()}
    rows |= {one.name: one.numbers[column] for one in (*seccomp._CONDITIONS, seccomp._LOCKS)}
    rows |= {name: numbers[column] for name, numbers, _ in (seccomp._FLOCK, seccomp._MEMFD)}

    assert len(rows) > 60
    for name, number in rows.items():
        if name in real:
            assert int(real[name]) == number, name


@pytest.mark.parametrize(
    ("number", "arguments", "expected"),
    [
        (0, (), ALLOWED),  # read
        (101, (16, 1), refused(errno.EPERM)),  # ptrace
        (435, (), refused(errno.ENOSYS)),  # clone3
        (425, (), refused(errno.ENOSYS)),  # io_uring_setup
        (203, (), refused(errno.EPERM)),  # sched_setaffinity
        (56, (0x1200011,), ALLOWED),  # clone, as fork does it
        (56, (0x3D0F00,), ALLOWED),  # clone, as threads do it
        (56, (0x10000000,), refused(errno.EPERM)),  # clone with a user namespace
        (56, (0x00020000,), refused(errno.EPERM)),  # ... with mounts of its own
        (41, (1, 1), ALLOWED),  # socket(AF_UNIX)
        (41, (2, 1), refused(errno.EAFNOSUPPORT)),  # socket(AF_INET)
        (41, (40, 1), refused(errno.EAFNOSUPPORT)),  # socket(AF_VSOCK)
        (16, (0, 0x5412), refused(errno.EPERM)),  # ioctl(TIOCSTI)
        (16, (0, 0x541B), ALLOWED),  # ioctl(FIONREAD)
        (135, (0,), ALLOWED),  # personality
        (135, (0x0040000,), refused(errno.EPERM)),
        (0x40000000, (), refused(errno.ENOSYS)),  # the x32 way to read
    ],
)
def test_the_program_says_what_it_should(
    number: int, arguments: tuple[int, ...], expected: int
) -> None:
    """Calls that bots need pass; those that reach out of the sandbox fail as if they were not."""
    assert verdict(program(Filter(), "x86_64"), X86_64, number, *arguments) == expected


def test_another_architecture_is_the_end() -> None:
    """The old way into the kernel, by which numbers mean other calls, kills."""
    assert verdict(program(Filter(), "x86_64"), 0x40000003, 0) == KILLED
    assert verdict(program(Filter(), "aarch64"), X86_64, 0) == KILLED
    assert verdict(program(Filter(), "aarch64"), AARCH64, 117) == refused(errno.EPERM)
    with pytest.raises(UnknownMachine):
        program(Filter(), "riscv64")


def test_locks_and_memory_files_can_be_taken_away() -> None:
    """By the organiser, where bots could talk by locks; where nothing counts memory files."""
    lenient, strict = program(Filter(), "x86_64"), program(Filter(False, False), "x86_64")
    for number, arguments, error in (
        (73, (), errno.ENOLCK),
        (72, (0, 6), errno.ENOLCK),
        (319, (), errno.ENOSYS),
    ):
        assert verdict(lenient, X86_64, number, *arguments) == ALLOWED
        assert verdict(strict, X86_64, number, *arguments) == refused(error)
    assert verdict(strict, X86_64, 72, 0, 3) == ALLOWED  # fcntl(F_GETFL)


def test_docker_is_told_the_same() -> None:
    """Every call that the program refuses is named in the profile, with the same error."""
    profile = json.loads(docker_profile(Filter()))
    named = {name: rule for rule in profile["syscalls"] for name in rule["names"]}

    assert profile["defaultAction"] == "SCMP_ACT_ALLOW"
    for name, (*_, error) in seccomp._DENIED.items():
        if name in named:
            assert named[name]["errnoRet"] == error
    assert {"ptrace", "clone3", "clone", "socket", "ioctl", "personality", "bpf"} <= set(named)
    flags = [rule["args"][0]["value"] for rule in profile["syscalls"] if rule["names"] == ["clone"]]
    assert sum(flags) == seccomp.NEW_NAMESPACES

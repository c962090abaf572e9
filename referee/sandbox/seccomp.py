"""The filter of system calls: one table, for bubblewrap as a program, for Docker as JSON. Pure.

An allow list, beside namespaces, no capabilities and no new privileges. What it is for: a bot that
sees or evicts pages of the page cache, or leaves objects in the kernel, remembers across its own
end; a bot that traces its own init can keep the sandbox from ending; io_uring, keyrings and vsock
reach past the namespaces; a bot that chooses its core steals another's.
"""

import errno
import json
import platform
import struct
from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from referee.sandbox.system_calls import (
    ALL_BITS,
    ALLOWED,
    ANSWERED,
    FSTATFS,
    MEMFD,
    NEWER,
    SYSINFO,
    UNSHARED_MMAP,
    Alternative,
    Call,
    Condition,
    Positive,
    Test,
    conditions,
)

_LOAD, _AND, _RETURN, _JUMP = 0x20, 0x54, 0x06, 0x05
_EQUAL, _AT_LEAST = 0x15, 0x35
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X32: Final = 0x40000000
_FARTHEST: Final = 255
"""How many instructions a conditional jump may skip."""


class Filter(Struct, frozen=True):
    """What may vary.

    Attributes:
        unmapped: whether memory may be had that stays when no process maps it (memory as a file,
            mappings to be shared); not where only what processes have is counted.
        sysinfo: whether the machine's memory may be asked for: only by builds, since libc has
            rubbish for an answer where the call is refused, and compilers size themselves by it.
    """

    unmapped: bool = True
    sysinfo: bool = False


class UnknownMachine(Exception):
    """There is no table for this kind of processor."""


def _column(machine: str) -> int:
    try:
        return ("x86_64", "aarch64").index(machine)
    except ValueError:
        raise UnknownMachine(machine) from None


def _allowed(filter_: Filter, column: int) -> tuple[Call, ...]:
    """The calls that are allowed whatever their arguments are."""
    return _known((*ALLOWED, *([SYSINFO] if filter_.sysinfo else [])), column)


def _answered(filter_: Filter, column: int) -> list[tuple[int, tuple[Call, ...]]]:
    """The calls that return at once without being made, by the error that they return; 0: none."""
    withheld = () if filter_.unmapped else ((errno.ENOSYS, (MEMFD,)),)
    return [(error, _known(calls, column)) for error, calls in (*ANSWERED, *withheld)]


def _conditions(filter_: Filter, column: int) -> list[Condition]:
    found = {condition.call: condition for condition in conditions(column)}
    if not filter_.unmapped:
        found.pop(MEMFD, None)
        if UNSHARED_MMAP.call in found:
            found[UNSHARED_MMAP.call] = UNSHARED_MMAP
    return [condition for call, condition in found.items() if _known((call,), column)]


def _known(calls: Sequence[Call], column: int) -> tuple[Call, ...]:
    return tuple(call for call in calls if _number(call, column) >= 0)


def _number(call: Call, column: int) -> int:
    return (call.x86_64, call.aarch64)[column]


_Instruction = tuple[int, int, int, int]  # code, jump if true, jump if false, operand
_Code = tuple[_Instruction, ...]


def program(filter_: Filter, machine: str = "") -> bytes:
    """The filter as classic BPF, as `bwrap --seccomp` reads it.

    Raises:
        UnknownMachine: there is no table for this processor.
    """
    column = _column(machine or platform.machine())
    native = (0xC000003E, 0xC00000B7)[column]
    code = (
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, native),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_tree(_ranges(filter_, column)),
    )
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def _ranges(filter_: Filter, column: int) -> list[tuple[int, _Code]]:
    """What is done from which number on; the last range has the numbers of the x32 way in, too."""
    verdicts: dict[int, _Code] = {}
    for call in _allowed(filter_, column):
        verdicts[_number(call, column)] = ((_RETURN, 0, 0, _ALLOW),)
    for error, calls in _answered(filter_, column):
        for call in calls:
            verdicts[_number(call, column)] = _refusal(error)
    for condition in _conditions(filter_, column):
        verdicts[_number(condition.call, column)] = _body(condition)
    found: list[tuple[int, _Code]] = []
    for number in range(max(NEWER, *verdicts) + 2):
        other = _refusal(errno.EPERM if number < NEWER else errno.ENOSYS)
        verdict = verdicts.get(number, other)
        if not found or found[-1][1] != verdict:
            found.append((number, verdict))
    return found


def _refusal(error: int) -> _Code:
    return ((_RETURN, 0, 0, _ERRNO | error),)


def _tree(ranges: Sequence[tuple[int, _Code]]) -> _Code:
    """A search by halves for the range of a number; every way through it returns."""
    if len(ranges) == 1:
        return ranges[0][1]
    middle = len(ranges) // 2
    below, above = _tree(ranges[:middle]), _tree(ranges[middle:])
    start = ranges[middle][0]
    if len(below) <= _FARTHEST:
        return ((_AT_LEAST, len(below), 0, start), *below, *above)
    return ((_AT_LEAST, 0, 1, start), (_JUMP, 0, 0, len(below)), *below, *above)


def _positive(test: Positive, verdict: int) -> _Code:
    """Look at a number; with any other, the program goes on behind this."""
    return (
        (_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * test.argument),
        (_AT_LEAST, 0, 2, 1),
        (_AT_LEAST, 1, 0, 1 << test.bits),
        (_RETURN, 0, 0, verdict),
    )


def _body(condition: Condition) -> _Code:
    """The look at arguments; every way through it returns."""
    outcomes = [(tests, _ALLOW) for tests in condition.allowed]
    outcomes += [(tests, _ERRNO) for tests in condition.ignored]
    code: list[_Instruction] = []
    loaded = -1  # the argument that is loaded whole when an alternative begins
    for tests, verdict in outcomes:
        if isinstance(tests, Positive):
            code += _positive(tests, verdict)
            loaded = -1
            continue
        block: list[_Instruction] = []
        for place, test in enumerate(tests):
            if place or test.argument != loaded:
                block.append((_LOAD, 0, 0, _FIRST_ARGUMENT + 8 * test.argument))
            if test.mask != ALL_BITS:
                block.append((_AND, 0, 0, test.mask))
            block.append((_EQUAL, 0, 0, test.value))  # where to jump is filled in below
        block.append((_RETURN, 0, 0, verdict))
        code += [
            (operation, 0, len(block) - 1 - at if operation == _EQUAL else 0, operand)
            for at, (operation, _, _, operand) in enumerate(block)
        ]
        alone = len(tests) == 1 and tests[0].mask == ALL_BITS
        loaded = tests[0].argument if alone else -1
    return (*code, *_refusal(errno.EPERM))


def docker_profile(filter_: Filter, machine: str = "") -> str:
    """The filter as Docker's `--security-opt seccomp=` takes it.

    Docker has EPERM for what is not named, but ENOSYS where a call is newer than all of those.

    Raises:
        UnknownMachine: there is no table for this processor.
    """
    column = _column(machine or platform.machine())
    names = [call.name for call in (*_allowed(filter_, column), FSTATFS)]
    rules: list[dict[str, Any]] = [{"names": names, "action": "SCMP_ACT_ALLOW"}]  # JSON
    for error, calls in _answered(filter_, column):
        names = [call.name for call in calls]
        rules.append({"names": names, "action": "SCMP_ACT_ERRNO", "errnoRet": error})
    for condition in _conditions(filter_, column):
        rules += _docker_rules(condition)
    return json.dumps(
        {
            "defaultAction": "SCMP_ACT_ERRNO",
            "architectures": [("SCMP_ARCH_X86_64", "SCMP_ARCH_AARCH64")[column]],
            "syscalls": rules,
        }
    )


def _docker_rules(condition: Condition) -> list[dict[str, Any]]:  # JSON
    """Rules of one call are alternatives; what a rule asks of arguments must all be so."""
    allow: dict[str, Any] = {"action": "SCMP_ACT_ALLOW"}  # JSON
    ignore: dict[str, Any] = {"action": "SCMP_ACT_ERRNO", "errnoRet": 0}  # JSON
    outcomes = [(one, allow) for one in condition.allowed]
    outcomes += [(one, ignore) for one in condition.ignored]
    masked = [(tests, outcome) for one, outcome in outcomes for tests in _masked(one)]
    return [
        {
            "names": [condition.call.name],
            **outcome,
            "args": [
                {
                    "index": test.argument,
                    "op": "SCMP_CMP_MASKED_EQ",
                    "value": test.mask,
                    "valueTwo": test.value,
                }
                for test in tests
            ],
        }
        for tests, outcome in masked
    ]


def _masked(alternative: Alternative) -> Iterator[tuple[Test, ...]]:
    """Yield alternatives of tests alone, the one kind that Docker has for 32 bits."""
    if not isinstance(alternative, Positive):
        yield alternative
        return
    argument, bits = alternative
    higher = ALL_BITS ^ ((1 << bits) - 1)
    for bit in range(bits):
        yield (Test(argument, higher | 1 << bit, 1 << bit),)

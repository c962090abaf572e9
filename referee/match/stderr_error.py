"""Which part of what a bot wrote to stderr says what went wrong. Pure.

The last line seldom does: a stack follows the error in most languages, a version or a hint in
others. Forms are those of the languages' own programs, as they print an error that ends them.
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

_LONGEST: Final = 200
"""Characters of an error that are shown."""

_NEAR: Final = 40
"""Lines in which the place of an error is looked for."""

_MOST_LINES, _LONGEST_LINE = 400, 500
"""What is looked at: a bot may have written anything."""

Lines = Sequence[str]
Reader = Callable[[Lines, int], str]
"""Returns the error that a line begins, and where it was; "" if it begins none."""


def _form(error: str, place: str = "") -> Reader:
    """Return a reader of lines like `error`, whose place stands in it, or in a line after it.

    Args:
        error: a pattern with the group `error`, and perhaps `place`.
        place: a pattern of a later line, with a group for the place.
    """
    of_error, of_place = re.compile(error), re.compile(place) if place else None

    def read(lines: Lines, at: int) -> str:
        found = of_error.match(lines[at])
        if found is None:
            return ""
        where = found.groupdict().get("place")
        if of_place is not None:
            after = map(of_place.match, lines[at + 1 : at + _NEAR])
            where = next((one[1] for one in after if one), None)
        return found["error"] + (f" ({where})" if where else "")

    return read


_PYTHON_PLACE: Final = re.compile(r'\s+File "(.+)", line (\d+)')


def _python(lines: Lines, at: int) -> str:
    """Read the line that ends a traceback; the innermost frame stands before it."""
    if not re.match(r"[A-Za-z_][\w.]*(: |$)", lines[at]) or not lines[at - 1 : at]:
        return ""
    if not lines[at - 1].startswith("  "):
        return ""
    before = map(_PYTHON_PLACE.match, lines[max(at - _NEAR, 0) : at][::-1])
    found = next((one for one in before if one), None)
    return "" if found is None else f"{lines[at]} ({found[1]}:{found[2]})"


_RUST: Final = re.compile(r"thread '.*' (?:\(\d+\) )?panicked at ([^']\S*:\d+):\d+:$")
_CPP: Final = re.compile(r"terminate called after throwing an instance of '(.+)'")


def _rust(lines: Lines, at: int) -> str:
    """Read a panic, whose words stand on the next line."""
    found = _RUST.match(lines[at])
    return f"{lines[at + 1]} ({found[1]})" if found and lines[at + 1 : at + 2] else ""


def _cpp(lines: Lines, at: int) -> str:
    """Read an exception of C++ that was not caught, whose words stand on the next line."""
    found = _CPP.match(lines[at])
    if found is None:
        return ""
    said = lines[at + 1].strip().removeprefix("what():").strip() if lines[at + 1 : at + 2] else ""
    return f"{found[1]}: {said}" if said else found[1]


_NODE: Final = re.compile(
    r"(?:Uncaught )?(?P<error>(?:[A-Z]\w*)?(?:Error|Exception)(?: \[\w+\])?(?:: .*)?)$"
)
_NODE_FRAME: Final = re.compile(r"    at (?:.*[ (])?([^()\s]+?:\d+):\d+\)?(?: \{)?$")
_NODE_TOP: Final = re.compile(r"(?!node:)(\S+:\d+)$")
_NODE_BEFORE: Final = 6
"""Lines before an error, the first of which says where a program cannot be read."""


def _node(lines: Lines, at: int) -> str:
    """Read an error of node; its own files are not where the bot is wrong."""
    found = _NODE.match(lines[at])
    if found is None:
        return ""
    frames = [one[1] for one in map(_NODE_FRAME.match, lines[at + 1 : at + _NEAR]) if one]
    if not frames:
        return ""
    where = next((one for one in frames if not one.startswith("node:")), None)
    if where is None:
        before = map(_NODE_TOP.match, lines[max(at - _NODE_BEFORE, 0) : at])
        where = next((one[1] for one in before if one), None)
    return found["error"] + (f" ({where})" if where else "")


_READERS: Final[tuple[Reader, ...]] = (
    _python,
    _rust,
    _cpp,
    # Go; its own files are not where the bot is wrong
    _form(r"(?P<error>(?:panic|fatal error): .+)", r"\t((?!\S*/src/)\S+\.go:\d+)"),
    # Java: what a later line names as the cause is read after it
    _form(
        r'(?:Exception in thread "[^"]*"|Caused by:) (?P<error>\S.*)',
        r"\tat [^(]+\(([\w$]+\.\w+:\d+)\)",
    ),
    _node,
    # Rust before 1.73
    _form(r"thread '.*' panicked at '(?P<error>.+)', (?P<place>\S+:\d+):\d+"),
    # Ruby
    _form(r"(?P<place>\S+?:\d+):in [`'].*?': (?P<error>.+ \([\w:]+\))$"),
    # Lua
    _form(r"lua[\d.]*: (?:(?P<place>\S+:\d+): )?(?P<error>.+)"),
    # sanitizers, asserts
    _form(r"SUMMARY: \w+: (?P<error>\S+) (?P<place>\S+:\d+)"),
    _form(r"(?P<place>\S+?:\d+)(?::\d+)?: runtime error: (?P<error>.+)"),
    _form(r"\S+: (?P<place>\S+:\d+): .*: (?P<error>Assertion .+ failed\.)"),
    # C#, of .NET and of mono
    _form(r"(?:Unhandled exception\. )?(?P<error>System\.[\w.]+Exception: .+)"),
    # Perl
    _form(r"(?P<error>.+) at (?P<place>\S+ line \d+)(?:, <\w+> line \d+)?\.$"),
)


def error_of(stderr: str) -> str:
    """Return the error that ended a bot, with its place, as far as a person wants to see it.

    Args:
        stderr: its last words; where none of them has a form that is known, the last line is it.
    """
    written = stderr.splitlines()[-_MOST_LINES:]
    lines = [line[:_LONGEST_LINE].rstrip() for line in written if line.strip()]
    for at in range(len(lines) - 1, -1, -1):
        for read in _READERS:
            if found := read(lines, at):
                return found[:_LONGEST]
    return lines[-1].strip()[:_LONGEST] if lines else ""

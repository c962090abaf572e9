"""Whether this machine can run a file at all: found before play, not by a silent bot."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

from msgspec import Struct

from referee.bots.real_path import real_path

_ELF: Final = b"\x7fELF"
_MACHINES: Final = {
    3: "32-bit x86",
    40: "32-bit ARM",
    62: "x86_64",
    183: "aarch64",
    243: "RISC-V",
    21: "PowerPC",
    22: "s390x",
    8: "MIPS",
}


class View(Struct, frozen=True):
    """What a bot sees of this machine.

    Attributes:
        path: where it looks for programs, or None for our own PATH.
        roots: the folders that are there, or nothing for all.
    """

    path: str | None = None
    roots: tuple[str, ...] = ()

    def shows(self, name: str) -> bool:
        """Whether there is such a program."""
        return self.reaches(name) and _runs(name)

    def reaches(self, name: str) -> bool:
        """Whether a file is in a folder that is there, wherever the links in its name lead.

        Args:
            name: of no file if it is not a whole path: from where a bot looks is not known.
        """
        if not self.roots:
            return True
        if "\0" in name or not name.startswith("/"):
            return False
        try:
            real = real_path(Path(name))
        except OSError:
            return False
        return any(real.is_relative_to(os.path.realpath(root)) for root in self.roots)

    def finds(self, name: str) -> bool:
        """Whether a program of this name would be found."""
        if "/" in name:
            return self.shows(name)
        return shutil.which(name, path=self.path) is not None


def _runs(name: str) -> bool:
    """Whether we could run a program of this name, which may be anything."""
    return "\0" not in name and os.access(name, os.X_OK)


HERE: Final = View()
"""What a program sees that runs without a sandbox."""


def why_not(path: Path, view: View) -> str | None:
    """Why a file cannot be run, in words; None when nothing speaks against it.

    Raises:
        OSError: it cannot be read.
    """
    if not os.access(path, os.X_OK):
        return f"it is not executable (chmod +x {shlex.quote(path.name)})"
    with path.open("rb") as file:
        head = file.read(256)
    if head.startswith(_ELF):
        return _wrong_machine(head)
    if head.startswith(b"#!"):
        return _missing_interpreter(head[2:].split(b"\n")[0], view)
    if not head:
        return "it is empty"
    return (
        "its first line does not say what runs it, as #!/usr/bin/env python3 does, and it is no "
        "program of this machine"
    )


def _wrong_machine(head: bytes) -> str | None:
    with open(sys.executable, "rb") as own:
        ours = _machine_of(own.read(20))
    theirs = _machine_of(head)
    if theirs == ours:
        return None
    return f"it is a program for {_name(theirs)}; this machine is {_name(ours)}"


def _machine_of(head: bytes) -> int:
    return int.from_bytes(head[18:20], "little" if head[5:6] == b"\x01" else "big")


def _name(machine: int) -> str:
    return _MACHINES.get(machine, f"processor type {machine}")


def _missing_interpreter(line: bytes, view: View) -> str | None:
    if line.endswith(b"\r"):
        return (
            "its lines end in CRLF, as on Windows, so its #! line names no program: save it with LF"
        )
    words = line.decode(errors="replace").split()
    if not words:
        return "its #! line names no program"
    if os.path.basename(words[0]) == "env":
        named = [word for word in words[1:] if not word.startswith("-") and "=" not in word]
        if named and not view.finds(named[0]):
            where = "not installed in the sandbox" if view.roots else "not installed"
            return f"its #! line asks for {named[0]!r}, which is {where}"
    if not view.shows(words[0]):
        # the same words whether the machine has it: its files are none of an author's business
        where = "not in the sandbox" if view.roots else "not there"
        return f"its #! line asks for {words[0]!r}, which is {where}"
    return None

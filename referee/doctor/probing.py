"""Runs one probe program in a sandbox: talks to it, and looks at it from outside."""

import os
import secrets
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from glob import glob
from pathlib import Path
from typing import Any, Final

import msgspec
import trio

from referee.bots.files import hash_files
from referee.bots.find import BotSource, BotSpec
from referee.bots.held_folder import HeldFolder
from referee.bots.settings import Bounds
from referee.sandbox import BotProcess, Sandbox
from referee.sandbox.procfs import cpu_us

PROBE_S: Final = 10.0
GONE_S: Final = 2.0
_PROBES: Final = Path(__file__).parent / "probes"
_PYTHON: Final = "/usr/bin/python3"
_OPTIONS: Final = ("-B", "-E", "-S", "-s", "-u")
_LONGEST: Final = 1 << 16


def found_probes(bounds: Bounds) -> BotSource:
    """The probe programs as a bot, to be prepared by a sandbox."""
    with HeldFolder(_PROBES.resolve()) as folder:
        files = folder.files()
        digest = hash_files(files, folder)
    return BotSource("probe", (_PYTHON,), files, folder.path, digest, "doctor", bounds=bounds)


class Probe:
    """A probe program that runs.

    Attributes:
        facts: all that it has said so far.
        token: a word of its command line, and of those of all that it starts.
    """

    def __init__(self, process: BotProcess, token: str) -> None:
        """Takes a process over, which is still another's to end."""
        self.process = process
        self.token = token
        self.facts: dict[str, Any] = {}  # JSON
        self._unread = b""

    async def ask(self, **request: object) -> None:
        """Sends a line; a probe that is gone is noticed when it does not answer."""
        data = msgspec.json.encode(request) + b"\n"
        with suppress(BrokenPipeError):
            while data:
                try:
                    data = data[os.write(self.process.stdin, data) :]
                except BlockingIOError:
                    await trio.lowlevel.wait_writable(self.process.stdin)

    async def hear(self) -> dict[str, Any]:  # JSON
        """What its next line says; nothing when there is no more."""
        while b"\n" not in self._unread and len(self._unread) < _LONGEST:
            await trio.lowlevel.wait_readable(self.process.stdout)
            try:
                data = os.read(self.process.stdout, _LONGEST)
            except BlockingIOError:
                continue
            if not data:
                return {}
            self._unread += data
        line, _, self._unread = self._unread.partition(b"\n")
        try:
            said = msgspec.json.decode(line, type=dict[str, Any])
        except msgspec.DecodeError:
            return {}
        self.facts |= said
        return said

    async def hear_all(self) -> dict[str, Any]:  # JSON
        """All that it says until it has ended."""
        while await self.hear():
            pass
        with trio.move_on_after(GONE_S):
            await trio.lowlevel.wait_readable(self.process.exited_fd)
        return self.facts

    def last_words(self) -> str:
        """The last line of its stderr."""
        said = b""
        with suppress(OSError):
            said = os.read(self.process.stderr, _LONGEST)
        lines = said.decode(errors="replace").split("\n")
        return next((line.strip() for line in reversed(lines) if line.strip()), "")


@asynccontextmanager
async def running(
    sandbox: Sandbox, base: BotSpec, program: str, *words: str
) -> AsyncIterator[Probe]:
    """A probe program, ended when the block is left."""
    token = secrets.token_hex(8)
    command = (*base.command, *_OPTIONS, f"{program}.py", *words, token)
    process = await sandbox.launch(msgspec.structs.replace(base, command=command))
    try:
        yield Probe(process, token)
    finally:
        process.kill()
        process.release()
        sandbox.clear()


async def asked(
    sandbox: Sandbox, base: BotSpec, program: str, *words: str, **request: object
) -> tuple[dict[str, Any], bool]:  # JSON
    """Runs a probe that is asked one thing; what it said, and whether it was out of memory.

    Raises:
        TrialError: it said nothing.
    """
    async with running(sandbox, base, program, *words) as probe:
        with trio.move_on_after(PROBE_S):
            await probe.ask(**request)
            await probe.hear_all()
        out = probe.process.out_of_memory()
        if not probe.facts and not out:
            how = probe.process.status() or "no answer"
            raise TrialError(f"{program} {' '.join(words)}: {probe.last_words() or how}")
        return probe.facts, out


class TrialError(Exception):
    """A trial found nothing out."""


def processes_of(token: str) -> tuple[int, ...]:
    """The processes of a probe, wherever they are; those that have ended have no command line."""
    found = []
    for folder in glob("/proc/[0-9]*"):
        with suppress(OSError):
            if token.encode() in Path(folder, "cmdline").read_bytes():
                found.append(int(folder.rpartition("/")[2]))
    return tuple(found)


def name_of(pid: int) -> str:
    """What a process is called."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/comm").read_text(errors="replace").strip()
    return ""


def users_of(token: str) -> tuple[int, ...]:
    """The user ids of a probe's processes, as the host has them."""
    found = set()
    for pid in processes_of(token):
        with suppress(OSError):
            text = Path(f"/proc/{pid}/status").read_text(errors="replace")
            found.add(int(text.partition("\nUid:")[2].split()[1]))
    return tuple(sorted(found))


def privileges_of(token: str) -> tuple[str, ...]:
    """What there is of privileges, in a probe and in the first process, which it might take over.

    Processes outside the sandbox, such as bubblewrap's own, have no second number in its namespace.
    """
    found: list[str] = []
    seen = False
    for pid in processes_of(token):
        with suppress(OSError):
            text = Path(f"/proc/{pid}/status").read_text(errors="replace")
            pairs = (line.partition(":") for line in text.splitlines())
            own = {key: value.split() for key, _, value in pairs}
            numbers = own["NSpid"]
            if len(numbers) > 1:
                seen = True
                whose = "in the first process: " if numbers[-1] == "1" else ""
                found += [whose + privilege for privilege in _privileges(own)]
    return tuple(dict.fromkeys(found)) if seen else ("no process inside is seen from outside",)


def _privileges(status: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield what a process may that a bot must not, by its /proc/PID/status."""
    yield from (key for key in status if key.startswith("Cap") and int(status[key][0], 16))
    if status["NoNewPrivs"] != ["1"]:
        yield "new privileges can be had"
    if status["Seccomp"] != ["2"]:
        yield "no filter of system calls"
    if "0" in status["Uid"]:
        yield "user id 0"


def used_ms(token: str, name: str) -> dict[int, int]:
    """The processor time of the processes of a probe that are called so."""
    found = (pid for pid in processes_of(token) if name_of(pid) == name)
    return {pid: cpu_us(pid) // 1000 for pid in found}


async def left_of(token: str) -> tuple[str, ...]:
    """The processes of a probe that are still there after a while."""
    with trio.move_on_after(GONE_S):
        while processes_of(token):  # noqa: ASYNC110  # nothing tells us
            await trio.sleep(0.02)
    pids = processes_of(token)
    return tuple(f"process {pid} ({name_of(pid)})" for pid in pids)

"""The trials that a sandbox is put to: what each of them finds out, as `Facts` has it."""

import os
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any, Final

import msgspec
import trio
from msgspec import Struct

from referee.bots.find import BotSpec
from referee.doctor.cold_files import cold, in_memory, system_files
from referee.doctor.honeypots import hidden, locked, lures
from referee.doctor.leftovers import orphans
from referee.doctor.probing import (
    GONE_S,
    Probe,
    TrialError,
    asked,
    left_of,
    privileges_of,
    running,
    used_ms,
    users_of,
)
from referee.play.affinity import one_core
from referee.sandbox import Sandbox, janitor, masks
from referee.sandbox.copies import BOT_FOLDER
from referee.sandbox.environment import ENTRIES, ETC
from referee.sandbox.folders import store_folder, work_folder

_BURN_S: Final = 0.15
_FROZEN_S: Final = 0.2
_REMOVED_S: Final = 0.3
_CROWD_SEEN: Final = 6
"""Processes: half of what a probe starts; others of the machine may end meanwhile."""

_KINDS: Final = ("pid", "net", "mnt", "ipc", "uts", "cgroup")

Measured = dict[str, Any]  # JSON


class Patient(Struct, frozen=True):
    """A sandbox on trial.

    Attributes:
        base: the probe programs, prepared in it with small bounds.
        usual: the same with the bounds of a usual bot.
        secret: a word in the referee's environment.
        watched: whether it works without control groups.
        toolchains: folders that bots see beside /usr.
    """

    sandbox: Sandbox
    base: BotSpec
    usual: BotSpec
    secret: str
    watched: bool
    toolchains: tuple[str, ...]


async def _look(patient: Patient) -> Measured:
    there = set(_KINDS).intersection(os.listdir("/proc/self/ns"))
    namespaces = {kind: os.readlink(f"/proc/self/ns/{kind}") for kind in there}
    words = [str(Path(__file__).parent.parent), str(store_folder()), janitor.run_of(os.getpid())]
    with lures() as (paths, _, _):
        request = {"secret": patient.secret, "words": words, "paths": [*paths, *hidden()]}
        request |= _folders_of_all(patient.toolchains)
        async with running(patient.sandbox, patient.base, "look") as probe:
            await probe.ask(**request, namespaces=namespaces)
            return {**await _heard(probe), "privileges": privileges_of(probe.token)}


def _folders_of_all(toolchains: tuple[str, ...]) -> Measured:
    """The folders that bots see of the host, and its file systems that hold such folders."""
    folders = ["/usr", "/etc", *(f"/{name}" for name in ENTRIES), *ETC, *toolchains]
    there = [path for path in (*folders, "/", str(work_folder())) if os.path.isdir(path)]
    return {"folders": folders, "devices": [os.stat(path).st_dev for path in there]}


async def _calls(patient: Patient) -> Measured:
    with lures() as (_, port, name):
        said, _ = await asked(patient.sandbox, patient.base, "calls", port=port, name=name)
    return said


def _using_up(what: str, out: str = "", **before: int) -> "Trial":
    """A trial that uses one thing up; `out` is the fact whether it was ended for its memory."""

    async def trial(patient: Patient) -> Measured:
        bounds = patient.base.bounds
        bound = {"processes": bounds.processes, "tmp": 2 * bounds.tmp}.get(what, bounds.memory)
        said, ended = await asked(patient.sandbox, patient.base, "use_up", what, bound=bound)
        return before | said | ({out: ended} if out else {})

    return trial


async def _state(patient: Patient) -> Measured:
    """Two bots side by side, the second beside a crowd of the first, and one after them."""
    sandbox, base = patient.sandbox, patient.base
    async with running(sandbox, base, "live", "state") as one:
        first = await _heard(one)
        async with running(sandbox, base, "live", "state") as two:
            second = await _heard(two)
            users = (users_of(one.token), users_of(two.token))
    async with running(sandbox, base, "live", "state") as three:
        last = await _heard(three)
    if not first["left"]:
        raise TrialError("live: it could leave nothing anywhere")
    times = [
        name
        for name, time_ in first["after"].items()
        if first["before"][name] != time_ == last["before"][name]
    ]
    numbers = [kind for kind, number in first["numbers"].items() if last["numbers"][kind] != number]
    counts = [
        kind
        for kind, count in first["process_counts"].items()
        if second["process_counts"][kind] >= count + _CROWD_SEEN
    ]
    return {
        "users": users,
        "traces": second["traces"] + last["traces"] + times,
        "numbers": numbers,
        "process_counts": counts,
        "marks": last["marks"],
    }


async def _counters(patient: Patient) -> Measured:
    empty = [*masks.hidden(), "/sys"]
    with locked():
        said, _ = await asked(patient.sandbox, patient.base, "counters", hidden=empty)
    return said


async def _cache(patient: Patient) -> Measured:
    """A bot reads files that are not in memory, and is ended; another ends by itself."""
    folder = Path(patient.base.folder)
    own = cold(map(folder.joinpath, os.listdir(folder)), 1)
    system = cold(system_files(), 2)
    if not own or not system:
        raise TrialError("no file could be dropped from memory before")
    paths = [*(str(Path(BOT_FOLDER, path.name)) for path in own), *map(str, system)]
    cached: list[str] = []
    for itself in (False, True):
        async with running(patient.sandbox, patient.base, "live", "work") as probe:
            await _heard(probe)
            await probe.ask(do="read", paths=paths)
            await _heard(probe)
            read = [path for path in (*own, *system) if in_memory(path)]
            if itself:
                await _ended(probe)
        if len(read) < len(paths) - len(cached):
            raise TrialError("live: what it read did not come into memory")
        cached += [str(path) for path in read if in_memory(path)]
    return {"cached": cached}


async def _ended(probe: Probe) -> None:
    """Have a probe end by itself, and give the maker of its control group time to remove that."""
    await probe.ask(do="end")
    with trio.move_on_after(GONE_S):
        await trio.lowlevel.wait_readable(probe.process.exited_fd)
    await trio.sleep(_REMOVED_S)


async def _daemon(patient: Patient) -> Measured:
    async with running(patient.sandbox, patient.base, "live", "daemon") as probe:
        await _heard(probe)
        own = os.getsid(probe.process.pid) != os.getsid(0)
        begun = time.monotonic()
        probe.process.kill()
        took = time.monotonic() - begun
    left = await left_of(probe.token)
    return {"own_session": own, "deaf_ms": int(took * 1000), "survivors": left}


async def _stopped(patient: Patient) -> Measured:
    async with running(patient.sandbox, patient.base, "live", "stop") as probe:
        await _heard(probe)
        await trio.sleep(0.02)
        begun = time.monotonic()
        probe.process.kill()
        took = time.monotonic() - begun
    await left_of(probe.token)
    return {"stopped_ms": int(took * 1000)}


async def _taken_over(patient: Patient) -> Measured:
    async with running(patient.sandbox, patient.base, "live", "take_over") as probe:
        said = await _heard(probe)
        await trio.sleep(0.05)  # its main process ends meanwhile
        begun = time.monotonic()
        probe.process.kill()
        took = time.monotonic() - begun
    left = await left_of(probe.token)
    return {**said, "taken_over_ms": int(took * 1000), "taken_over_left": left}


async def _heard(probe: Probe) -> Measured:
    """Waits for the next line of a probe.

    Raises:
        TrialError: there was none.
    """
    said = await probe.hear()
    if not said:
        raise TrialError(f"live: {probe.last_words() or probe.process.status() or 'silence'}")
    return said


async def _burn(probe: Probe, do: str) -> tuple[int, int]:
    """What a probe has burned, and what was counted, in milliseconds."""
    before = probe.process.cpu_us()
    await probe.ask(do=do, s=_BURN_S)
    said = await _heard(probe)
    return int(said["burned"] * 1000), (probe.process.cpu_us() - before) // 1000


async def _work(patient: Patient) -> Measured:
    """Processor time, counted and held back."""
    async with running(patient.sandbox, patient.base, "live", "work") as probe:
        await _heard(probe)
        burned, counted = await _burn(probe, "burn")
        elsewhere, counted_elsewhere = await _burn(probe, "burn elsewhere")
        found = await _frozen(probe)
    return found | {
        "burned_ms": burned,
        "counted_ms": counted,
        "burned_elsewhere_ms": elsewhere,
        "counted_elsewhere_ms": counted_elsewhere,
    }


async def _frozen(probe: Probe) -> Measured:
    await probe.ask(do="spin")
    await _heard(probe)
    await trio.sleep(0.03)
    probe.process.freeze()
    await trio.sleep(0.02)  # version 1 of control groups takes a moment
    used = {}
    before = {name: used_ms(probe.token, name) for name in ("stayer", "leaver")}
    await trio.sleep(_FROZEN_S)
    for name, times in before.items():
        now = used_ms(probe.token, name)
        used[name] = sum(now[pid] - time_ for pid, time_ in times.items() if pid in now)
    probe.process.thaw()
    await probe.ask(do="answer")
    thawed = False
    with trio.move_on_after(GONE_S):
        thawed = bool((await probe.hear()).get("pong"))
    if not all(before.values()):
        raise TrialError("live: what was to spin was not found")
    return {"frozen_ms": used["stayer"], "frozen_daemon_ms": used["leaver"], "thawed": thawed}


async def _share(patient: Patient, *, idle: bool) -> int:
    """How much a bot has of what it and another one's crowd had of a core, in percent."""
    base = msgspec.structs.replace(patient.base, idle=idle)
    with one_core():
        async with running(patient.sandbox, base, "live", "work") as crowd:
            await _heard(crowd)
            await crowd.ask(do="crowd")
            await _heard(crowd)
            async with running(patient.sandbox, patient.base, "live", "work") as probe:
                await _heard(probe)
                before = crowd.process.cpu_us()
                burned, _ = await _burn(probe, "burn")
                theirs = (crowd.process.cpu_us() - before) // 1000
    return burned * 100 // max(burned + theirs, 1)


async def _shares(patient: Patient) -> Measured:
    """What a bot has of its core, beside another one and beside a build."""
    return {
        "share_percent": await _share(patient, idle=False),
        "share_of_idle_percent": await _share(patient, idle=True),
    }


async def _orphans(patient: Patient) -> Measured:
    return {"orphans": await orphans(patient.sandbox.name, watched=patient.watched)}


async def _languages(patient: Patient) -> Measured:
    said, _ = await asked(patient.sandbox, patient.usual, "languages")
    return said


Trial = Callable[[Patient], Awaitable[Measured]]

Attempt = tuple[tuple[str, ...], Trial]
"""The guarantees that a trial is for, and the trial."""

TRIALS: Final[Mapping[str, Attempt]] = {
    # what is said while it runs: the guarantees that it is for, the trial
    "what it sees": (
        (
            *("files-read", "files-written", "environment", "descriptors", "others"),
            *("privileges", "folder-locks"),
        ),
        _look,
    ),
    "what the kernel says": (
        ("network", "init", "calls", "pages", "clock", "pinned", "locks"),
        _calls,
    ),
    "what one bot leaves to another": (
        ("user", "state", "numbers", "process-counts", "marks"),
        _state,
    ),
    "what the machine counts": (("counters", "times"), _counters),
    "what stays in memory": (("cache",), _cache),
    "memory": (("memory",), _using_up("memory", "memory_out", memory_mib=0)),
    "memory of children": (
        ("memory-children",),
        _using_up("children", "children_out", children_mib=0),
    ),
    "memory in files": (("memory-files",), _using_up("files", "files_out")),
    "the size of /tmp": (("tmp",), _using_up("tmp")),
    "files in /tmp": (("tmp-files",), _using_up("inodes", "tmp_files_out", tmp_files=0)),
    "mappings of a file": (("mappings",), _using_up("mapped", "mapped_out", mapped=0)),
    "what waits for a pipe": (
        ("waiters",),
        _using_up("waiting", "waiting_out", waiting=0),
    ),
    "processes": (("processes",), _using_up("processes")),
    "open files and cores": (("open-files", "limits", "core"), _using_up("limits")),
    "a bot that ignores signals": (("session", "survivors", "deaf"), _daemon),
    "a bot that stops itself": (("stopped",), _stopped),
    "a bot that takes over the first process": (("taken-over",), _taken_over),
    "processor time": (("freeze", "freeze-daemons", "cpu", "cpu-children"), _work),
    "shares of the processor": (("shares", "idle"), _shares),
    "a referee that is killed": (("orphans",), _orphans),
    "languages": ((), _languages),
}
"""All of them. Those that could do harm are not run where nothing is promised."""

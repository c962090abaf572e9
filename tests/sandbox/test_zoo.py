"""Hostile bots: each gets the verdict that it deserves, harms nobody, and leaves nothing behind."""

import tempfile
from pathlib import Path

import pytest

from referee.bots.find import find
from referee.bots.settings import Settings
from referee.check.conversation import Level
from referee.check.examine import examination, examine
from referee.match.clock import parse_time
from referee.sandbox import Sandbox
from support.invariants import nothing_left
from support.sandboxes import need
from support.zoo import (
    HONEST,
    MODES,
    PATH,
    PLAYS,
    VERDICTS,
    Animal,
    Cages,
    animals,
    kept,
    lures,
    meet,
    tools,
)

ANIMALS = animals()
ROWS = frozenset(
    {
        "resources: fork bomb",
        "resources: thread bomb",
        "resources: memory bomb",
        "resources: memory bomb in children",
        "resources: memory through tmpfs",
        "resources: memory through /dev/shm",
        "resources: memory through memfd",
        "resources: memory through SysV shared memory",
        "resources: mlock",
        "resources: memory through locks of records",
        "resources: machine-wide objects",
        "resources: memory through pipe buffers",
        "resources: memory through sockets",
        "resources: memory through tables of pages",
        "resources: memory through timers and sets of descriptors",
        "resources: memory through mappings without pages",
        "resources: memory that is shared no longer",
        "resources: mappings of a file",
        "resources: the lock of its own memory",
        "resources: memory of processes without a first thread",
        "resources: inode bomb",
        "resources: disk filler",
        "resources: sparse file",
        "resources: descriptor bomb",
        "resources: core dumps",
        "resources: busy loop on the opponent's turn",
        "resources: processor stolen by setsid children",
        "resources: processor stolen by every means",
        "resources: sched_setaffinity",
        "resources: nice, SCHED_FIFO, ioprio",
        "resources: zombie pile",
        "protocol: flood without newline",
        "protocol: flood of newlines off turn",
        "protocol: stderr flood",
        "protocol: invalid UTF-8",
        "protocol: NUL bytes",
        "protocol: UTF-16 and UTF-32",
        "protocol: byte order mark",
        "protocol: CRLF",
        "protocol: huge integers",
        "protocol: NaN",
        "protocol: Infinity",
        "protocol: 1e400",
        "protocol: deep nesting",
        "protocol: duplicate keys",
        "protocol: lone surrogate",
        "protocol: array, number, string, null",
        "protocol: two objects on a line",
        "protocol: trailing garbage",
        "protocol: U+2028, vertical tab and next line in a string",
        "protocol: slow drip",
        "protocol: never reads stdin",
        "protocol: closes stdin",
        "protocol: closes stdout",
        "protocol: exit 0",
        "protocol: exit 3",
        "protocol: SIGSEGV",
        "protocol: exception mid game",
        "protocol: SIGSTOP to itself",
        "protocol: PTRACE_TRACEME",
        "protocol: ignores SIGTERM",
        "protocol: second answer sent early",
        "protocol: guessing ahead",
        "protocol: answer after the timeout",
        "protocol: stdout not flushed",
        "protocol: debugging on stdout",
        "protocol: locale and time zone",
        "protocol: ANSI escapes",
        "protocol: illegal action",
        "protocol: wrong id",
        "protocol: wrong type of a field",
        "protocol: note too long",
        "protocol: empty line",
        "protocol: no proper ready",
        "protocol: a line nobody asked for",
        "escape: daemon that holds the pipe",
        "escape: survivors of the referee",
        "escape: kill(-1)",
        "escape: kill(1)",
        "escape: kill(getppid())",
        "escape: ptrace of init and others",
        "escape: read of /proc of others",
        "escape: read of the referee's files",
        "escape: sight of the host in /proc",
        "escape: TCP, UDP, raw",
        "escape: netlink, packet, AF_ALG",
        "escape: vsock",
        "escape: abstract sockets and docker.sock",
        "escape: locks on shared files",
        "escape: keyrings",
        "escape: io_uring, userfaultfd, bpf, perf",
        "escape: clone NEWUSER",
        "escape: mount",
        "escape: int 0x80",
        "escape: O_NONBLOCK on inherited stderr",
        "escape: reopened pipes",
        "escape: locks of pipes",
        "escape: what is inherited",
        "escape: state between games",
        "escape: counters of the machine",
        "escape: memory in the page cache",
        "escape: memory of what was read",
        "escape: memory in times and numbers",
        "escape: write outside /tmp",
        "escape: clock_settime",
        "escape: setuid binaries",
        "escape: symlink named like a log, FIFO in its folder",
    }
)
"""What bots have done, or could do, to referees: each is tried by somebody here."""


@pytest.fixture(scope="module")
def cages(tmp_path_factory: pytest.TempPathFactory) -> Cages:
    return Cages(tmp_path_factory.mktemp("zoo"))


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of our own for all temporary files, ours and those of bare bots."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setenv("PATH", PATH)
    return folder


def test_the_zoo_is_complete() -> None:
    """Every row is tried, every verdict is deserved by somebody, and hints are for cheats."""
    deserved = {verdict for one in ANIMALS for verdict in one.expect["bwrap"]}

    assert {one.row for one in ANIMALS} == ROWS
    assert deserved == VERDICTS
    assert len(ANIMALS) >= 45
    for one in ANIMALS:
        assert one.expect["bwrap"] != {PLAYS} or not one.hint, one.name
        assert bool(one.before) == bool(one.after), one.name


RUNS = [
    pytest.param(one, mode, id=f"{one.name}-{mode}")
    for one in ANIMALS
    for mode in MODES
    if mode not in one.unavailable
]


@pytest.fixture(scope="module")
def usual() -> list[str]:
    """The game digest of the canaries, once it is known."""
    return []


async def canary(sandbox: Sandbox, record: Path) -> str:
    """The game digest of two honest bots."""
    result = await meet(sandbox, (HONEST, HONEST), record, key="canary")
    assert result.totals.fault_counts == [0, 0]
    return result.end.game_digest


@pytest.fixture(autouse=True)
def equipped(request: pytest.FixtureRequest) -> None:
    """Skips what this machine cannot run, and starts a Docker daemon where one is needed."""
    found = getattr(request.node, "callspec", None)
    if found is None:
        return
    mode = found.params.get("mode", "bare")
    if mode == "docker":
        request.getfixturevalue("docker_host")
    need(*tools(found.params["animal"], mode))


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(("animal", "mode"), RUNS)
async def test_an_animal_gets_its_verdict_and_harms_nobody(
    animal: Animal, mode: str, cages: Cages, usual: list[str], temporary: Path
) -> None:
    """Only it is charged, no deal is void, two honest bots play as ever, and nothing is left."""
    folder, records = cages.folder(animal, mode), temporary.parent
    with lures(), nothing_left(folder, temporary, docker=mode == "docker"):
        async with kept(mode) as sandbox:
            if not usual:
                usual.append(await canary(sandbox, records / "before"))
            bots = (str(folder), HONEST)
            result = await meet(sandbox, bots, records / "record", animal.time)
            after = await canary(sandbox, records / "after")

    faults = result.totals.faults
    found = {(fault.bot, str(fault.code)) for fault in faults} or {(0, PLAYS)}
    assert found <= {(0, verdict) for verdict in animal.expect[mode]}, [
        one.detail for one in faults
    ]
    assert result.given_up is None
    assert result.totals.voids == []
    assert after == usual[0]


WITH_HINTS = [pytest.param(one, id=one.name) for one in ANIMALS if one.hint]


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("animal", WITH_HINTS)
async def test_check_tells_an_author_what_to_mend(
    animal: Animal, cages: Cages, temporary: Path
) -> None:
    """Who cheats by mistake is told what is wrong and how to do it right."""
    async with kept("bare") as sandbox:
        bot = await sandbox.prepare(find(str(cages.folder(animal, "check")), Settings()))
        plan = examination("briscola-2", {}, parse_time(animal.time), "check")
        findings = await examine(bot, plan, sandbox)
    said = [f"{one.what} -> {one.mend}" for one in findings if one.level is Level.PROBLEM]

    assert len(said) == 1
    assert animal.hint in said[0]

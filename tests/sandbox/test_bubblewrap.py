"""The bubblewrap sandbox, with real processes: what it binds, counts, stops and ends."""

import os
import time
from pathlib import Path
from typing import Final

import pytest
import trio

from referee.bots.settings import Settings
from referee.errors import RefereeError, SandboxError
from referee.match.lines import Header
from referee.match.verdict import FaultCode, Freeze
from referee.sandbox import Sandbox, janitor, page_cache
from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.bubblewrap.process import BubblewrapProcess
from referee.sandbox.cgroups.group import Group
from referee.sandbox.choose import opened
from referee.sandbox.folders import work_folder
from referee.sandbox.janitor import run_of
from referee.sandbox.names import SandboxName
from referee.sandbox.procfs import children, descendants
from referee.sandbox.watchdog import WATCHDOG
from support.matches import has_tool, lines_of, match, verified
from support.processes import open_files, until
from support.sandboxes import (
    SPINNERS,
    ended,
    finish,
    line_of,
    living,
    need,
    prepared,
    python_bot,
    with_rust,
)
from support.zoo import HONEST, Cages, animals, meet

pytestmark = pytest.mark.slow

EATS = """
import sys
print("ready", flush=True)
sys.stdin.readline()
block = [bytearray(b"x" * (1 << 20)) for _ in range(int(sys.argv[1]) if sys.argv[1:] else 400)]
print("eaten", flush=True)
"""


LEAVES_A_CHILD: Final = """
import ctypes, mmap, os, sys
pages = os.open("/tmp/pages", os.O_RDWR | os.O_CREAT)
os.truncate(pages, 1 << 24)
order, gives = os.pipe()
if os.fork():
    sys.stdin.readline()
    os.write(gives, b"x")
    os._exit(0)
map_file = ctypes.CDLL(None).mmap
map_file.argtypes = [ctypes.c_void_p, ctypes.c_size_t, *[ctypes.c_int] * 3, ctypes.c_long]
for _ in range(900):
    map_file(None, 1 << 24, mmap.PROT_READ, mmap.MAP_SHARED | mmap.MAP_POPULATE, pages, 0)
print("mapped", flush=True)
os.read(order, 1)
os._exit(0)
"""
"""Its first process ends while another takes 29 MiB of tables of pages apart; it may have 32."""


async def test_a_bot_is_gone_when_its_last_process_is_however_early_bwrap_leaves(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """Its last process kept the core in a friend's act: that deal was void, and no bot charged."""
    bot = python_bot(tmp_path / "b", LEAVES_A_CHILD)
    process = await bwrap.launch(await prepared(bwrap, bot))
    assert await line_of(process) == "mapped"
    assert not process.is_gone()
    all_of_it = descendants(process.pid)
    assert len(all_of_it) >= 2
    os.write(process.stdin, b"\n")
    await trio.lowlevel.wait_readable(process.exited_fd)
    with trio.fail_after(10):
        while not process.is_gone():  # noqa: ASYNC110  # it has no descriptor for all sandboxes
            await trio.sleep(0.001)
    left = living(all_of_it)
    process.kill()
    process.release()
    assert left == []


async def test_a_frozen_bot_uses_no_time_and_its_daemons_neither(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """What left its session is stopped too; thawed, it works and answers as before."""
    process = await bwrap.launch(await prepared(bwrap, python_bot(tmp_path / "b", SPINNERS)))
    assert await line_of(process) == "spinning"
    for number in range(4):  # the first time it may be moved between hierarchies, not for now
        process.freeze(for_now=number == 0)
        await until(process.is_stopped)
        before = process.cpu_us()
        await trio.sleep(0.1)
        assert process.cpu_us() == before
        file = process.freezer()
        if os.geteuid() == 0 and number % 2:
            os.write(file.descriptor, file.thaw)
            process.goes_on()
        else:
            process.thaw()
        os.write(process.stdin, b"\n")
        assert await line_of(process) == "still here"
    finish(process)
    assert process.status() == "killed by SIGKILL"


async def test_a_bot_that_stands_still_without_our_knowing_is_ended_all_the_same(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """What version 1 has stopped takes no signal, and to wait for its end has no end."""
    process = await bwrap.launch(await prepared(bwrap, python_bot(tmp_path / "b", SPINNERS)))
    assert await line_of(process) == "spinning"
    process.freeze(for_now=True)
    await until(process.is_stopped)
    process.goes_on()
    finish(process)
    assert process.status() == "killed by SIGKILL"


async def test_a_bot_that_is_held_still_stops_no_other(bwrap: Sandbox, tmp_path: Path) -> None:
    """Nor does it go on for being let go on itself meanwhile, nor stop for good."""
    need(root=True)
    spec = await prepared(bwrap, python_bot(tmp_path / "b", SPINNERS))
    one, other = [await bwrap.launch(spec) for _ in range(2)]
    for bot in (one, other):
        assert await line_of(bot) == "spinning"
    assert isinstance(one, BubblewrapProcess)
    assert isinstance(one._control, Group)
    assert one._control._mappings is not None
    hold = one._control._mappings._hold
    assert hold is not None
    WATCHDOG.look_no_more(one._control._mappings.look)  # it may hold the bot, and let it go on
    one._control._mappings.close()
    one.freeze()
    await until(one.is_stopped)  # spinners on a busy machine take longer than a hold waits for
    with hold() as stands_still:
        assert stands_still
        one.thaw()
        before = one.cpu_us()
        os.write(other.stdin, b"\n")
        assert await line_of(other) == "still here"
        assert one.cpu_us() == before
    os.write(one.stdin, b"\n")
    assert await line_of(one) == "still here"
    finish(one)
    finish(other)


async def test_all_that_a_bot_has_started_is_counted_and_ended(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """Processor time of daemons is the bot's; nothing of it is left when it is ended."""
    process = await bwrap.launch(await prepared(bwrap, python_bot(tmp_path / "b", SPINNERS)))
    assert await line_of(process) == "spinning"
    await trio.sleep(0.2)
    assert process.cpu_us() > 100_000
    begin = time.monotonic()
    process.freeze()
    finish(process)

    assert time.monotonic() - begin < 2
    assert process.cpu_us() > 100_000


async def test_memory_is_bounded_and_told_from_a_crash(bwrap: Sandbox, tmp_path: Path) -> None:
    """Who takes more than the bot's own limit is ended, and the reason is known."""
    spec = await prepared(bwrap, python_bot(tmp_path / "b", EATS, "memory = 64"))
    process = await bwrap.launch(spec)
    assert await line_of(process) == "ready"
    os.write(process.stdin, b"\n")

    assert await ended(process) == "killed by SIGKILL"
    assert process.out_of_memory()
    finish(process)
    assert process.out_of_memory()


async def test_every_bot_has_a_user_of_its_own(bwrap: Sandbox) -> None:
    """Two at once are two users of the host, neither of them ours; then the ids are free again."""
    need(root=True)
    spec = await prepared(bwrap, "sample:first")
    for _ in range(2):
        processes = [await bwrap.launch(spec) for _ in range(3)]
        owners = {_uid(process.pid) for process in processes}
        assert len(owners) == 3
        assert min(owners) > 60000
        finish(*processes)


async def test_without_control_groups_memory_is_watched(tmp_path: Path) -> None:
    """The best that can be had then: it is seen, ended, and the reason is known."""
    need("bwrap")
    async with opened(SandboxName.BWRAP, cgroups=False) as bwrap:
        assert "memory watched" in bwrap.how
        spec = await prepared(bwrap, python_bot(tmp_path / "b", EATS, "memory = 64"))
        process = await bwrap.launch(spec)
        assert await line_of(process) == "ready"
        process.freeze()
        process.thaw()
        os.write(process.stdin, b"\n")
        await ended(process)
        assert process.out_of_memory() or process.status() == "exit status 1"  # RLIMIT_DATA
        finish(process)
        spinning = await bwrap.launch(await prepared(bwrap, python_bot(tmp_path / "s", SPINNERS)))
        assert await line_of(spinning) == "spinning"
        assert not spinning.is_stopped()
        spinning.freeze()
        await until(spinning.is_stopped)
        before = spinning.cpu_us()
        await trio.sleep(0.1)
        assert spinning.cpu_us() - before <= 20_000  # two ticks
        finish(spinning)


@pytest.mark.parametrize(
    "name",
    [
        *("memory_sockets", "memory_page_tables", "memory_unshared", "memory_headless"),
        *("memory_entries", "memory_unseen_files"),
    ],
)
async def test_without_control_groups_hidden_memory_is_watched(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Full sockets, tables of pages, and what was shared: the bot is ended for them."""
    need("bwrap")
    monkeypatch.setattr(bubblewrap, "mount_points", lambda *_: {})  # as an ordinary user has it
    (hostile,) = (one for one in animals() if one.name == name)
    typed = str(Cages(tmp_path).folder(hostile, "bwrap"))
    async with opened(SandboxName.BWRAP, cgroups=False) as bwrap:
        found = await meet(bwrap, (typed, HONEST), tmp_path / "r", hostile.time)
    assert {fault.code for fault in found.totals.faults} == {FaultCode.MEMORY}


async def test_without_control_groups_a_bot_that_locks_its_memory_voids_nothing(
    tmp_path: Path,
) -> None:
    """Nothing of ours waits for the lock; held for a second, it is charged as too much memory."""
    need("bwrap")
    (hostile,) = (one for one in animals() if one.name == "memory_locked")
    typed = str(Cages(tmp_path).folder(hostile, "bwrap"))
    async with opened(SandboxName.BWRAP, cgroups=False) as bwrap:
        found = await meet(bwrap, (typed, HONEST), tmp_path / "r", hostile.time)
    assert found.totals.void_count == 0
    assert {fault.code for fault in found.totals.faults} <= {FaultCode.MEMORY, FaultCode.LATE}


async def test_without_control_groups_no_memory_is_had_that_no_process_maps(tmp_path: Path) -> None:
    """Nothing would count it: such mappings are refused, and the bot plays on."""
    need("bwrap")
    (hostile,) = (one for one in animals() if one.name == "memory_unmapped")
    typed = str(Cages(tmp_path).folder(hostile, "bwrap"))
    async with opened(SandboxName.BWRAP, cgroups=False) as bwrap:
        found = await meet(bwrap, (typed, HONEST), tmp_path / "r", hostile.time)
    assert [fault.detail for fault in found.totals.faults] == []


PAGES = """
import ctypes, sys
prctl = ctypes.CDLL(None).prctl
disable, are_disabled = 41, 42
calls = ((are_disabled, 0), (disable, 0), (are_disabled, 0))
print(*(prctl(*call, 0, 0, 0) for call in calls), flush=True)
sys.stdin.readline()
"""


@pytest.mark.parametrize("cgroups", [True, False])
async def test_without_control_groups_there_are_no_huge_pages(
    cgroups: bool, tmp_path: Path
) -> None:
    """Given back but for a part, one stays whole, which only control groups count."""
    need("bwrap", root=True)
    async with opened(SandboxName.BWRAP, cgroups=cgroups) as bwrap:
        process = await bwrap.launch(await prepared(bwrap, python_bot(tmp_path / "b", PAGES)))
        assert await line_of(process) == ("0 -1 0" if cgroups else "1 -1 1")
        finish(process)


def larger_buffers(kind: str) -> str:
    return f"""
import socket
ours, _ = socket.socketpair()
before = ours.getsockopt(socket.SOL_SOCKET, socket.{kind})
ours.setsockopt(socket.SOL_SOCKET, socket.{kind}, 1 << 20)
print(ours.getsockopt(socket.SOL_SOCKET, socket.{kind}) - before)
try:
    socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
except PermissionError as error:
    print("refused", flush=True)
"""


@pytest.mark.parametrize("kind", ["SO_SNDBUF", "SO_RCVBUF"])
async def test_buffers_of_sockets_stay_as_they_are(
    kind: str, bwrap: Sandbox, tmp_path: Path
) -> None:
    """A program that asks for larger ones goes on without; there are no datagrams."""
    spec = await prepared(bwrap, python_bot(tmp_path / "b", larger_buffers(kind)))
    process = await bwrap.launch(spec)
    assert await line_of(process) == "0"
    assert await line_of(process) == "refused"
    finish(process)


async def test_a_closed_toolchain_is_shown_and_leaves_no_mount(tmp_path: Path) -> None:
    """A folder that a bot's user could not reach is there, read-only, at its own path."""
    need("bwrap", root=True)
    closed = tmp_path / "closed"
    toolchain = closed / "tool"
    (toolchain / "bin").mkdir(parents=True)
    program = toolchain / "bin" / "said-by-a-tool"
    program.write_text(
        "#!/bin/sh\necho the tool speaks\necho no > $(dirname $0)/x || echo sealed\n"
    )
    program.chmod(0o755)
    closed.chmod(0o700)
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "bot.toml").write_text('name = "x"\ncommand = "said-by-a-tool"\n')
    mounts = _mounts("1")
    settings = Settings(toolchains=(str(toolchain),))
    async with opened(SandboxName.BWRAP, settings) as bwrap:
        process = await bwrap.launch(await prepared(bwrap, str(bot), settings))
        assert await line_of(process) == "the tool speaks"
        assert await line_of(process) == "sealed"
        assert _mounts("1") == mounts
        finish(process)
    assert not any(str(tmp_path) in line for line in _mounts("self"))
    assert program.exists()


async def test_what_does_not_start_is_the_sandboxs_trouble(
    bwrap: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bwrap that says nothing charges no bot, and leaves nothing behind."""
    spec = await prepared(bwrap, "sample:first")
    monkeypatch.setattr(bwrap, "_bwrap", "/bin/false")
    before = open_files()
    with pytest.raises(SandboxError, match="bubblewrap did not start"):
        await bwrap.launch(spec)
    assert open_files() == before


async def test_a_missing_program_is_found_before_play(bwrap: Sandbox, tmp_path: Path) -> None:
    """What only the host has, the sandbox says it has not."""
    (tmp_path / "bot.toml").write_text('name = "x"\ncommand = "no-such-program"\n')
    with pytest.raises(RefereeError, match="the sandbox has no program 'no-such-program'"):
        await prepared(bwrap, str(tmp_path))


BUILT = ("first-c", "first-cpp", "first-rust", "first-java")


@pytest.mark.thorough
@pytest.mark.parametrize("sample", ["greedy", *BUILT, "first-js", "first-perl", "first-sh"])
async def test_bots_of_every_language_play_the_same_in_it(sample: str, tmp_path: Path) -> None:
    """Built inside where they are built; the game is that of a bare match."""
    need("bwrap")
    if not has_tool(sample):
        pytest.skip(f"no compiler or interpreter for {sample}")
    bots = (f"sample:{sample}", "sample:first")
    bare = await match(tmp_path / "bare", "briscola-2", *bots, deals=2)
    async with opened(SandboxName.BWRAP, with_rust()) as sandbox:
        found = await match(tmp_path / "bwrap", "briscola-2", *bots, deals=2, sandbox=sandbox)

    assert found.totals.fault_counts == [0, 0]
    assert found.end.game_digest == bare.end.game_digest
    verified(tmp_path / "bwrap")


WORKS_OFF_TURN = """
import json, sys, threading, time
def work():
    until = time.time() + 20
    while time.time() < until: pass
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "busy"}), flush=True)
        threading.Thread(target=work, daemon=True).start()
    elif message["type"] == "act":
        answer = {"id": message["id"], "action": message["legal"][0]}
        print(json.dumps(answer), flush=True)
    elif message["type"] == "end":
        break
"""

TAKES_ITS_TIME = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "ready", "protocol": 1, "name": "slow"}), flush=True)
    elif message["type"] == "act":
        time.sleep(0.02)
        answer = {"id": message["id"], "action": message["legal"][0]}
        print(json.dumps(answer), flush=True)
    elif message["type"] == "end":
        break
"""


@pytest.mark.parametrize("freeze", [Freeze.AUTO, Freeze.NEVER, Freeze.ALWAYS])
async def test_who_works_while_others_think_is_frozen(
    freeze: Freeze, bwrap: Sandbox, tmp_path: Path
) -> None:
    """It is seen at its next act, recorded, stopped from then on; and it goes on playing."""
    bot = python_bot(tmp_path / "busy", WORKS_OFF_TURN)
    slow = python_bot(tmp_path / "slow", TAKES_ITS_TIME)  # time enough to be seen at work
    clock = "move=2s,bank=0s,start=5s"
    found = await match(
        tmp_path / "r", "briscola-2", bot, slow,
        deals=1, freeze=freeze, sandbox=bwrap, time=clock,
    )  # fmt: skip
    header, *lines = lines_of(tmp_path / "r")
    frozen = [line for line in lines if "frozen" in line.__struct_fields__]

    assert found.totals.fault_counts == [0, 0]
    assert isinstance(header, Header)
    assert header.terms.freeze is freeze
    assert [getattr(line, "frozen", None) for line in frozen] == [0] * (freeze is Freeze.AUTO)
    verified(tmp_path / "r")


async def test_memory_of_children_is_found_before_the_next_deal(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """A bot that goes on although a child was ended for its memory is at fault all the same."""
    text = WORKS_OFF_TURN.replace(
        "threading.Thread(target=work, daemon=True).start()",
        "import subprocess; subprocess.run(['python3', '-S', '-c', 'x = bytearray(200 << 20)'])",
    )
    bot = python_bot(tmp_path / "parent", text, "memory = 64")
    found = await match(
        tmp_path / "r", "briscola-2", bot, "sample:first", deals=2, sandbox=bwrap,
        time="move=2s,bank=0s,start=5s",
    )  # fmt: skip

    assert {fault.code for fault in found.totals.faults} == {FaultCode.MEMORY}
    assert found.totals.fault_counts[1] == 0
    verified(tmp_path / "r")


async def test_nothing_is_left_when_it_is_closed(tmp_path: Path) -> None:
    """No process, no group, no folder, no descriptor, even with a bot that is still there."""
    need("bwrap")
    before = open_files()
    async with opened(SandboxName.BWRAP) as sandbox:
        process = await sandbox.launch(
            await prepared(sandbox, python_bot(tmp_path / "b", SPINNERS))
        )
        assert await line_of(process) == "spinning"
        own = process._control.members()  # type: ignore[attr-defined]  # of this sandbox only
        assert len(living(own)) >= 4
        finish(process)
    assert open_files() == before
    assert living(own) == []
    assert run_of(os.getpid()) not in os.listdir(work_folder())


def _uid(pid: int) -> int:
    return Path(f"/proc/{pid}").stat().st_uid


def _mounts(who: str) -> list[str]:
    """What a process sees mounted, but for what is other tests': Docker's, and small disks."""
    lines = Path(f"/proc/{who}/mountinfo").read_text().splitlines()
    return [
        line
        for line in lines
        if "docker" not in line and not (" - tmpfs " in line and "/pytest-" in line)
    ]


async def test_a_start_that_is_broken_off_leaves_no_process(
    bwrap: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whatever moment, even when bubblewrap is about to make its first process."""

    def no_other() -> None:
        raise OSError  # the watchdog starts a process where a count takes long, and keeps it

    monkeypatch.setattr("referee.sandbox.count_process.CountProcess", no_other)
    bot = await prepared(bwrap, HONEST)
    before = children(os.getpid())
    left = {}
    for moment_us in range(0, 8000, 40):
        with trio.move_on_after(moment_us / 1e6):
            finish(await bwrap.launch(bot))
        if more := children(os.getpid()) - before:
            left[moment_us] = more

    assert left == {}


async def test_what_a_bot_has_read_is_dropped_when_none_of_its_processes_lives(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also when bwrap itself has left before them: what a living process maps would stay."""
    need(root=True)
    if "cgroups" not in str(getattr(bwrap, "how", "")):
        pytest.skip("no control groups")
    spec = await prepared(bwrap, python_bot(tmp_path / "b", "import time\ntime.sleep(50)\n"))
    living: list[int] = []

    def dropping(folder: Path, longest_s: float) -> page_cache.Dropping:
        living.extend(janitor.members([str(folder)]))
        return page_cache.Dropping(folder, longest_s)

    process = await bwrap.launch(spec)
    assert isinstance(process, BubblewrapProcess)
    monkeypatch.setattr("referee.sandbox.cgroups.group.Dropping", dropping)
    process.drop()
    members = set(process._control.members())
    process.release()

    assert len(members) >= 2
    assert not living
    assert process.status() is not None


WORKERS = """
import json, sys
from multiprocessing import Pool

def think(number):
    return number

if __name__ == "__main__":
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            pool = Pool(100)
            print('{"type":"ready","protocol":1,"name":"workers"}', flush=True)
        if message["type"] == "act":
            best = max(pool.map(think, range(100)))
            answer = {"id": message["id"], "action": message["legal"][best % len(message["legal"])]}
            print(json.dumps(answer), flush=True)
"""


@pytest.mark.slow
@pytest.mark.thorough
async def test_a_bot_with_a_hundred_workers_is_within_its_bounds(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """Each has the pipes of those before it open: ten thousand descriptors, all in all."""
    workers = python_bot(tmp_path / "workers", WORKERS, "memory = 1024\nprocesses = 128")
    bots = (workers, "sample:first")
    slow = "move=5s,start=30s"
    result = await match(
        tmp_path / "record", "briscola-2", *bots, deals=2, sandbox=bwrap, time=slow
    )
    assert result.totals.faults == []
    assert result.totals.voids == []

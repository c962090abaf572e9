"""The Docker sandbox, with a real daemon: what it binds, what it leaves, how it bears a death."""

import ast
import io
import os
import signal
import subprocess
import sys
import tarfile
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import docker
import pytest
import trio
from docker import APIClient
from docker.errors import APIError
from requests import RequestException

from referee.bots.find import BotSpec
from referee.bots.settings import Settings
from referee.errors import RefereeError, SandboxError, Unstoppable
from referee.match.lines import EndLine, VoidLine
from referee.match.verdict import Blame, FaultCode, Freeze
from referee.play.conductor import MatchResult
from referee.sandbox import Sandbox, choose, janitor
from referee.sandbox.choose import opened
from referee.sandbox.container import janitor as janitor_container
from referee.sandbox.container import remote
from referee.sandbox.container import sandbox as container
from referee.sandbox.environment import SIGNALS
from referee.sandbox.folders import work_folder
from referee.sandbox.freezer_file import NO_FILE
from referee.sandbox.janitor import LABEL, groups_of, run_of
from referee.sandbox.names import SandboxName
from referee.sandbox.polling import PolledGroup
from support.docker import own_daemon
from support.invariants import nothing_left
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

pytestmark = [pytest.mark.slow, pytest.mark.thorough]

CLOCK = "move=2s,bank=0s,soft=0ms,start=10s"
SPEAKS = """
import json, sys
{prelude}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({{"type": "ready", "protocol": 1, "name": "x"}}), flush=True)
    elif message["type"] == "act":
        {at_act}
        answer = {{"id": message["id"], "action": message["legal"][0]}}
        print(json.dumps(answer), flush=True)
    elif message["type"] == "end":
        break
"""


def bot(folder: Path, at_act: str = "pass", prelude: str = "", limits: str = "") -> str:
    """A bot that plays its first card, and does something else at each act."""
    return python_bot(folder, SPEAKS.format(at_act=at_act, prelude=prelude), limits)


def containers(host: str, run: str, label: str = LABEL) -> list[str]:
    client = docker.APIClient(base_url=host, version="auto")
    found = client.containers(all=True, filters={"label": [f"{label}={run}"]})
    client.close()
    return [one["Id"] for one in found]


@pytest.fixture
async def sandbox(docker_host: str) -> AsyncIterator[Sandbox]:
    run = run_of(os.getpid())
    async with opened(SandboxName.DOCKER) as sandbox:
        yield sandbox
    assert containers(docker_host, run) == []
    await until(lambda: not containers(docker_host, run, janitor_container.LABEL), 10)
    assert groups_of(run) == []


async def test_a_match_in_docker_is_the_match_it_is_bare(sandbox: Sandbox, tmp_path: Path) -> None:
    """Cards, answers and scores are the same to the byte."""
    pair = ("sample:first-c", "sample:greedy") if has_tool("first-c") else ("sample:first",) * 2
    bare = await match(tmp_path / "bare", "briscola-2", *pair, deals=3, time=CLOCK)
    found = await match(
        tmp_path / "docker", "briscola-2", *pair, deals=3, time=CLOCK, sandbox=sandbox
    )

    assert found.totals.fault_counts == [0, 0]
    assert found.end.game_digest == bare.end.game_digest
    verified(tmp_path / "docker")


@pytest.mark.usefixtures("docker_host")
async def test_a_match_leaves_nothing(tmp_path: Path) -> None:
    """No container, process, group, descriptor, thread, folder or mount, faults or none."""
    async with opened(SandboxName.DOCKER) as sandbox:  # what a first time imports
        await prepared(sandbox, "sample:first")
    bots, temporary = tmp_path / "bots", tmp_path / "temporary"
    temporary.mkdir()
    dies = bot(bots / "dies", "sys.exit(3)")
    with nothing_left(bots, temporary, docker=True):
        async with opened(SandboxName.DOCKER) as sandbox:
            await match(
                tmp_path / "r", "briscola-2", dies, "sample:first",
                deals=2, time=CLOCK, sandbox=sandbox,
            )  # fmt: skip


@pytest.mark.parametrize(
    ("at_act", "limits", "judged"),
    [
        ("x = bytearray(200 << 20)", "memory = 64", (FaultCode.MEMORY, "more memory")),
        ("open('/tmp/x', 'wb').write(bytes(90 << 20))", "tmp = 8", (FaultCode.CRASHED, "status 1")),
        ("open('/bot/x', 'wb')", "", (FaultCode.CRASHED, "exit status 1")),
        ("__import__('socket').socket()", "", (FaultCode.CRASHED, "exit status 1")),
        # the children wait: only the bot itself meets the limit, and no child answers in its place
        (
            "[__import__('os').fork() or __import__('signal').pause() for _ in range(30)]",
            "processes = 20",
            (FaultCode.CRASHED, "exit status 1"),
        ),
        (
            "__import__('os').kill(__import__('os').getpid(), 11)",
            "",
            (FaultCode.CRASHED, "SIGSEGV"),
        ),
        ("sys.exit(3)", "", (FaultCode.CRASHED, "exit status 3")),
        ("input()", "", (FaultCode.LATE, "waits for input")),
    ],
)
async def test_who_wants_more_than_it_may_have_is_judged(
    at_act: str, limits: str, judged: tuple[FaultCode, str], sandbox: Sandbox, tmp_path: Path
) -> None:
    """Memory by name, the rest by how the process ended; the other bot is charged nothing."""
    typed = bot(tmp_path / "b", at_act, limits=limits)
    found = await match(
        tmp_path / "r", "briscola-2", typed, "sample:first",
        deals=1, time="move=700ms,bank=0s,soft=0ms,start=10s", sandbox=sandbox,
    )  # fmt: skip

    code, said = judged
    assert found.totals.voids == []
    (fault,) = found.totals.faults
    assert fault.code is code
    assert said in fault.detail
    assert found.totals.fault_counts == [1, 0]


async def test_a_program_that_cannot_be_run_is_a_fault_at_the_start(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Such as one that somebody has damaged after it was looked at."""
    (tmp_path / "b").mkdir()
    program = tmp_path / "b" / "x"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    (tmp_path / "b" / "bot.toml").write_text('name = "x"\ncommand = "./x"\n')
    spec = await prepared(sandbox, str(tmp_path / "b"))
    gone = type(spec)(spec.name, ("./gone",), spec.folder, spec.hash, spec.typed)
    found = await match(
        tmp_path / "r", "briscola-2", gone, "sample:first", deals=1, time=CLOCK, sandbox=sandbox
    )

    (fault,) = found.totals.faults
    assert fault.code is FaultCode.STARTUP
    assert "exit status 127" in fault.detail


async def test_what_is_seen_and_done_from_outside(sandbox: Sandbox, tmp_path: Path) -> None:
    """Time, freezing, the end of stdin, and an end that takes everything with it."""
    process = await sandbox.launch(await prepared(sandbox, python_bot(tmp_path / "b", SPINNERS)))
    assert await line_of(process) == "spinning"
    await trio.sleep(0.2)
    assert process.cpu_us() > 50_000
    for _ in range(2):
        process.freeze()
        process.freeze()  # is no mistake
        await until(process.is_stopped)
        assert process.freezer().freeze, "it is let go on by the daemon"
        assert process.stops_at_once()
        before = process.cpu_us()
        await trio.sleep(0.1)
        assert process.cpu_us() == before
        process.thaw()
        os.write(process.stdin, b"\n")
        assert await line_of(process) == "still here"
    process.close_stdin()
    assert await line_of(process) == "end"
    own = process._control.members()  # type: ignore[attr-defined]  # of this sandbox only
    process.freeze()
    begin = time.monotonic()
    finish(process)
    assert time.monotonic() - begin < 2
    assert living(own) == []
    assert process.status() == "killed by SIGKILL"


async def test_signals_that_wait_are_bounded(sandbox: Sandbox, tmp_path: Path) -> None:
    """They are memory of the kernel, and the daemon's bound is the machine's."""
    asks = "import resource as r; print(*r.getrlimit(r.RLIMIT_SIGPENDING), flush=True)"
    process = await sandbox.launch(await prepared(sandbox, python_bot(tmp_path / "b", asks)))
    assert await line_of(process) == f"{SIGNALS} {SIGNALS}"
    finish(process)


async def test_want_of_memory_is_known_long_after(sandbox: Sandbox, tmp_path: Path) -> None:
    """The control group goes with the container; whoever asks later is told all the same."""
    eats = "print('ready', flush=True); input(); x = bytearray(200 << 20)"
    spec = await prepared(sandbox, python_bot(tmp_path / "b", eats, "memory = 64"))
    for _ in range(3):
        process = await sandbox.launch(spec)
        assert await line_of(process) == "ready"
        assert not process.out_of_memory()
        os.write(process.stdin, b"\n")
        assert await ended(process) == "killed by SIGKILL"
        await until(lambda: not Path(f"/proc/{process.pid}").exists(), 5)  # noqa: B023  # at once
        await trio.sleep(0.2)
        assert process.out_of_memory()
        finish(process)
        assert process.out_of_memory()


LANGUAGES = (
    "first-c",
    "first-cpp",
    "first-rust",
    "first-java",
    "first-js",
    "first-perl",
    "first-sh",
)


@pytest.mark.usefixtures("docker_host")
@pytest.mark.parametrize("sample", LANGUAGES)
async def test_bots_of_every_language_are_built_and_play_the_same_in_it(
    sample: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Built in a container where they are built; the game is that of a bare match."""
    if not has_tool(sample):
        pytest.skip(f"no compiler or interpreter for {sample}")
    monkeypatch.setattr(choose, "store_folder", lambda: tmp_path / "store")  # nothing built yet
    bots = (f"sample:{sample}", "sample:first")
    bare = await match(tmp_path / "bare", "briscola-2", *bots, deals=2, time=CLOCK)
    async with opened(SandboxName.DOCKER, with_rust()) as sandbox:
        found = await match(
            tmp_path / "r", "briscola-2", *bots, deals=2, time=CLOCK, sandbox=sandbox
        )

    assert found.totals.fault_counts == [0, 0]
    assert found.end.game_digest == bare.end.game_digest


async def test_a_build_is_bound_and_says_why_it_failed(sandbox: Sandbox, tmp_path: Path) -> None:
    """It may write to its folder and has no network; the end of what it said is told."""
    (tmp_path / "bot.toml").write_text('name = "x"\ncommand = "./x"\nbuild = "sh make.sh"\n')
    network = "python3 -c 'import socket; socket.socket()'"
    (tmp_path / "make.sh").write_text(f"touch made && ls; {network}; exit 3\n")
    said = r"the build failed: sh make.sh(?s:.*)made\n(?s:.*)Operation not permitted$"
    with pytest.raises(RefereeError, match=said):
        await prepared(sandbox, str(tmp_path))


OPENS = """
import os
for name, how in (("in", os.O_WRONLY), ("in", os.O_RDWR), ("out", os.O_RDONLY), ("err", os.O_RDWR)):
    for path in (f"/io/{name}", f"/proc/self/fd/{('in', 'out', 'err').index(name)}"):
        try:
            os.open(path, how)
            print("opened", path, how)
        except PermissionError:
            pass
open("/tmp/x", "wb").write(bytes(4 << 20))
try:
    open("/tmp/y", "wb").write(bytes(20 << 20))
    print("/tmp has no end")
except OSError:
    pass
for path in ("/io/x", "/x", "/bot/x", "/etc/x", "/dev/x", "/run/x"):
    try:
        open(path, "w")
        print("wrote", path)
    except OSError:
        pass
print(sorted(os.environ), os.sched_getaffinity(0), os.getuid() == os.getgid(), flush=True)
try:
    os.open("/io/out", os.O_WRONLY)
except PermissionError:
    os._exit(0)
os._exit(1)
"""


async def test_a_bot_has_its_own_ends_of_the_pipes_and_our_core(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """It can open none of them again, not even its own, and write nowhere else."""
    core = min(os.sched_getaffinity(0))
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})
    try:
        spec = await prepared(sandbox, python_bot(tmp_path / "b", OPENS))
        process = await sandbox.launch(spec)
    finally:
        os.sched_setaffinity(0, before)
    said = await line_of(process)
    assert said.endswith(f"{{{core}}} True")
    names = "HOME HOSTNAME JDK_JAVA_OPTIONS LANG LC_CTYPE PATH PWD PYTHONDONTWRITEBYTECODE"
    assert set(ast.literal_eval(said.partition("]")[0] + "]")) <= {
        *names.split(), "OLDPWD", "PYTHONUNBUFFERED", "TMPDIR", "_",
    }  # fmt: skip
    assert await ended(process) == "exit status 0"
    finish(process)


PEEKS = """
import os, sys
for line in open(f"/proc/{sys.argv[1]}/mountinfo"):
    folder, target = line.split()[3:5]
    if target == "/io":
        print(folder)
        for name in ("in", "out", "err"):
            for how in (os.O_RDONLY, os.O_WRONLY):
                try:
                    os.open(f"{folder}/{name}", how | os.O_NONBLOCK)
                    print("opened", name, how)
                except PermissionError:
                    pass
"""
"""Looks, as another user of the machine, where the pipes of a process lie, and opens them."""


async def test_other_users_of_the_machine_cannot_open_the_pipes(sandbox: Sandbox) -> None:
    """/proc tells everybody where they lie: they would read hidden cards, and answer for a bot."""
    need("setpriv", root=True)
    process = await sandbox.launch(await prepared(sandbox, "sample:first"))
    who = ["setpriv", "--reuid=12345", "--regid=12345", "--clear-groups"]
    words = [*who, "/usr/bin/python3", "-I", "-S", "-c", PEEKS, str(process.pid)]
    # nothing else is to run meanwhile
    seen = subprocess.run(words, capture_output=True, text=True, check=True).stdout  # noqa: ASYNC221
    finish(process)
    assert run_of(os.getpid()) in seen
    assert "opened" not in seen


async def test_bots_are_of_users_of_their_own(sandbox: Sandbox) -> None:
    """Two at once are two users of the host, neither of them ours."""
    need(root=True)
    spec = await prepared(sandbox, "sample:first")
    processes = [await sandbox.launch(spec) for _ in range(2)]
    owners = {os.stat(f"/proc/{process.pid}").st_uid for process in processes}
    assert len(owners) == 2
    assert min(owners) > 60000
    finish(*processes)


@pytest.mark.usefixtures("docker_host")
async def test_a_bot_that_was_paused_without_a_word_is_let_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A daemon that answers too late has done it all the same; the bot could never move else."""
    pause = APIClient.pause

    def pause_in_silence(client: APIClient, container: str) -> None:
        with suppress(APIError):  # again: it is paused
            pause(client, container)
        raise RequestException("Read timed out")

    async with opened(SandboxName.DOCKER, cgroups=False) as sandbox:
        process = await sandbox.launch(
            await prepared(sandbox, python_bot(tmp_path / "s", SPINNERS))
        )
        assert await line_of(process) == "spinning"
        monkeypatch.setattr(APIClient, "pause", pause_in_silence)
        monkeypatch.setattr(remote, "_PAUSE_S", 0.5)
        with pytest.raises(Unstoppable):
            process.freeze()
        process.thaw()
        os.write(process.stdin, b"\n")
        assert await line_of(process) == "still here"
        finish(process)


@pytest.mark.usefixtures("docker_host")
async def test_without_control_groups_the_daemon_is_asked(tmp_path: Path) -> None:
    """As where we are not root: slower, but the same is known and done."""
    async with opened(SandboxName.DOCKER, cgroups=False) as sandbox:
        spinning = await sandbox.launch(
            await prepared(sandbox, python_bot(tmp_path / "s", SPINNERS))
        )
        assert await line_of(spinning) == "spinning"
        spinning.freeze(for_now=True)
        spinning.freeze()  # is no mistake
        assert spinning.is_stopped()
        assert spinning.freezer() == NO_FILE
        assert not spinning.stops_at_once()
        before = spinning.cpu_us()
        await trio.sleep(0.1)
        assert spinning.cpu_us() == before
        spinning.thaw()
        os.write(spinning.stdin, b"\n")
        assert await line_of(spinning) == "still here"
        finish(spinning)
        found = await match(
            tmp_path / "r", "briscola-2",
            bot(tmp_path / "b", "x = bytearray(200 << 20)", limits="memory = 64"), "sample:first",
            deals=1, time=CLOCK, sandbox=sandbox, freeze=Freeze.NEVER,
        )  # fmt: skip
    assert [fault.code for fault in found.totals.faults] == [FaultCode.MEMORY]


@pytest.mark.usefixtures("docker_host")
@pytest.mark.parametrize("name", ["memory_mappings", "memory_mappings_of_children"])
async def test_without_control_groups_too_many_mappings_are_charged(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The daemon ends the bot at our word, as it does for an ordinary user: nothing is void."""
    monkeypatch.setattr(PolledGroup, "kill", lambda _: None)  # its processes are another user's
    (hostile,) = (one for one in animals() if one.name == name)
    typed = str(Cages(tmp_path).folder(hostile, "docker"))
    async with opened(SandboxName.DOCKER, cgroups=False) as sandbox:
        found = await meet(sandbox, (typed, HONEST), tmp_path / "r", hostile.time)
    assert found.totals.void_count == 0
    assert {fault.code for fault in found.totals.faults} == {FaultCode.MEMORY}


async def test_a_closed_toolchain_is_shown(docker_host: str, tmp_path: Path) -> None:
    """The daemon reaches a folder that a bot's user could not; it is there at its own path."""
    need(root=True)
    toolchain = tmp_path / "closed" / "tool"
    (toolchain / "bin").mkdir(parents=True)
    program = toolchain / "bin" / "said-by-a-tool"
    program.write_text("#!/bin/sh\necho the tool speaks\n")
    program.chmod(0o755)
    (tmp_path / "closed").chmod(0o700)
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "bot.toml").write_text('name = "x"\ncommand = "said-by-a-tool"\n')
    settings = Settings(toolchains=(str(toolchain),))
    async with opened(SandboxName.DOCKER, settings) as sandbox:
        process = await sandbox.launch(await prepared(sandbox, str(tmp_path / "bot"), settings))
        assert await line_of(process) == "the tool speaks"
        finish(process)
    assert docker_host == os.environ["DOCKER_HOST"]


async def test_a_cancelled_launch_leaves_nothing(sandbox: Sandbox, docker_host: str) -> None:
    """Wherever it is stopped: the container that was on its way is taken away."""
    work = work_folder() / run_of(os.getpid())
    before = open_files() + 1  # the lock on the bot's copy
    spec = await prepared(sandbox, "sample:first")
    for wait_s in (0, 0.005, 0.02, 0.05, 0.1):
        with trio.move_on_after(wait_s):
            finish(await sandbox.launch(spec))
    await until(lambda: not containers(docker_host, run_of(os.getpid())), 3)
    # a container is gone before the daemon answers whoever took it away, by a socket of ours
    await until(lambda: open_files() == before, 3)
    assert sorted(one.name for one in work.iterdir()) == ["empty", "masks", "pipes"]
    assert list((work / "pipes").iterdir()) == []


# --- images that bots name ----------------------------------------------------------------------


@contextmanager
def small_image(host: str, name: str, *changes: str) -> Iterator[None]:
    """An image with a shell, its libraries and nothing else; gone afterwards."""
    libraries = subprocess.run(["ldd", "/bin/sh"], capture_output=True, text=True, check=True)
    words = [word for word in libraries.stdout.split() if word.startswith("/")]
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as archive:
        for path in ("/bin/sh", *words):
            archive.add(os.path.realpath(path), path, recursive=False)
        for folder in ("bot", "io", "tmp", "proc", "sys", "dev", "etc", "sbin"):
            entry = tarfile.TarInfo(folder)
            entry.type, entry.mode = tarfile.DIRTYPE, 0o755
            archive.addfile(entry)
        said = b"from the image"
        entry = tarfile.TarInfo("said")
        entry.size = len(said)
        archive.addfile(entry, io.BytesIO(said))
    client = docker.APIClient(base_url=host, version="auto")
    repository, _, tag = name.partition(":")
    client.import_image_from_data(buffer.getvalue(), repository, tag, changes=list(changes))
    try:
        yield
    finally:
        client.remove_image(name, force=True)
        client.close()


def shell_bot(folder: Path, image: str) -> str:
    folder.mkdir()
    (folder / "x.sh").write_text('read -r line </said; echo "$line, $PATH"; read -r line; exit 0\n')
    (folder / "bot.toml").write_text(f'name = "x"\ncommand = "sh x.sh"\nimage = "{image}"\n')
    return str(folder)


async def test_a_bot_may_name_an_image_that_is_here(
    sandbox: Sandbox, docker_host: str, tmp_path: Path
) -> None:
    """It then sees that one's programs and not the host's."""
    with small_image(docker_host, "briscola-referee-test:sh", "ENV PATH=/bin:/image"):
        spec = await prepared(
            sandbox,
            shell_bot(tmp_path / "b", "briscola-referee-test:sh"),
            Settings(images=("briscola-referee-test:sh",)),
        )
        process = await sandbox.launch(spec)
        assert await line_of(process) == "from the image, /bin:/image"
        process.close_stdin()
        assert await ended(process) == "exit status 0"
        finish(process)
        await until(lambda: not containers(docker_host, run_of(os.getpid())), 3)


async def test_labels_of_an_image_are_no_news_of_the_daemon(
    sandbox: Sandbox, docker_host: str, tmp_path: Path
) -> None:
    """They stand where its exit code would, and it was the daemon that seemed dead."""
    name = "briscola-referee-test:labelled"
    with small_image(docker_host, name, "LABEL exitCode=soon"):
        folder = shell_bot(tmp_path / "b", name)
        process = await sandbox.launch(await prepared(sandbox, folder, Settings(images=(name,))))
        await line_of(process)
        process.close_stdin()
        assert await ended(process) == "exit status unknown"
        finish(process)
        assert sandbox.trouble() is None


@pytest.mark.parametrize("image", ["briscola-referee-test:none", "No Such/Image", "../containers"])
async def test_an_image_that_is_not_here_is_found_before_play(
    image: str, sandbox: Sandbox, tmp_path: Path
) -> None:
    """Nothing is fetched from anywhere."""
    with pytest.raises(RefereeError, match=f"image {image!r}"):
        await prepared(sandbox, shell_bot(tmp_path / "b", image), Settings(images=(image,)))


async def test_an_image_with_volumes_is_refused(
    sandbox: Sandbox, docker_host: str, tmp_path: Path
) -> None:
    """What a bot writes there nothing would bound."""
    with (
        small_image(docker_host, "briscola-referee-test:volume", "VOLUME /data"),
        pytest.raises(RefereeError, match="has volumes"),
    ):
        await prepared(
            sandbox,
            shell_bot(tmp_path / "b", "briscola-referee-test:volume"),
            Settings(images=("briscola-referee-test:volume",)),
        )


# --- the death of the daemon, and ours ----------------------------------------------------------


async def broken(path: Path, accident: Callable[[], None]) -> MatchResult:
    """Plays a match of slow bots, with an accident in its second deal."""
    slow = bot(path.parent / "slow", "time.sleep(0.02)", prelude="import time")

    async def wait() -> None:
        await until(lambda: path.exists() and b"deal_end" in path.read_bytes(), 30)
        await trio.to_thread.run_sync(accident)

    async with opened(SandboxName.DOCKER) as sandbox, trio.open_nursery() as nursery:
        nursery.start_soon(wait)
        return await match(
            path, "briscola-2", slow, "sample:first", deals=3, time=CLOCK, sandbox=sandbox
        )
    raise AssertionError


async def test_a_daemon_that_dies_and_stays_dead_ends_the_match(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deal is void, tried again and given up; no bot is charged, and no process is left."""
    monkeypatch.setattr(container, "_REVIVAL_S", 0.3)
    with own_daemon() as daemon:
        monkeypatch.setenv("DOCKER_HOST", daemon.host)
        found = await broken(tmp_path / "r", daemon.kill)
        run = run_of(os.getpid())
        assert groups_of(run) == []
        assert run not in os.listdir(work_folder())

    assert found.given_up is not None
    assert found.given_up.family is Blame.HOST
    assert found.totals.fault_counts == [0, 0]
    voids = [line for line in lines_of(tmp_path / "r") if isinstance(line, VoidLine)]
    assert [void.family for void in voids] == [Blame.HOST] * 3
    assert "the daemon has died" in voids[0].detail
    assert "the daemon does not answer" in voids[1].detail
    last = lines_of(tmp_path / "r")[-1]
    assert isinstance(last, EndLine)
    assert last.end == "host"


async def test_a_daemon_that_comes_back_lets_the_match_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One deal is void and played again; its end is that of a match without the accident."""
    with own_daemon() as daemon:
        monkeypatch.setenv("DOCKER_HOST", daemon.host)

        def restart() -> None:
            daemon.kill()
            daemon.start()

        found = await broken(tmp_path / "r", restart)
        assert containers(daemon.host, run_of(os.getpid())) == []
    quiet = await match(
        tmp_path / "q", "briscola-2", str(tmp_path / "slow"), "sample:first", deals=3, time=CLOCK
    )

    assert found.given_up is None
    assert [void.family for void in found.totals.voids] == [Blame.HOST]
    assert found.totals.fault_counts == [0, 0]
    assert found.end.scores == quiet.end.scores
    played = [[deal.acts for deal in verified(tmp_path / name)] for name in "rq"]
    assert played[0] == played[1]


async def test_a_daemon_that_is_told_to_stop_charges_no_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It ends the containers before itself: that looks like bots that crash, and is void."""
    with own_daemon() as daemon:
        monkeypatch.setenv("DOCKER_HOST", daemon.host)
        # a loaded machine takes seconds to start it again; three attempts have to last so long
        monkeypatch.setattr("referee.play.conductor._BACK_OFF_S", 4.0)

        def restart() -> None:
            daemon.end()
            daemon.start()

        found = await broken(tmp_path / "r", restart)

    assert found.given_up is None
    assert {void.family for void in found.totals.voids} == {Blame.HOST}
    assert found.totals.fault_counts == [0, 0]
    verified(tmp_path / "r")


async def test_a_container_that_somebody_else_stops_charges_no_bot(
    docker_host: str, tmp_path: Path
) -> None:
    """As an operator may, with `docker stop`."""

    def stop() -> None:
        client = docker.APIClient(base_url=docker_host, version="auto")
        client.stop(containers(docker_host, run_of(os.getpid()))[0], timeout=1)
        client.close()

    found = await broken(tmp_path / "r", stop)

    (void,) = found.totals.voids
    assert "somebody else has ended a container" in void.detail
    assert found.totals.fault_counts == [0, 0]
    verified(tmp_path / "r")


async def test_a_daemon_that_dies_twice_is_reported_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A death is told once; after a launch that succeeds there is no trouble until the next."""
    with own_daemon() as daemon:
        monkeypatch.setenv("DOCKER_HOST", daemon.host)
        async with opened(SandboxName.DOCKER) as sandbox:
            spec = await prepared(sandbox, "sample:first")
            for _ in range(2):
                assert sandbox.trouble() is None
                process = await sandbox.launch(spec)
                await trio.to_thread.run_sync(daemon.kill)
                await until(lambda: sandbox.trouble() is not None, 2)
                begin = time.monotonic()
                finish(process)
                assert time.monotonic() - begin < 2
                assert process.status() == "killed by SIGKILL"
                await trio.to_thread.run_sync(daemon.start)
                finish(await sandbox.launch(spec))


async def test_how_a_bot_ended_is_unknown_without_a_daemon(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody else knows; it is said at once."""
    with own_daemon() as daemon:
        monkeypatch.setenv("DOCKER_HOST", daemon.host)
        async with opened(SandboxName.DOCKER) as sandbox:
            spec = await prepared(sandbox, python_bot(tmp_path / "b", "input()"))
            process = await sandbox.launch(spec)
            await trio.to_thread.run_sync(daemon.kill)
            process.close_stdin()
            begin = time.monotonic()
            assert await ended(process) == "exit status unknown"
            assert time.monotonic() - begin < 1.5
            finish(process)


async def test_a_daemon_that_cannot_be_reached_is_no_sandbox(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Neither one that is not there nor one that is not here."""
    before = threading.active_count()
    for host, said in (
        (f"unix://{tmp_path}/none", "no Docker daemon listens"),
        ("tcp://far", "only a local"),
    ):
        monkeypatch.setenv("DOCKER_HOST", host)
        with pytest.raises(SandboxError, match=said):
            async with opened(SandboxName.DOCKER):
                pass
    assert threading.active_count() <= before + 1  # trio keeps a thread for later


async def test_containers_have_the_runtime_that_settings_name(docker_host: str) -> None:
    """A runtime by name is taken, and said; one that the daemon lacks gets one line."""
    async with opened(SandboxName.DOCKER, Settings(docker_runtime="runc")) as sandbox:
        process = await sandbox.launch(BotSpec("sleeper", ("sleep", "60"), "/usr", "", "sleeper"))
        client = docker.APIClient(base_url=docker_host, version="auto")
        (made,) = containers(docker_host, run_of(os.getpid()))
        runtime = client.inspect_container(made)["HostConfig"]["Runtime"]
        client.close()
        finish(process)
        assert runtime == "runc"
        assert " and runc, " in sandbox.how

    with pytest.raises(SandboxError, match=r"docker_runtime: .* no runtime 'runsk', only .*runc"):
        async with opened(SandboxName.DOCKER, Settings(docker_runtime="runsk")):
            pass


@contextmanager
def referee_at_play(host: str, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """A referee that plays a long match in containers; killed when the block is left."""
    slow = bot(folder / "slow", "time.sleep(0.05)", prelude="import time")
    record = folder / "r"
    process = subprocess.Popen(
        [
            sys.executable, "-c", "from referee.cli import main; main()", "match", slow, slow,
            "--sandbox", "docker", "--deals", "50", "--record", str(record),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        limit = time.monotonic() + 30
        while not record.exists() or b'"act' not in record.read_bytes():
            assert time.monotonic() < limit
            assert process.poll() is None
            time.sleep(0.02)
        assert len(containers(host, run_of(process.pid))) == 2
        yield process
    finally:
        process.kill()
        process.wait()


def until_gone(left: Callable[[], list[str]], within_s: float) -> None:
    limit = time.monotonic() + within_s
    while found := left():
        assert time.monotonic() < limit, found
        time.sleep(0.02)


def test_a_referee_that_is_killed_leaves_no_container(docker_host: str, tmp_path: Path) -> None:
    """The janitor ends and removes them within two seconds."""
    with referee_at_play(docker_host, tmp_path) as process:
        run = run_of(process.pid)
    until_gone(lambda: [*containers(docker_host, run), *groups_of(run)], 2)


def test_a_referee_that_is_killed_with_its_janitor_leaves_no_container(
    docker_host: str, tmp_path: Path
) -> None:
    """Another janitor, which the daemon keeps, removes the bots' containers, and then leaves."""
    with referee_at_play(docker_host, tmp_path) as process:
        run = run_of(process.pid)
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        (first,) = (
            int(pid)
            for pid in children
            if b"janitor.py" in Path(f"/proc/{pid}/cmdline").read_bytes()
        )
        os.kill(process.pid, signal.SIGSTOP)  # so that both die at once
        os.kill(first, signal.SIGKILL)
    until_gone(lambda: containers(docker_host, run), 30)  # a loaded machine is no bug
    until_gone(lambda: containers(docker_host, run, janitor_container.LABEL), 30)


def test_a_janitor_whose_referee_is_gone_before_it_watches_does_not_wait(tmp_path: Path) -> None:
    """It opens its pipe without waiting for whoever would write there."""
    os.mkfifo(tmp_path / "in")
    os.mkfifo(tmp_path / "out")
    words = [sys.executable, "-I", "-S", janitor.__file__, "x-1-1", "", "/no/such", str(tmp_path)]
    assert subprocess.run(words, check=False, timeout=60).returncode == 0

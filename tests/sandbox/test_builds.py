"""Builds of strangers: whatever they do, the disk, and all that is ours, sees what was promised."""

import json
import os
import re
import shlex
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from referee.bots.find import BotSource, BotSpec, find
from referee.bots.settings import Settings
from referee.errors import HostError, RefereeError
from referee.sandbox import UNKNOWN_STATUS, BotProcess, Sandbox
from referee.sandbox.build import FOLDER_FILES, FOLDER_MIB, show_sources
from referee.sandbox.choose import opened
from referee.sandbox.folders import store_folder
from referee.sandbox.janitor import run_of
from referee.sandbox.names import SandboxName
from support.sandboxes import need

pytestmark = pytest.mark.slow

HOSTILE = Path(__file__).parents[1] / "hostile_builds"
_A_LOOK: int = 20_000
"""Files that a build can make in the time of a look, where its folder has no bound for them."""


@pytest.fixture(
    params=[
        "bwrap",
        "alone",
        pytest.param("docker", marks=pytest.mark.thorough),
    ]
)
async def sandbox(request: pytest.FixtureRequest) -> AsyncIterator[Sandbox]:
    """Each sandbox; `alone` is bubblewrap without control groups."""
    name = SandboxName.DOCKER if request.param == "docker" else SandboxName.BWRAP
    if name is SandboxName.DOCKER:
        request.getfixturevalue("docker_host")
    else:
        need("bwrap")
    async with opened(name, cgroups=request.param != "alone") as sandbox:
        yield sandbox


def built_by(path: Path, *program: str) -> BotSource:
    """A bot whose build runs a program of `tests/hostile_builds`, or a command."""
    path.mkdir()
    command = program
    if program[0].endswith(".py"):
        (path / "hostile.py").write_bytes((HOSTILE / program[0]).read_bytes())
        command = ("python3", "-S", "hostile.py")
    text = json.dumps(shlex.join(command))
    (path / "x.sh").write_text(f"# {path}\nexit 3\n")
    (path / "bot.toml").write_text(f'name = "x"\ncommand = "sh x.sh"\nbuild = {text}\n')
    return find(str(path), Settings())


async def refused(sandbox: Sandbox, bot: BotSource) -> str:
    """What is said of a build that is refused; the store has nothing of it then."""
    with pytest.raises(RefereeError) as refusal:
        await sandbox.prepare(bot)
    of_it = (bot.hash, run_of(os.getpid()))  # other tests use the store, too
    assert [name for name in os.listdir(store_folder()) if any(one in name for one in of_it)] == []
    return str(refusal.value)


def figure(line: str) -> int:
    """The last figure that a hostile build could say."""
    return int(re.findall(r"figure: (\d+)", line)[-1])


async def test_files_without_a_name_are_bound_as_all_others(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """They fill the build's own folder and nothing of the disk; it is told what was full."""
    line = await refused(sandbox, built_by(tmp_path / "x", "unlinked_files.py"))
    assert "No space left on device" in line
    assert FOLDER_MIB - 1 <= figure(line) <= FOLDER_MIB


async def test_the_number_of_names_is_bound_while_they_are_made(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """By the folder itself in Docker and as root; else by looking, which can be late by a look."""
    line = await refused(sandbox, built_by(tmp_path / "x", "many_names.py"))
    itself = sandbox.name == "docker" or os.geteuid() == 0
    assert figure(line) <= FOLDER_FILES + (0 if itself else _A_LOOK)
    assert not itself or "No space left on device" in line


async def test_holes_are_refused_before_they_are_copied(sandbox: Sandbox, tmp_path: Path) -> None:
    """What comes out of a build is counted as it would lie in a copy."""
    line = await refused(sandbox, built_by(tmp_path / "x", "sparse_files.py"))
    assert "the build left 1,024.0 MiB or more in" in line or "the build left 1.0 GiB" in line


@pytest.mark.parametrize("way", ["by the pipe", "by the shell"])
async def test_an_archive_of_its_own_making_makes_no_room(
    sandbox: Sandbox, tmp_path: Path, way: str
) -> None:
    """Its headers say less than nothing; what is a word of the shell is no program to build by."""
    command = ["own_archive.py"]
    if way == "by the shell":
        command = ["eval", "tar() { python3 -S hostile.py; }"]
    bot = built_by(tmp_path / "x", *command)
    if way == "by the shell":
        for name in ("hostile.py", "eval"):
            data = (HOSTILE / "own_archive.py").read_bytes()
            (tmp_path / "x" / name).write_bytes(data if name == "hostile.py" else b"")
            (tmp_path / "x" / name).chmod(0o755)
        bot = find(str(tmp_path / "x"), Settings())
    await _taken_over_or_refused(sandbox, bot, "a number of a header is none|the build failed")


async def test_a_daemon_of_a_build_ends_with_it(sandbox: Sandbox, tmp_path: Path) -> None:
    """What it does meanwhile is the build's own harm: refused, or taken over within its bounds."""
    bot = built_by(tmp_path / "x", "writes_on.py")
    await _taken_over_or_refused(sandbox, bot, "the build failed")


async def _taken_over_or_refused(sandbox: Sandbox, bot: BotSource, refusal: str) -> None:
    """Both are right, which is a matter of what the sandbox lets a build open."""
    try:
        spec = await sandbox.prepare(bot)
    except RefereeError as error:
        assert re.search(refusal, str(error))  # noqa: PT017  # see above
    else:
        with os.scandir(spec.folder) as entries:
            assert sum(entry.stat().st_size for entry in entries) < 64 << 20
        sandbox.release(spec)


async def test_a_build_whose_end_is_not_known_is_no_fault_of_its_bot(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where a daemon does not say it in time, the machine has failed, and nothing is refused."""
    begun: list[BotProcess] = []
    launch = sandbox.launch

    async def mute(spec: BotSpec) -> BotProcess:
        begun.append(await launch(spec))
        monkeypatch.setattr(begun[0], "status", lambda: UNKNOWN_STATUS)
        return begun[0]

    monkeypatch.setattr(sandbox, "launch", mute)
    with pytest.raises(HostError, match="not known how its build has ended"):
        await sandbox.prepare(built_by(tmp_path / "b", "true"))


async def test_a_build_finds_its_sources_and_leaves_what_it_made(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Files with their right to execute, links as links, second names of one file; no pipes."""
    makes = (
        "mkdir -p a/b && echo hello > a/b/c && chmod +x a/b/c && ln -s /etc/shadow link && "
        "ln a/b/c second && mkfifo pipe && rm x.sh && echo 'exit 4' > x.sh && cat a/b/c"
    )
    spec = await sandbox.prepare(built_by(tmp_path / "x", "sh", "-c", makes))
    made = Path(spec.folder)
    assert sorted(os.listdir(made)) == ["a", "bot.toml", "link", "second", "x.sh"]
    assert os.readlink(made / "link") == "/etc/shadow"
    assert (made / "second").read_text() == (made / "a/b/c").read_text() == "hello\n"
    assert (made / "a/b/c").stat().st_mode & 0o777 == 0o555
    assert (made / "x.sh").read_text() == "exit 4\n"
    sandbox.release(spec)


async def test_what_tar_cannot_read_is_the_builds_fault(sandbox: Sandbox, tmp_path: Path) -> None:
    """It is refused, and not left out without a word."""
    line = await refused(sandbox, built_by(tmp_path / "x", "sh", "-c", "touch f; chmod 0 f"))
    assert "the build failed" in line
    assert "f: Cannot open: Permission denied" in line


async def test_a_link_that_a_build_leaves_shows_no_file_of_the_machine(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    """Neither what it begins with nor whether it is there."""
    secret = tmp_path / "secret"
    secret.write_text("#!/opt/SECRET\n")
    secret.chmod(0o700)
    said = []
    for target in (secret, tmp_path / "none"):
        folder = tmp_path / f"to-{target.name}"
        folder.mkdir()
        build = json.dumps(f"ln -s {shlex.quote(str(target))} bot")
        (folder / "bot.toml").write_text(f'name = "x"\ncommand = "./bot"\nbuild = {build}\n')
        with pytest.raises(RefereeError) as refusal:
            await sandbox.prepare(find(str(folder), Settings()))
        said.append(str(refusal.value).replace(str(folder), ""))
    assert said[0] == said[1]
    assert "SECRET" not in said[0]


def test_nobody_else_comes_to_the_sources_of_a_build(tmp_path: Path) -> None:
    """The folder above is closed to all but root and the builder, who can write to neither."""
    need(root=True)
    work = tmp_path / "scratch" / "source"
    work.mkdir(parents=True)
    show_sources(work, 60899)
    above = work.parent.stat()
    assert (above.st_mode & 0o777, above.st_uid, above.st_gid) == (0o710, 0, 60899)
    assert work.stat().st_uid == 0

"""Which sandbox is taken, for whose bots, and who may never run without one."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from referee.bots.find import BotSource, Doubt, find
from referee.bots.settings import Settings
from referee.cli import run
from referee.doctor.reports import Machine, mend_of
from referee.errors import RefereeError, SandboxError
from referee.sandbox import Sandbox, choose, janitor
from referee.sandbox.bare import Bare
from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.bubblewrap.sandbox import INSTALL, MISSING
from referee.sandbox.choose import by_strength, opened_for
from referee.sandbox.names import SandboxName
from support.sandboxes import need


async def taken(name: SandboxName, *typed: str) -> str:
    bots = [find(one, Settings()) for one in typed]
    async with opened_for(name, bots, Settings()) as sandbox:
        return sandbox.name


@pytest.fixture
def nothing_works(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine with neither bubblewrap nor a Docker daemon."""
    monkeypatch.setattr(bubblewrap, "PROGRAMS", "/no/such/folder")
    monkeypatch.setenv("DOCKER_HOST", "unix:///no/such/socket")


def executable(path: Path) -> Path:
    path.write_text("#!/bin/sh\nexit 3\n")
    path.chmod(0o755)
    return path


async def test_auto_is_bubblewrap_where_it_works() -> None:
    """The strongest that works is taken, for samples too."""
    need("bwrap")
    assert await taken(SandboxName.AUTO, "sample:first") == "bwrap"


def test_whose_a_bot_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A user's own files that nobody else can change are the user's; none is known to be root's."""
    own = executable(tmp_path / "my own")
    found, sample = find(str(own), Settings()), find("sample:first", Settings())
    monkeypatch.setattr(os, "geteuid", lambda: own.stat().st_uid + 1)
    assert found.doubt() == Doubt(f"another user owns {str(own)!r}")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert found.doubt() == Doubt("it would run as root")
    assert sample.doubt() is None
    if own.stat().st_uid == 0:
        os.chown(own, 1000, 1000)
    monkeypatch.setattr(os, "geteuid", lambda: own.stat().st_uid)
    assert found.doubt() is None
    own.chmod(0o777)
    assert found.doubt() == Doubt(f"any user may change {str(own)!r}", f"chmod o-w '{own}'")


@pytest.mark.parametrize("mend", ["", "chmod o-w x"])
@pytest.mark.usefixtures("nothing_works")
async def test_a_refusal_says_the_reason_and_one_command(
    mend: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What speaks against the bot, what each sandbox lacks, and what to type."""
    own = executable(tmp_path / "own")
    monkeypatch.setattr(BotSource, "doubt", lambda _: Doubt("it is odd", mend))
    monkeypatch.setattr(choose, "by_strength", lambda: (SandboxName.BWRAP, SandboxName.DOCKER))
    assert mend_of("bwrap", MISSING, Machine()) == INSTALL  # the doctor says the same
    with pytest.raises(RefereeError) as caught:
        await taken(SandboxName.AUTO, str(own))
    assert str(caught.value) == (
        f"bot {str(own)!r}: it is odd, and no sandbox works here (bwrap: no program 'bwrap': "
        "install the package bubblewrap; docker: no Docker daemon listens at /no/such/socket): "
        f"{mend or INSTALL}; or trust the bot with --sandbox bare"
    )


async def test_what_no_package_mends_is_for_the_doctor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where bubblewrap is installed and does not start, `referee doctor` knows why."""

    async def fails(*_: object, **__: object) -> Sandbox:
        raise SandboxError("setting up uid map")

    own = executable(tmp_path / "own")
    monkeypatch.setattr("referee.sandbox.choose._tried", fails)
    monkeypatch.setattr(os, "geteuid", lambda: own.stat().st_uid + 1)
    with pytest.raises(
        RefereeError, match=r"uid map\): `referee doctor` says how to mend that; or"
    ):
        await taken(SandboxName.AUTO, str(own))


@pytest.mark.usefixtures("nothing_works")
async def test_without_a_sandbox_no_strangers_bot_is_run(tmp_path: Path) -> None:
    """Samples are, with the reason; another's file only by whoever asks for bare."""
    own = executable(tmp_path / "own")
    own.chmod(0o777)
    assert await taken(SandboxName.AUTO, "sample:first") == "bare"
    with pytest.raises(RefereeError, match=r"it would run as root|any user may"):
        await taken(SandboxName.AUTO, "sample:first", str(own))
    assert await taken(SandboxName.BARE, str(own)) == "bare"


@pytest.mark.usefixtures("nothing_works")
def test_a_sandbox_that_does_not_work_is_found_before_play(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One line with what to install, exit code 2, no record."""
    monkeypatch.chdir(tmp_path)
    for name in ("bwrap", "docker"):
        assert run(["match", "sample:first", "sample:first", "--sandbox", name]) == 2
        said = capsys.readouterr()
        assert said.err.startswith(f"referee: sandbox {name}: ")
        assert said.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


async def test_a_submitted_bot_never_runs_bare(tmp_path: Path) -> None:
    """Not by choice, not by mistake: the bare sandbox itself refuses to start it."""
    own = await Bare().prepare(find(str(executable(tmp_path / "theirs")), Settings()))
    spec = replace(own, submitted=True)
    with pytest.raises(RefereeError, match="was submitted: it never runs without a sandbox"):
        await Bare().launch(spec)


@pytest.mark.usefixtures("nothing_works")
@pytest.mark.parametrize("sandbox", ["auto", "bare"])
def test_a_bot_that_was_handed_in_never_runs_bare_whoever_names_it(
    sandbox: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A ladder and an event keep theirs under their hashes; whose those are is known by that."""
    folder = tmp_path / "ladder" / "bots" / ("0123456789abcdef" * 4)
    folder.mkdir(parents=True)
    executable(folder / "theirs")
    (folder / "bot.toml").write_text('name = "theirs"\ncommand = "./theirs"\n')
    (tmp_path / "link").symlink_to(folder)
    for bot in (folder, folder / "theirs", tmp_path / "link"):
        words = ["match", str(bot), "sample:first", "--sandbox", sandbox]
        assert run([*words, "--record", str(tmp_path / "record")]) == 2
        said = capsys.readouterr().err
        assert "never runs without a sandbox" in said or "run in a sandbox only" in said


def test_a_bot_that_was_handed_in_is_known_though_its_ladder_keeps_all_on_another_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its name, where the folder of bots is a link; a sample is ours wherever it is named."""
    folder = tmp_path / "disk" / ("0123456789abcdef" * 4)
    folder.mkdir(parents=True)
    (tmp_path / "bots").symlink_to(tmp_path / "disk")
    bot = executable(tmp_path / "bots" / folder.name / "theirs")
    assert find(str(bot), Settings()).submitted
    monkeypatch.chdir(tmp_path / "bots" / folder.name)
    monkeypatch.setattr(os, "getcwd", lambda: str(bot.parent))
    assert not find("sample:first", Settings()).submitted


def test_bare_is_said_once_and_a_sandbox_by_name(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever runs bots without a sandbox is told so; else what binds them."""
    need("bwrap")
    monkeypatch.chdir(tmp_path)
    pair = ["match", "sample:first", "sample:first", "--deals", "1"]
    assert run([*pair, "--sandbox", "bare"]) == 0
    said = capsys.readouterr().err
    assert said.count("bots run bare (no isolation): run only bots you trust") == 1
    assert run([*pair, "--sandbox", "bwrap"]) == 0
    assert capsys.readouterr().err.startswith("sandbox: bwrap (namespaces, seccomp, ")


def test_docker_comes_first_where_only_docker_binds_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Without control groups of ours, or without root, bubblewrap can only watch."""
    usual = (SandboxName.BWRAP, SandboxName.DOCKER)
    monkeypatch.setattr(choose, "available", lambda: None)
    assert by_strength() == usual[::-1]
    monkeypatch.setattr(choose, "available", lambda: "some")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert by_strength() == usual
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert by_strength() == usual[::-1]


async def test_a_processor_without_a_table_has_no_sandbox(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is said, and nothing runs without its filter."""
    need("bwrap")
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    with pytest.raises(RefereeError, match="no filter of system calls for a riscv64"):
        await taken(SandboxName.BWRAP, "sample:first")


def test_the_janitor_of_a_match_imports_what_its_end_needs_only_then() -> None:
    """It starts beside the first acts: to import a client of HTTP took 50 ms of their processor."""
    beside = f"import sys; sys.path.insert(0, {str(Path(janitor.__file__).parent)!r})"
    code = f"{beside}; import janitor; print(*sys.modules)"
    ran = [sys.executable, "-I", "-S", "-c", code]
    loaded = subprocess.run(ran, capture_output=True, text=True, check=True).stdout.split()

    assert "janitor" in loaded
    assert not {"http", "json", "shutil", "socket", "urllib"} & set(loaded)

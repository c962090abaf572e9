"""What the organiser allows, and what a file must be to be run."""

import sys
from pathlib import Path

import pytest

from referee.bots.find import find
from referee.bots.runnable import HERE, View, why_not
from referee.bots.settings import Bounds, Settings, Wish, read_settings
from referee.errors import RefereeError

ELF = bytearray(b"\x7fELF\x02\x01\x01" + bytes(57))


def executable(path: Path, data: bytes) -> Path:
    path.write_bytes(data)
    path.chmod(0o755)
    return path


def test_a_bot_gets_what_it_asks_for_within_what_is_allowed() -> None:
    """Silence means the default; more than the most is refused, with the name of the limit."""
    settings = Settings(default=Bounds(memory=100), most=Bounds(memory=300, processes=64, tmp=16))

    assert settings.grant(Wish()) == Bounds(memory=100)
    assert settings.grant(Wish(memory=300)) == Bounds(memory=300)
    with pytest.raises(RefereeError, match="limits: processes = 65: at most 64 here"):
        settings.grant(Wish(processes=65))


def test_the_limits_of_a_bot_stand_in_its_toml(tmp_path: Path) -> None:
    """They are read, checked against the settings, and refused by name."""
    toml = tmp_path / "bot.toml"
    toml.write_text('name = "x"\ncommand = "cat"\nimage = "i"\n[limits]\nmemory = 512\n')
    found = find(str(tmp_path), Settings(images=("i",)))
    assert (found.bounds, found.image) == (Bounds(memory=512), "i")
    with pytest.raises(RefereeError, match=r"image 'i' is not among those of settings\.toml"):
        find(str(tmp_path), Settings())

    with pytest.raises(RefereeError, match=r"bot.toml: limits: memory = 512: at most 300 here"):
        find(str(tmp_path), Settings(most=Bounds(memory=300), images=("i",)))


@pytest.mark.parametrize(("limit", "least"), [("memory = 15", 16), ("processes = 3", 4)])
def test_a_bot_cannot_ask_for_less_than_a_sandbox_starts_with(
    limit: str, least: int, tmp_path: Path
) -> None:
    """Else its starts could fail now and then, which would be the host's fault."""
    (tmp_path / "bot.toml").write_text(f'name = "x"\ncommand = "cat"\n[limits]\n{limit}\n')
    with pytest.raises(
        RefereeError, match=rf"bot.toml: Expected `int` >= {least}.*keys: name, command"
    ):
        find(str(tmp_path), Settings())


def test_the_settings_are_the_first_file_there_is(tmp_path: Path) -> None:
    """What the variable names, else the user's own; nothing at all means the defaults."""
    mine = tmp_path / "config" / "briscola-referee" / "settings.toml"
    mine.parent.mkdir(parents=True)
    mine.write_text(f'toolchains = ["{tmp_path}"]\n')
    named = tmp_path / "named.toml"
    named.write_text("[default]\nmemory = 99\n")
    environment = {"XDG_CONFIG_HOME": str(tmp_path / "config")}

    assert read_settings(environment) == Settings(toolchains=(str(tmp_path),))
    assert read_settings(environment | {"REFEREE_SETTINGS": str(named)}).default.memory == 99
    assert read_settings({"XDG_CONFIG_HOME": str(tmp_path)}) == Settings()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("colour = 3", "unknown field `colour`"),
        ("images = [", "settings"),
        ('toolchains = ["/no/such/folder"]', "toolchains: no folder '/no/such/folder'"),
        ('toolchains = ["usr"]', "toolchains: no folder 'usr'"),
        ("[most]\nmemory = -1", ">= 1"),
        ('toolchains = ["/"]', "holds more than programs"),
        ('toolchains = ["/etc/alternatives"]', "holds more than programs"),
        ('toolchains = ["/usr/../tmp"]', "holds more than programs"),
        ("[most]\nmemory = 10", "default: memory = 256 is more than most: memory = 10"),
        ("images = " + "[" * 20_000, "recursion"),
        ('[site]\nget = "javascript:alert(1)"', "$.site.get"),
        ("[cluster]\nverify = 0", "$.cluster.verify"),
        ("[cluster]\nverified = 2", "unknown field `verified`"),
        (f"# {'x' * 70_000}", "more than 65536 bytes"),
    ],
)
def test_wrong_settings_are_one_line(text: str, line: str, tmp_path: Path) -> None:
    """It names the file and what is wrong in it."""
    path = tmp_path / "settings.toml"
    path.write_text(text)
    with pytest.raises(RefereeError, match="settings '") as caught:
        read_settings({"REFEREE_SETTINGS": str(path)})
    assert line in str(caught.value)
    with pytest.raises(RefereeError, match="No such file"):
        read_settings({"REFEREE_SETTINGS": str(tmp_path / "none")})


def test_settings_are_a_file() -> None:
    """What never ends is not read, nor is a pipe waited for."""
    with pytest.raises(RefereeError, match="settings '/dev/zero': that is no file"):
        read_settings({"REFEREE_SETTINGS": "/dev/zero"})


def test_a_file_that_cannot_run_says_why(tmp_path: Path) -> None:
    """Another processor, no #! line, an interpreter that is not there: each in words."""
    other = bytes(ELF[:18]) + (243).to_bytes(2, "little") + bytes(ELF[20:])
    plain = executable(tmp_path / "plain", b"import sys\n")
    view = View(path="/usr/bin:/bin", roots=("/usr", "/bin"))

    assert why_not(Path(sys.executable), HERE) is None
    assert why_not(executable(tmp_path / "sh", b"#!/bin/sh\n"), view) is None
    assert why_not(executable(tmp_path / "env", b"#!/usr/bin/env -S sh -e\n"), view) is None
    for data, reason, seen in (
        (other, "it is a program for RISC-V; this machine is ", HERE),
        (b"#!/no/such/python\n", "asks for '/no/such/python', which is not there", HERE),
        (b"#!/usr/bin/env no-such\n", "asks for 'no-such', which is not installed", HERE),
        (b"#!\n", "its #! line names no program", HERE),
        (b"#!/bin/sh\r\n", "its lines end in CRLF", HERE),
        (b"", "it is empty", HERE),
        (f"#!{plain}\n".encode(), f"asks for '{plain}', which is not in the sandbox", view),
        (b"#!/no/such/python\n", "asks for '/no/such/python', which is not in the sandbox", view),
        (b"#!/proc/1/cwd/sh\n", "which is not in the sandbox", view),
        (f"#!/usr/bin/env {plain}\n".encode(), "which is not installed in the sandbox", view),
    ):
        assert reason in str(why_not(executable(tmp_path / "x", data), seen))
    assert "#!/usr/bin/env python3" in str(why_not(plain, HERE))
    plain.chmod(0o644)
    assert why_not(plain, HERE) == "it is not executable (chmod +x plain)"

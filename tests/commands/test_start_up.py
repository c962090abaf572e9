"""What must start quickly imports only what it needs; looked up in sys.modules, not by a clock."""

import json
import subprocess
import sys

import pytest

import referee.cli
import referee.commands.app
from referee.commands.lazy import add_lazily

HEAVY = ("docker", "msgspec", "numpy", "protocol", "rich", "scipy", "trio", "referee.games")


def imported_by(program: str) -> set[str]:
    """The modules that a fresh interpreter has after a program; what it prints is left out."""
    ending = "import json, sys; print(json.dumps(list(sys.modules)), file=sys.stderr)"
    command = [sys.executable, "-c", f"{program}\n{ending}"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return set(json.loads(done.stderr))


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["no-such-command"]])
def test_the_command_line_imports_no_library_but_its_own(arguments: list[str]) -> None:
    """Neither the lists of commands nor a slip of the finger wait for trio, rich or numpy."""
    program = "import contextlib, io\nfrom referee.cli import run\n"
    program += f"with contextlib.redirect_stderr(io.StringIO()): run({arguments})"
    found = imported_by(program)

    assert "ladder.commands" in found
    assert not found.intersection(HEAVY)


@pytest.mark.parametrize("arguments", [["match", "--help"], ["match"], ["ladder", "--help"]])
def test_help_and_slips_of_the_finger_wait_for_no_library_that_plays(arguments: list[str]) -> None:
    """What a command prints before it does anything needs no trio, no tables and no database."""
    program = "import contextlib, io\nfrom referee.cli import run\nquiet = io.StringIO()\n"
    program += "with contextlib.redirect_stdout(quiet), contextlib.redirect_stderr(quiet): "
    found = imported_by(f"{program}run({arguments})")

    assert "typer" in found
    assert not found.intersection({"docker", "numpy", "rich", "scipy", "sqlalchemy", "trio"})


def test_a_command_of_a_plug_in_is_imported_when_it_is_called(
    no_commands: None, capsys: pytest.CaptureFixture[str]
) -> None:
    """A list names one whose module is missing; only a call of it finds that out."""
    add_lazily(referee.commands.app.app, "missing", "no.such.module:function", "Does nothing.")

    assert referee.cli.run(["--help"]) == 0
    assert "missing  Does nothing." in capsys.readouterr().out
    assert referee.cli.run(["missing"]) == 3
    assert "No module named 'no'" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.parametrize("module", ["referee.cli", "typer", "unicodedata"])
def test_an_interrupt_while_we_import_is_a_line_and_no_traceback(module: str) -> None:
    """From the first line of ours on; before that it is the interpreter's."""
    program = f"""
import builtins
usual = builtins.__import__
def interrupted(name, *more):
    if name == {module!r}:
        raise KeyboardInterrupt
    return usual(name, *more)
builtins.__import__ = interrupted
import sys
sys.argv[1:] = ["games"]
from referee.__main__ import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )

    assert (done.returncode, done.stderr) == (130, "referee: interrupted\n")


def test_workers_import_nothing_of_the_command_line() -> None:
    """They are started for every core: no command line, no tables, no numerics, no Docker."""
    found = imported_by("import referee.workers.worker")

    assert not found.intersection({"docker", "numpy", "rich", "scipy", "typer"})

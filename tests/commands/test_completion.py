"""What a shell asks when a person presses the tab key."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow
PROGRAM = Path(sys.executable).with_name("referee")


def asked(words: str, kind: str = "complete_bash") -> subprocess.CompletedProcess[str]:
    """What the command says to a shell in which these words were typed."""
    place = len(words.split()) - (not words.endswith(" "))
    more = {"COMP_WORDS": words, "COMP_CWORD": str(place), "_REFEREE_COMPLETE": kind}
    environment = os.environ | more
    return subprocess.run(
        [PROGRAM], env=environment, capture_output=True, text=True, check=False, timeout=30
    )


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("referee ma", "match"),
        ("referee match --ga", "--game"),
        ("referee ladder sta", "standings"),
        ("referee event ru", "run"),
    ],
)
def test_commands_and_options_are_completed(words: str, found: str) -> None:
    """Those of the ladder, too, which are another package's."""
    said = asked(words)
    assert (said.stdout.split(), said.stderr, said.returncode) == ([found], "", 0)


@pytest.mark.parametrize("words", ["referee nonsense --", "referee match 'open ", "referee \x01"])
def test_whatever_was_typed_there_is_no_traceback(words: str) -> None:
    """A person who types has a line half written: nothing is printed into it."""
    said = asked(words)
    assert "Traceback" not in said.stderr
    assert "referee:" not in said.stderr
    assert "Traceback" not in asked("referee ", "complete_nothing").stderr


def test_it_is_installed_by_one_command(tmp_path: Path) -> None:
    """Into the files of the shell that it is typed in."""
    environment = os.environ | {"HOME": str(tmp_path)}
    said = subprocess.run(
        ["bash", "-c", f"{PROGRAM} --install-completion; echo code $?"],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "completion installed" in said.stdout
    assert "code 0" in said.stdout
    assert (tmp_path / ".bashrc").exists()

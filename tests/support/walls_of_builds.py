"""The walls of builds and of the copies that bots run from; tests notice their end."""

from pathlib import Path
from typing import Any, Final

import pytest

from referee.sandbox import build, copies
from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.folders import own_folder
from support.breaks import files_of, size_of
from support.walls import Wall, nothing, spawned


def without_priority(words: list[str], _: dict[str, Any]) -> None:
    """Have builds be as urgent as all else."""
    if "idle" in words[: words.index("--")]:
        words.remove("idle")


def builds_not_watched(patch: pytest.MonkeyPatch) -> None:
    """Count no files of a build."""
    patch.setattr(build, "_in_memory", lambda _: (0, False))


def not_sealed(patch: pytest.MonkeyPatch) -> None:
    """Leave files of copies with the modes that they had."""
    patch.setattr(copies, "_seal", nothing)


def store_open(patch: pytest.MonkeyPatch) -> None:
    """Let all users of the machine come to the copies."""

    def open_to_all(path: Path) -> Path:
        own_folder(path, 0o755).chmod(0o755)
        return path

    patch.setattr(copies, "own_store", open_to_all)


WALLS: Final = (
    Wall(
        "build: size of its folder",
        size_of("/bot"),
        test="tests/sandbox/test_builds.py::test_files_without_a_name_are_bound_as_all_others[bwrap]",
    ),
    Wall(
        "build: number of files",
        files_of("/bot"),
        test="tests/sandbox/test_builds.py::test_the_number_of_names_is_bound_while_they_are_made[bwrap]",
    ),
    Wall(
        "build: files are counted while it works",
        builds_not_watched,
        reason="as root its folder bounds their number; as an ordinary user only the count does",
    ),
    Wall(
        "build: priority",
        spawned(bubblewrap, without_priority),
        test="tests/sandbox/test_copies.py::test_a_build_waits_for_those_who_play",
    ),
    Wall(
        "copies: without bits of their owner",
        not_sealed,
        test="tests/sandbox/test_copies.py::test_a_copy_has_no_bits_of_its_owner",
    ),
    Wall(
        "copies: closed to other users",
        store_open,
        test="tests/sandbox/test_copies.py::test_no_other_user_comes_to_the_copies",
    ),
)
"""In bubblewrap."""

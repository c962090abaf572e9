"""Each wall of a sandbox, broken by itself: `referee doctor` notices.

`python -m tests.broken_walls` does so with all rows, says which notice, and has tests notice, too.
"""

from typing import Final

import pytest

from support.broken_settings import SETTINGS
from support.sandboxes import need
from support.walls import Setting, Wall, broken_rows, noticed

TOGETHER = ("filter: ", "mask of ", "limit of ")
"""How the names of walls begin that are broken all at once here: each is noticed by its name."""


SWEPT: Final = ("janitor", "end with the referee")
"""Walls whose end does not show while other referees run here: these clear up after dead ones."""


def apart(wall: Wall) -> bool:
    """Whether a wall is one that the doctor is to notice, and not broken with others like it."""
    return bool(wall.rows) and (bool(wall.behind) or not wall.name.startswith(TOGETHER))


WALLS = [
    pytest.param(setting, wall, id=f"{setting.word}-{wall.name}")
    for setting in SETTINGS.values()
    for wall in setting.walls
    if apart(wall) and wall.name not in SWEPT
]
KINDS = [
    pytest.param(setting, begin, id=f"{setting.word}-{begin.strip()}")
    for setting in SETTINGS.values()
    for begin in TOGETHER
]


@pytest.fixture(autouse=True)
def equipped(request: pytest.FixtureRequest) -> None:
    found = getattr(request.node, "callspec", None)
    if found is None:
        return
    need("bwrap", root=True)
    if found.params["setting"].word == "docker":
        request.getfixturevalue("docker_host")


def test_every_wall_has_a_row_a_test_or_a_reason() -> None:
    """None is without any, and those behind another are there."""
    for setting in SETTINGS.values():
        names = {wall.name for wall in setting.walls}
        assert len(names) == len(setting.walls)
        for wall in setting.walls:
            assert wall.rows or wall.test or wall.reason, wall.name
            assert not wall.behind or wall.reason, wall.name
            assert set(wall.behind) <= names, wall.name


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(("setting", "wall"), WALLS)
async def test_a_broken_wall_is_noticed(setting: Setting, wall: Wall) -> None:
    """By all rows that must, and where others hold the same, once those are broken, too."""
    found = await broken_rows(setting, setting.group(wall), frozenset(wall.rows))
    assert noticed(wall, found), found


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize(("setting", "begin"), KINDS)
async def test_broken_walls_of_one_kind_are_noticed_one_by_one(
    setting: Setting, begin: str
) -> None:
    """Each is named by a row."""
    walls = tuple(one for one in setting.walls if one.name.startswith(begin) and not apart(one))
    rows = frozenset(row for wall in walls for row in wall.rows)
    found = await broken_rows(setting, walls, rows) if walls else {}
    assert [wall.name for wall in walls if wall.rows and not noticed(wall, found)] == []

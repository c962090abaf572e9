"""Walls of the sandboxes, each with a way to break it from outside, and what must notice that.

`support.walls_of_bwrap`, `support.walls_of_docker` and `support.walls_of_filter` have the lists.
"""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec import Struct

from referee.bots.settings import Settings
from referee.doctor import diagnosis, leftovers
from referee.doctor.reports import GuaranteeState, SandboxReport
from referee.doctor.trials import TRIALS
from referee.errors import SandboxError
from referee.sandbox.names import SandboxName

Break = Callable[[pytest.MonkeyPatch], None]
"""Breaks a wall for as long as the patch lasts; fails where the wall is not to be found."""

NOT_FOUND_OUT: Final = ("not found out", "it was not found out", "no answer in time")
"""How the detail of a row begins that was not judged: no proof that a wall was missed."""


class Wall(Struct, frozen=True):
    """One thing that holds bots back.

    Attributes:
        breaks: takes it away.
        rows: those of the doctor that must notice; where others are behind it: with those broken.
        word: what the details of these rows must say, or nothing.
        behind: the walls, by name, that hold the same.
        reason: why it is there all the same; or why nothing can notice.
        harmful: the rows whose trials are not run without this wall, since they could do harm.
        test: the test that notices, where the doctor is not the place.
    """

    name: str
    breaks: Break
    rows: tuple[str, ...] = ()
    word: str = ""
    behind: tuple[str, ...] = ()
    reason: str = ""
    harmful: tuple[str, ...] = ()
    test: str = ""


class Setting(Struct, frozen=True):
    """A kind of sandbox, and its walls.

    Attributes:
        word: what it is called on the command line.
        cgroups: whether it has control groups.
        landlock: whether it closes files below /proc.
    """

    word: str
    name: SandboxName
    cgroups: bool
    landlock: bool
    walls: tuple[Wall, ...]

    def wall(self, name: str) -> Wall:
        """Return the wall of a name.

        Raises:
            KeyError: there is none.
        """
        return {one.name: one for one in self.walls}[name]

    def group(self, wall: Wall) -> tuple[Wall, ...]:
        """Return a wall, and those behind it."""
        return (wall, *map(self.wall, wall.behind))


async def broken_rows(
    setting: Setting, walls: tuple[Wall, ...], rows: frozenset[str] = frozenset()
) -> dict[str, str]:
    """Put a sandbox without some of its walls on trial.

    Args:
        setting: the sandbox.
        walls: those that are missing.
        rows: those of the doctor to find out about; none for all.

    Returns:
        By the rows that are broken, what was seen.
    """
    harmful = {row for wall in walls for row in wall.harmful}
    with pytest.MonkeyPatch.context() as patch:
        _have_orphans_broken(patch, setting, walls)
        for wall in walls:
            wall.breaks(patch)
        tried = {
            word: attempt
            for word, attempt in TRIALS.items()
            if not harmful.intersection(attempt[0]) and (not rows or rows.intersection(attempt[0]))
        }
        patch.setattr(diagnosis, "TRIALS", tried)
        patch.setattr(diagnosis, "remember", lambda *_: None)
        report = await diagnosis.diagnose(
            setting.name,
            Settings(),
            lambda _: None,
            cgroups=setting.cgroups,
            landlock=setting.landlock,
            languages=False,
        )
    return _broken(report, {row for of, _ in tried.values() for row in of})


def _broken(report: SandboxReport, tried: set[str]) -> dict[str, str]:
    if not report.works:
        raise SandboxError(f"it does not even start: {report.why_not}")
    return {
        one.id: one.detail
        for one in report.guarantees
        if one.id in tried and one.state is GuaranteeState.BROKEN
    }


def noticed(wall: Wall, found: dict[str, str]) -> bool:
    """Whether all rows that must notice a wall's end have done so, by what they saw."""
    return bool(wall.rows) and all(
        row in found and wall.word in found[row] and not found[row].startswith(NOT_FOUND_OUT)
        for row in wall.rows
    )


_DOOMED: Final = """
import sys
import pytest
from support import broken_settings
setting = broken_settings.SETTINGS[sys.argv[1]]
for name in sys.argv[2].split("|"):
    setting.wall(name).breaks(pytest.MonkeyPatch())
from referee.doctor.killed_referee import main
main(*sys.argv[3:])
"""


def _have_orphans_broken(
    patch: pytest.MonkeyPatch, setting: Setting, walls: tuple[Wall, ...]
) -> None:
    """Have the referee that is to be killed without these walls, too; it is a program apart."""
    if walls:
        names = "|".join(one.name for one in walls)
        patch.setattr(leftovers, "REFEREE", ("-c", _DOOMED, setting.word, names))


def shows(path: str) -> bool:
    """Whether there is anything in a file or folder of this machine that could be hidden."""
    try:
        return bool(os.listdir(path) if os.path.isdir(path) else Path(path).read_bytes())
    except OSError:
        return False


def current(module: object, name: str) -> Any:
    """Return what a module, or a class, has by a name now, other walls being broken already."""
    return getattr(module, name)


def replaced(patch: pytest.MonkeyPatch, module: Any, name: str, **attributes: object) -> None:
    """Put a stand-in for a module in the place where another imports it."""
    patch.setattr(module, name, _Instead(getattr(module, name), attributes))


class _Instead:
    """A module, but for some of its attributes."""

    def __init__(self, module: object, attributes: dict[str, object]) -> None:
        self._module, self._attributes = module, attributes

    def __getattr__(self, name: str) -> object:
        return self._attributes.get(name, getattr(self._module, name))


def spawned(module: object, change: Callable[[list[str], dict[str, Any]], None]) -> Break:
    """Change how a module starts programs: their words, and what `Popen` is told."""

    def breaks(patch: pytest.MonkeyPatch) -> None:
        usual = current(module, "subprocess").Popen

        def popen(words: list[str], **options: Any) -> "subprocess.Popen[bytes]":
            words = list(words)
            change(words, options)
            found: subprocess.Popen[bytes] = usual(words, **options)
            return found

        replaced(patch, module, "subprocess", Popen=popen)

    return breaks


def nothing(*_: object, **__: object) -> None:
    """Do nothing, in the place of what does something."""


def notices(setting: Setting, wall: Wall) -> bool:
    """Whether the test of a wall fails where that, and what stands behind it, is broken."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "pytest", "-q", "--thorough", "-p", "support.broken_plugin"),
            wall.test,
        ],
        env={
            **os.environ,
            "BROKEN_WALL": f"{setting.word}|{wall.name}",
            "PYTHONPATH": str(Path(__file__).parent.parent),
        },
        cwd=Path(__file__).parent.parent.parent,
        capture_output=True,
        check=False,
    )
    return done.returncode == 1

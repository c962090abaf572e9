"""What is in the place of control groups where there are none; the other walls are bubblewrap's."""

import resource
from typing import Final

import pytest
import trio

from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.polling import PolledGroup
from referee.sandbox.seccomp import Filter
from support.breaks import options, without_janitor, without_limit
from support.walls import Wall, nothing


def without_inner_limits(patch: pytest.MonkeyPatch) -> None:
    """Have no limit of processes, and none of signals."""
    patch.setattr(bubblewrap, "limited_inside", lambda _: ())


def memory_files_allowed(patch: pytest.MonkeyPatch) -> None:
    """Allow memory as files, where nothing counts it."""
    patch.setattr(bubblewrap, "Filter", lambda _, build: Filter(sysinfo=build))


def never_stopped(patch: pytest.MonkeyPatch) -> None:
    """Send no signal that stops."""
    patch.setattr(PolledGroup, "freeze", nothing)


def never_looked(patch: pytest.MonkeyPatch) -> None:
    """Look at no bot's memory."""

    async def look(_: PolledGroup) -> None:
        await trio.lowlevel.checkpoint()

    patch.setattr(PolledGroup, "look", look)


def time_not_counted(patch: pytest.MonkeyPatch) -> None:
    """Count no processor time."""
    patch.setattr(PolledGroup, "cpu_us", lambda _: 0)


WALLS: Final = (
    Wall(
        "limits of processes and signals",
        without_inner_limits,
        ("processes", "limits"),
    ),
    Wall("limit of own memory", without_limit(resource.RLIMIT_DATA), ("limits",), "own memory"),
    Wall("filter: memory as files", memory_files_allowed, ("memory-files",), "memfd"),
    Wall(
        "no mappings of zeros",
        options((("--symlink", "full", "/dev/zero"), ("--dev-bind", "/dev/zero", "/dev/zero"))),
        ("memory-files",),
        "unmapped",
    ),
    Wall("signals that stop", never_stopped, ("freeze", "freeze-daemons")),
    Wall("count of time", time_not_counted, ("cpu",)),
    Wall("janitor", without_janitor, ("orphans",)),
    Wall(
        "looks at memory",
        never_looked,
        behind=("limit of own memory",),
        reason="a process alone meets its own limit first",
        test="tests/sandbox/test_bubblewrap.py::test_without_control_groups_memory_is_watched",
    ),
)

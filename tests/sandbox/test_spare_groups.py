"""Numbers of memory groups come back late, so none tells a life what was dropped for another."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from referee.sandbox import Sandbox
from referee.sandbox.cgroups.hierarchy import available
from referee.sandbox.cgroups.spare_groups import SpareGroups
from referee.sandbox.janitor import groups_of, remove_groups, run_of
from support.dropped_pages import BITS, wrong_bits
from support.sandboxes import finish, line_of, need, prepared, python_bot

RUN: Final = f"spares{os.getpid()}"
"""A name that is no run's: other referees would take its groups for those of a dead one."""


@pytest.fixture
def spares() -> Iterator[SpareGroups]:
    need(root=True)
    hierarchies = available()
    assert hierarchies is not None
    yield SpareGroups(hierarchies, RUN)
    remove_groups(groups_of(RUN))
    assert groups_of(RUN) == []


def names_of(run: str) -> set[str]:
    """The groups of a run that take up numbers."""
    return {
        path.name for folder in groups_of(run) for path in Path(folder).iterdir() if is_spare(path)
    }


def is_spare(path: Path) -> bool:
    return path.name.startswith("spare-")


def test_how_many_numbers_are_taken_first_is_chance() -> None:
    """A bot can tell the runs apart by nothing else."""
    need(root=True)
    hierarchies = available()
    assert hierarchies is not None
    found = set()
    for _ in range(6):
        SpareGroups(hierarchies, RUN)
        found.add(len(names_of(RUN)))
        remove_groups(groups_of(RUN))
    assert len(found) > 1
    assert max(found) < 128


def test_numbers_are_taken_before_each_start_and_not_without_end(spares: SpareGroups) -> None:
    """Those of a long event would fill the machine; which are let go is chance."""
    before = len(names_of(RUN))
    spares.mix()
    assert len(names_of(RUN)) == before + 3
    most, seen = 0, {*names_of(RUN)}
    for _ in range(100):
        spares.mix()
        most = max(most, len(names_of(RUN)))
        seen |= {*names_of(RUN)}
    assert 250 <= most <= 256
    assert len(seen) > most, "others were let go for them"


def test_a_machine_that_has_no_more_groups_is_no_error(
    spares: SpareGroups, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it lacks for a bot's own group is said there."""

    def full(*_: object) -> None:
        raise OSError

    monkeypatch.setattr(os, "mkdir", full)
    before = names_of(RUN)
    spares.mix()
    assert names_of(RUN) == before


async def test_each_start_takes_some(bwrap: Sandbox, tmp_path: Path) -> None:
    need(root=True)
    run = run_of(os.getpid())
    bot = await prepared(bwrap, python_bot(tmp_path / "bot", "print('here', flush=True)\ninput()"))
    before = names_of(run)
    process = await bwrap.launch(bot)
    assert await line_of(process) == "here"
    finish(process)
    assert names_of(run) > before


@pytest.mark.slow
@pytest.mark.thorough
async def test_what_was_dropped_for_a_life_tells_the_next_nothing(
    bwrap: Sandbox, tmp_path: Path
) -> None:
    """In one of many cases the numbers are the same, so one of two measurements is enough."""
    need(root=True)
    need("gcc", "g++")  # the largest files of /usr
    wrong = [await wrong_bits(bwrap, tmp_path / str(number)) for number in range(2)]
    assert max(wrong) > BITS // 5, wrong


@pytest.mark.slow
@pytest.mark.thorough
async def test_the_measurement_finds_the_channel_where_numbers_come_back(
    bwrap: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    need(root=True)
    need("gcc", "g++")
    monkeypatch.setattr(SpareGroups, "mix", lambda _: None)
    wrong = [await wrong_bits(bwrap, tmp_path / str(number)) for number in range(2)]
    assert min(wrong) <= BITS // 20, wrong

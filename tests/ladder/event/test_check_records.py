"""What `referee event check --records` finds of results that are not those of their records."""

import shutil
from pathlib import Path

import pytest
from msgspec.structs import replace

from ladder.event.check import State, check_event
from ladder.event.conductor import RECORDS
from ladder.event.log import LOG, EventLog
from ladder.event.log_lines import EventEnd, MatchLine, decode
from referee.cli import run
from support.clusters import moved

pytestmark = pytest.mark.slow

EVENT = """
name = "small"
blocks = 2
sandbox = "bare"
workers = 1
[[game]]
id = "briscola-2"
[[bot]]
path = "sample:first"
[[bot]]
path = "sample:greedy"
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An event that is over."""
    (tmp_path / "small.toml").write_text(EVENT)
    assert run(["event", "run", str(tmp_path / "small.toml")]) == 0
    return tmp_path / "small"


def records_of(path: Path) -> tuple[State, str]:
    """What is said of the records of a log."""
    (found,) = (one for one in check_event(path, records=True) if one.what == "records")
    return found.state, found.told


def test_a_result_that_its_record_does_not_bring_is_found_once_the_event_is_over(
    folder: Path,
) -> None:
    """A machine of a cluster may have said so, where one record in N is played again."""
    assert records_of(folder / LOG)[0] is State.HOLDS
    lines = [decode(line) for line in (folder / LOG).read_bytes().splitlines()]
    for name, kept in (("over", lines), ("under way", lines[:-1])):
        shutil.copytree(folder / RECORDS, folder.parent / name / RECORDS)
        with EventLog(folder.parent / name) as log:
            for line in kept:
                if isinstance(line, MatchLine):
                    log.write(replace(line, outcome=moved(line.outcome)))
                else:
                    log.write(line)
    assert isinstance(lines[-1], EventEnd)
    state, told = records_of(folder.parent / "over" / LOG)
    assert (state, told.endswith(": its record says otherwise: blocks")) == (State.WRONG, True)
    state, told = records_of(folder.parent / "under way" / LOG)
    assert state is State.HOLDS
    assert told.endswith("results are compared when its key is published")

"""Which cores matches are played on, and that trials keep off them."""

import os
from pathlib import Path

from referee.play.affinity import apart, claimed


def test_trials_keep_off_cores_that_play_as_long_as_there_are_others(tmp_path: Path) -> None:
    """Two workers may share a core; when all cores play, a trial takes any."""
    before = os.sched_getaffinity(0)
    core, *others = sorted(before)
    with claimed(core, tmp_path), claimed(core, tmp_path), apart(tmp_path):
        assert os.sched_getaffinity(0) == (set(others) or before)
    with apart(tmp_path):
        assert os.sched_getaffinity(0) == before
    assert os.sched_getaffinity(0) == before


def test_where_nothing_can_be_said_of_cores_all_are_taken(tmp_path: Path) -> None:
    """A folder that is none keeps no trial from being played."""
    (tmp_path / "file").touch()
    before = os.sched_getaffinity(0)
    with apart(tmp_path / "file" / "cores"):
        assert os.sched_getaffinity(0) == before

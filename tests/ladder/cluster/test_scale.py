"""The simulation behind docs/scale.md ends, and its machines play."""

from pathlib import Path

import cluster_scale
import trio.testing

from ladder.cluster.checks import played
from ladder.cluster.messages import read_brought


async def test_all_cores_of_simulated_machines_are_busy(
    tmp_path: Path, mock_clock: trio.testing.MockClock
) -> None:
    """It waited for ever once all were left out, whose matches took longer than its clock said."""
    answer = await cluster_scale.played_before(tmp_path)
    took_us = played(read_brought(answer)).outcome.wall_us
    assert 0 < took_us < 1e6 * cluster_scale.MATCH_S
    mock_clock.autojump_threshold = 0
    _, busy = await cluster_scale.measured(3, 60, answer)
    assert busy > 0.8

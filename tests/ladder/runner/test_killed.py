"""Runners that are killed at any moment; see `tests/support/kill_ladder.py` for more of it."""

from pathlib import Path

import pytest

from support import kill_ladder
from support.sandboxes import need

pytestmark = [pytest.mark.slow, pytest.mark.thorough]


def test_killed_runners_lose_nothing(tmp_path: Path) -> None:
    """Each job counts once, ratings are those of a rebuild, a proof holds, and nothing is left."""
    need("bwrap")
    assert kill_ladder.survives(str(tmp_path / "ladder"), 6, 1).matches >= 16


def test_killed_runners_lose_nothing_elsewhere(database: str, tmp_path: Path) -> None:
    """Nor where the facts are in PostgreSQL."""
    need("bwrap")
    assert kill_ladder.survives(f"{database}?files={tmp_path}", 6, 2).matches >= 16

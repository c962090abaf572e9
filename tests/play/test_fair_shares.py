"""A bot cannot take the processor from another: attackers of `hostile/steals.py`, for real.

How many deals which attacker was tried in, and where, is `fair_shares.py`'s to say; here each
mechanism is seen to work, with clocks so generous that no busy machine decides.
"""

from pathlib import Path

import pytest
from fair_shares import HONEST, meeting, play
from hostile.steals import HOW

from referee.match.verdict import Freeze
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.sandboxes import need

_MOVE_MS = 4000
"""The victims need 100 ms of it."""

_START_MS = 6000
"""The victim of `before-ready` needs 350 ms of it."""

VERDICTS = {"late", "startup"}
"""What an attacker may bring upon itself: its own crowd takes the processor from it, too."""


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("children", [0, 4])
@pytest.mark.parametrize("how", HOW)
async def test_no_attacker_has_an_honest_bot_charged(
    how: str, children: int, tmp_path: Path
) -> None:
    """Whatever one bot starts off turn or before `ready`, only that one can be at fault."""
    need("bwrap", root=True)
    async with opened(SandboxName.BWRAP) as sandbox:
        met = await meeting(sandbox, tmp_path, how, (50, children))
        await play(sandbox, met, move_ms=_MOVE_MS, start_ms=_START_MS, deals=1)

    assert not met.tally.victim
    assert set(met.tally.attacker) <= VERDICTS, met.tally.said


@pytest.mark.slow
@pytest.mark.parametrize("freeze", [Freeze.AUTO, Freeze.ALWAYS])
async def test_without_control_groups_a_bot_whose_children_think_is_charged_nothing(
    freeze: Freeze, tmp_path: Path
) -> None:
    """What they have used in its act is found later, and is no work between its acts."""
    need("bwrap")
    async with opened(SandboxName.BWRAP, cgroups=False) as sandbox:
        met = await meeting(sandbox, tmp_path, HONEST, (50, 4))
        await play(sandbox, met, move_ms=_MOVE_MS, freeze=freeze)

    assert not met.tally.victim

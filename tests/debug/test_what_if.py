"""A deal is played on from an act with another action, against bots that were told the same."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from referee.bots.find import BotSpec
from referee.debug.fed_process import FedProcess
from referee.debug.session import Feeding
from referee.debug.stops import AtAct
from referee.debug.what_if import WhatIf, play_on
from referee.errors import RefereeError
from referee.games import catalogue
from referee.record.deal_choice import DealChoice
from referee.record.reader import RecordReader
from referee.record.retelling import Question
from referee.sandbox.bare import Bare
from support.matches import ROGUE, match

FICKLE = ROGUE.with_name("fickle.py")
SLOW = "move=20s,bank=0s,start=20s"


def fickle() -> BotSpec:
    """A bot that answers the same to the same act."""
    return BotSpec("fickle", (sys.executable, "-S", str(FICKLE), "0.0"), "/", "0" * 64, "fickle")


async def played_on(path: Path, seats: int, act: int | None, action: str | None) -> WhatIf:
    """The second deal of a record, played on by its own bots; None: with the recorded action."""
    found: list[WhatIf] = []

    async def go_on(*_: object) -> None:
        """Nothing to wait for."""

    async def after(at: Question, processes: Mapping[int, FedProcess]) -> None:
        recorded = getattr(at.answer, "act", "")
        found.append((await play_on(path, at, action or recorded, processes))[0])

    with RecordReader(path) as reader:
        specs = dict.fromkeys(range(seats), fickle())
        feeding = Feeding(reader, 0, specs, Bare(), None)
        await feeding.run(AtAct(DealChoice(2), act), go_on, after)
    return found[0]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["briscola-2", "briscola-4", "auction-biscambiggia", "sueca"])
async def test_with_the_recorded_action_a_deal_ends_as_it_did(game: str, tmp_path: Path) -> None:
    """With partners and auctions, too: every bot had been told all that it was told then."""
    path, seats = tmp_path / "record", catalogue()[game].seats[0]
    await match(path, game, *[fickle()] * seats, deals=2, time=SLOW, key=game)
    found = await played_on(path, seats, None, None)

    assert found.recorded is not None
    assert found.by_seat == found.recorded
    assert found.acts[0][1] == found.action


@pytest.mark.slow
async def test_another_action_is_played_in_its_place(tmp_path: Path) -> None:
    """What is not legal is refused, with what is."""
    path = tmp_path / "record"
    await match(path, "briscola-2", fickle(), fickle(), deals=2, time=SLOW, dealer=1)
    as_it_was = await played_on(path, 2, None, None)
    with pytest.raises(RefereeError, match="legal there are ") as refused:
        await played_on(path, 2, None, "ZZ")
    legal = str(refused.value).partition("are ")[2].split(", ")
    other = next(action for action in legal if action != as_it_was.action)
    found = await played_on(path, 2, None, other)

    assert found.acts[0] == (as_it_was.acts[0][0], other)
    assert sum(found.points) == 120
    assert found.recorded == as_it_was.by_seat

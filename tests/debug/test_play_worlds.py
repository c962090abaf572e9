"""A deal is played on from an act on other decks, by new processes that are told the same."""

import sys
from pathlib import Path

import pytest

from referee.bots.find import BotSpec
from referee.debug.play_worlds import WorldPlayer, compared
from referee.errors import RefereeError
from referee.games import catalogue
from referee.match.worlds import World, Worlds
from referee.record.reader import RecordReader
from referee.record.retelling import Question, Step
from referee.record.verify import Resimulation
from referee.sandbox.bare import Bare
from support.matches import ROGUE, match

SLOW = "move=20s,bank=0s,start=20s"


def bot(*words: str) -> BotSpec:
    """A bot that answers the same to the same act, or goes wrong as it is told."""
    name = words[0] if words else "fickle.py"
    program = ROGUE.with_name(name)
    rest = words[1:] if words else ("0.0",)
    return BotSpec(name, (sys.executable, "-S", str(program), *rest), "/", "0" * 64, name)


def questions(path: Path, deal: int) -> list[Question]:
    """The acts of a deal of a record."""
    found: list[Question] = []

    def listen(step: Step) -> None:
        if isinstance(step, Question) and step.number == deal:
            found.append(step)

    with RecordReader(path) as reader:
        for _ in Resimulation(reader, listen).deals():
            pass
    return found


def recorded_values(path: Path) -> list[tuple[int, ...]]:
    """What each deal of a record brought, by seat."""
    with RecordReader(path) as reader:
        return [deal.by_seat for deal in Resimulation(reader).deals()]


@pytest.mark.slow
@pytest.mark.parametrize("game", ["briscola-3", "bisca-tres", "auction-biscambiggia", "sueca"])
async def test_on_the_deck_of_the_record_a_deal_ends_as_it_did(
    game: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bots are told what they were told then, and bring what they brought."""
    path, seats = tmp_path / "record", catalogue()[game].seats[0]
    await match(path, game, *[bot()] * seats, deals=2, time=SLOW, key=game)
    asked = questions(path, 2)
    at = asked[len(asked) // 2]

    def draw(self: Worlds, _: object) -> list[World]:
        return [World(self._deck, self._acts)] * 2

    monkeypatch.setattr(Worlds, "draw", draw)
    player = WorldPlayer(path, at, dict.fromkeys(range(seats), bot()), Bare())
    played: list[int] = []
    values = await player.play([getattr(at.answer, "act", "")], 2, played.append)

    assert values == [[recorded_values(path)[1][at.seat]] * 2]
    assert sorted(played) == [1, 2]


@pytest.mark.slow
async def test_two_actions_are_compared_on_the_same_decks(tmp_path: Path) -> None:
    """With the same action twice no deck is better or worse."""
    path = tmp_path / "record"
    await match(path, "briscola-2", bot(), bot(), deals=1, time=SLOW, key="x")
    at = questions(path, 1)[20]
    action = getattr(at.answer, "act", "")
    player = WorldPlayer(path, at, dict.fromkeys(range(2), bot()), Bare())
    values = await player.play([action, action], 4, lambda _: None)
    found = compared([action, action], values, player.values)

    assert player.values == (-120, 120)
    assert (found.count, found.better, found.equal, found.worse) == (4, 0, 4, 0)
    assert found.gain is not None
    assert found.gain.low <= found.gain.mean == 0 <= found.gain.high


@pytest.mark.slow
async def test_a_bot_that_goes_wrong_on_another_deck_is_named(tmp_path: Path) -> None:
    """What it said is in the one line, and no process is left."""
    path, seats = tmp_path / "record", dict.fromkeys(range(2), bot())
    await match(path, "briscola-2", bot(), bot(), deals=1, time=SLOW, key="x")
    at = questions(path, 1)[20]
    broken = BotSpec("broken", ("/bin/false",), "/", "0" * 64, "broken")
    player = WorldPlayer(path, at, {**seats, 1: broken}, Bare())
    with pytest.raises(RefereeError, match="--worlds: broken did not get ready: exit status 1"):
        await player.play(["7D"], 4, lambda _: None)

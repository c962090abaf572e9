"""`referee debug`: a bot is told what it was told, and where it answers otherwise is found."""

import math
import sys
from pathlib import Path
from random import Random

import pytest
import trio

from protocol.limits import LINE_FROM_BOT
from referee.bots.find import BotSpec
from referee.debug import fed_process
from referee.debug.fed_process import FedProcess
from referee.debug.session import Fed, Feeding, chosen_bot
from referee.debug.stops import AtAct, AtFault, Stop, UntilDifference
from referee.errors import RefereeError
from referee.games import catalogue
from referee.match.lines import ActLine
from referee.match.verdict import Verdict
from referee.record.deal_choice import DealChoice
from referee.record.reader import RecordReader
from referee.record.retelling import Question
from referee.record.verify import Resimulation
from referee.sandbox.bare import Bare
from support.matches import ROGUE, match

FICKLE = ROGUE.with_name("fickle.py")
SLOW = "move=20s,bank=0s,start=20s"


def fickle(odd: float, turned: str = "") -> BotSpec:
    """A bot that answers the same to the same act, but to the one of an id."""
    command = (sys.executable, "-S", str(FICKLE), str(odd), turned)
    return BotSpec("fickle", command, "/", "0" * 64, "fickle")


def questions(path: Path, bot: int) -> list[Question]:
    """All acts of a bot in a record."""
    found: list[Question] = []
    with RecordReader(path) as reader:

        def listen(step: object) -> None:
            if isinstance(step, Question) and record.match.bot_at(step.ask.place) == bot:
                found.append(step)

        record = Resimulation(reader, listen)
        list(record.deals())
    return found


async def fed(path: Path, bot: int, spec: BotSpec, stop: Stop) -> tuple[Fed, list[str]]:
    """What came of feeding a bot, and all that was said."""
    said: list[str] = []

    async def go_on(*_: object) -> None:
        said.append("stops here")

    def tee(place: int, mark: str, data: bytes) -> None:
        said.append(f"{place} {mark} {data.decode()}")

    with RecordReader(path) as reader:
        feeding = Feeding(reader, bot, {bot: spec}, Bare(), tee)
        return await feeding.run(stop, go_on), said


def asked_id(found: Fed) -> str:
    """The id of the act at which it was stopped."""
    assert found.stopped is not None
    assert found.stopped.question is not None
    return found.stopped.question.ask.id


@pytest.mark.slow
@pytest.mark.parametrize("game", catalogue())
async def test_a_bots_own_record_has_no_difference_and_a_planted_one_is_found_at_its_act(
    game: str, tmp_path: Path, many_cases: bool
) -> None:
    """In every game, with faults on the way, auctions, partners, and processes started afresh."""
    path, seats = tmp_path / "record", catalogue()[game].seats[0]
    bots = [fickle(0.1)] * seats
    await match(path, game, *bots, deals=3, time=SLOW, key=game)
    bot = Random(game).randrange(seats)
    asked = questions(path, bot)
    own, _ = await fed(path, bot, fickle(0.1), UntilDifference())

    assert own == Fed(None, len(asked))

    open_ = [one for one in asked if len(one.ask.legal) > 1 and isinstance(one.answer, ActLine)]
    for one in Random(game).sample(open_, min(len(open_), 4 if many_cases else 1)):
        found, _ = await fed(path, bot, fickle(0.1, one.ask.id), UntilDifference())

        assert found.stopped is not None
        assert asked_id(found) == one.ask.id
        assert found.stopped.before is None


@pytest.mark.slow
async def test_it_stops_at_the_act_that_is_meant_and_at_the_first_fault(tmp_path: Path) -> None:
    """Whatever the bot has answered until then; the first answer that differed is named."""
    path = tmp_path / "record"
    await match(path, "briscola-2", fickle(0.2), fickle(0.0), deals=3, time=SLOW)
    asked = questions(path, 0)
    last = asked[-1]
    first = next(one for one in asked if len(one.ask.legal) > 1)
    stop = AtAct(DealChoice(last.deal), last.act)
    found, said = await fed(path, 0, fickle(0.2, first.ask.id), stop)

    assert found.stopped is not None
    assert asked_id(found) == last.ask.id
    assert found.stopped.difference is None
    assert f"deal 1.{first.deal}, act {first.act}: the record has" in (found.stopped.before or "")
    at = said.index("stops here")
    assert last.ask.id in said[at + 1]
    assert not any(last.ask.id in line for line in said[:at])

    fault = next(one for one in asked if isinstance(one.answer, Verdict))
    found, _ = await fed(path, 0, fickle(0.2), AtFault())
    assert found.stopped is not None
    assert asked_id(found) == fault.ask.id


@pytest.mark.slow
async def test_an_act_of_another_seat_is_refused_with_the_bots_own(tmp_path: Path) -> None:
    """The acts of that deal which are the bot's are named."""
    path = tmp_path / "record"
    await match(path, "briscola-2", fickle(0.0), fickle(0.0), deals=1, time=SLOW, dealer=1)
    acts = [one.act for one in questions(path, 1)]
    with pytest.raises(RefereeError, match=f"it has {acts[0]}, {acts[1]}, "):
        await fed(path, 1, fickle(0.0), AtAct(DealChoice(1), 0))
    with pytest.raises(RefereeError, match="deal 9: the bot has no act there"):
        await fed(path, 1, fickle(0.0), AtAct(DealChoice(9)))


LOUD = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"loud"}', flush=True)
    elif message["type"] == "act":
        print("thinking about", message["id"], file=sys.stderr, flush=True)
        if message["view"]["tricks"]:
            sys.exit("I am lost")
        print(json.dumps({"id": message["id"], "action": message["legal"][0]}), flush=True)
"""


@pytest.mark.slow
async def test_what_it_says_on_stderr_and_how_it_ends_is_there(tmp_path: Path) -> None:
    """Of the act at which it stops, and nothing of those before."""
    path, bot = tmp_path / "record", tmp_path / "loud.py"
    bot.write_text(LOUD)
    await match(path, "briscola-2", "sample:first", "sample:first", deals=1, time=SLOW)
    spec = BotSpec("loud", (sys.executable, str(bot)), "/", "", "loud")
    found, _ = await fed(path, 0, spec, UntilDifference())
    at = next(one for one in questions(path, 0) if b'"tricks":[]' not in one.ask.line)

    assert found.stopped is not None
    assert asked_id(found) == at.ask.id
    assert found.stopped.reply.stderr == f"thinking about {at.ask.id}\nI am lost\n"
    assert found.stopped.reply.exit == "exit status 1"
    assert "now no answer: exit status 1" in (found.stopped.difference or "")


def test_which_bot_is_meant() -> None:
    """By what it is, else by its name, if only one has it; or as it is called."""
    names, hashes = ["greedy#1", "mine", "greedy#2"], ["a", "b", "a"]

    assert chosen_bot(names, hashes, "other", "b", None) == 1
    assert chosen_bot(names, hashes, "greedy", "a", None) == 0
    assert chosen_bot(names, hashes, "mine", "c", None) == 1
    assert chosen_bot(names, hashes, "mine", "c", "greedy#2") == 2
    for name, called in (("greedy", None), ("none", None), ("mine", "greedy")):
        with pytest.raises(RefereeError, match="the record has greedy#1, mine, greedy#2"):
            chosen_bot(names, hashes, name, "c", called)


async def test_a_bot_that_says_too_much_and_lives_on_is_not_waited_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Only of one that has closed its output is asked how it ended."""
    monkeypatch.setattr(fed_process, "_LEAVES_S", math.inf)
    command = (sys.executable, "-S", "-c", "print(end=' ' * 20_000, flush=True); input()")
    sandbox = Bare()
    process = FedProcess(0, await sandbox.launch(BotSpec("talks", command, "/", "0" * 64, "talks")))
    try:
        with trio.fail_after(10):
            reply = await process.ask(b"")
    finally:
        process.end()

    assert len(reply.line) > LINE_FROM_BOT
    assert reply.exit is None

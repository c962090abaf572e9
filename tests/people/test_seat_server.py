"""A person at the table is a bot to the match, in every game."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
import trio
from msgspec.structs import replace

from protocol.messages import Act, Deal, DealEnd, End, Fault, Hello
from referee.bots.find import find
from referee.bots.settings import Settings
from referee.errors import RefereeError
from referee.games import catalogue
from referee.games import find as find_game
from referee.match.clock import NO_TIME, parse_time
from referee.match.lines import ActLine
from referee.match.plan import make_plan
from referee.match.verdict import FaultCode
from referee.people.seat_server import Left, serve
from referee.people.with_people import WithPeople, place_for
from referee.play.conductor import MatchResult, play_match
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from referee.record.writer import Recorder
from referee.rules.match_end import Reason
from referee.sandbox import Sandbox
from referee.sandbox.bare import Bare
from support.matches import BRISK, lines_of, verified
from support.terms import config_of

Heard = Hello | Deal | DealEnd | Fault | End
USUAL = ("briscola-2", "sueca", "briscola-chiamata-points")
MINE = parse_time("move=2h,bank=0s")


class Somebody:
    """Chooses what a function says; remembers what was told."""

    name = "ada"

    def __init__(self, choice: Callable[[Act], str] = lambda act: act.legal[0]) -> None:
        self._choice = choice
        self.heard: list[Heard] = []

    def hear(self, line: bytes, message: Heard) -> None:
        assert line.endswith(b"\n")
        self.heard.append(message)

    def choose(self, line: bytes, act: Act) -> str:
        assert line.endswith(b"\n")
        return self._choice(act)


async def sat_down(
    path: Path, game: str, person: Somebody, *, deals: int = 1, sandbox: Sandbox | None = None
) -> MatchResult:
    """A match of a person, whose place is the second, with bots that play their first card."""
    seats = find_game(game).seats[0]
    config = config_of(game=game, bots=seats, key="k", deals=deals, time="move=5s,start=20s")
    plan = make_plan(replace(config, clocks={1: MINE}))
    bots = sandbox or Bare()
    spec = await bots.prepare(find(BRISK, Settings()))
    with place_for("ada") as place:
        specs = [spec] * seats
        specs[1] = place.spec
        interrupt = trio.CancelScope()
        leave = partial(trio.lowlevel.current_trio_token().run_sync_soon, interrupt.cancel)
        recorder = Recorder(path)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(trio.to_thread.run_sync, serve, place.listener, person, leave)
            table = WithPeople(bots, place.spec)
            result = await play_match(plan, specs, table, recorder, interrupt=interrupt)
            place.stop()
        recorder.close()
    bots.release(spec)
    return result


@pytest.mark.slow
@pytest.mark.parametrize(
    "game",
    [
        pytest.param(game, marks=() if game in USUAL else pytest.mark.thorough)
        for game in catalogue()
    ],
)
async def test_a_person_plays_every_game(game: str, tmp_path: Path) -> None:
    """Their clock is their own, is in the record, and the record holds."""
    person = Somebody()
    result = await sat_down(tmp_path / "record", game, person)
    assert result.end.end == Reason.DEALS
    assert result.totals.faults == []
    assert [type(one) for one in person.heard] == [Hello, Deal, DealEnd, End]
    assert isinstance(person.heard[0], Hello)
    assert person.heard[0].time == MINE
    verified(tmp_path / "record")
    with RecordReader(tmp_path / "record") as reader:
        assert reader.header.clocks == {1: MINE}
        assert reader.header.bots[1].name == "ada"


@pytest.mark.slow
async def test_a_person_who_leaves_ends_the_match_and_is_not_at_fault(tmp_path: Path) -> None:
    def choose(act: Act) -> str:
        if len(act.view.tricks) == 3:
            raise Left
        return act.legal[0]

    result = await sat_down(tmp_path / "record", "briscola-2", Somebody(choose))
    assert result.end.end == Reason.INTERRUPTED
    assert result.totals.faults == []
    acts = [line for line in lines_of(tmp_path / "record") if isinstance(line, ActLine)]
    assert len(acts) in (6, 7)


@pytest.mark.slow
async def test_a_person_who_plays_what_is_not_legal_is_at_fault_like_a_bot(tmp_path: Path) -> None:
    """And sits there again in the next deal."""
    first = [True]

    def choose(act: Act) -> str:
        return "nothing" if first and first.pop() else act.legal[0]

    person = Somebody(choose)
    result = await sat_down(tmp_path / "record", "briscola-2", person, deals=2)
    (fault,) = result.totals.faults
    assert (fault.bot, fault.code) == (1, FaultCode.ILLEGAL)
    assert [type(one) for one in person.heard].count(Hello) == 2
    assert any(isinstance(one, Fault) for one in person.heard)
    assert isinstance(person.heard[-1], End)


@pytest.mark.slow
async def test_bots_stay_in_their_sandbox_when_people_play(tmp_path: Path, bwrap: Sandbox) -> None:
    result = await sat_down(tmp_path / "record", "briscola-2", Somebody(), sandbox=bwrap)
    assert result.end.end == Reason.DEALS
    with RecordReader(tmp_path / "record") as reader:
        assert reader.header.sandbox.startswith("bwrap")


def test_a_clock_of_a_bot_that_does_not_play_is_refused() -> None:
    config = config_of(game="briscola-2", bots=2, key="k")
    with pytest.raises(RefereeError, match="bot 2 has a clock"):
        make_plan(replace(config, clocks={2: parse_time(NO_TIME)}))


@pytest.mark.slow
async def test_a_record_whose_clocks_are_other_ones_does_not_hold(tmp_path: Path) -> None:
    """They were said to the bots; a clock of who does not play is refused at the first line."""
    path, other = tmp_path / "record", tmp_path / "other"
    await sat_down(path, "briscola-2", Somebody())
    whole = path.read_bytes()
    for wrong in (b'{"0":', b'{"7":'):
        other.write_bytes(whole.replace(b'"clocks":{"1":', b'"clocks":' + wrong, 1))
        with pytest.raises(Mismatch), RecordReader(other) as reader:
            list(Resimulation(reader).deals())

"""Whole matches between real processes."""

import subprocess
import sys
import time
from pathlib import Path

import pytest
import trio

from protocol.messages import Answer
from referee.bots.find import BotSpec, sample_names
from referee.bots.find import find as find_bot
from referee.bots.settings import CopyLimits, Settings
from referee.games import catalogue, find
from referee.match.leg import Leg
from referee.match.lines import ActLine, FrozenLine, Header, Line
from referee.match.plan import make_plan
from referee.match.seating import Seating
from referee.match.verdict import Mishap, Verdict
from referee.play.evidence import Heard
from referee.play.seat import Seat
from referee.record.writer import Recorder
from referee.sandbox.build_cache import cache_folder, in_place
from referee.sandbox.copy_store import CopyStore
from support.conversation import DECK
from support.drive import AT_ONCE, heard
from support.matches import TOOLS, has_tool, lines_of, match, verified
from support.terms import config_of

ELEPHANT = Path(__file__).parents[1] / "support" / "bots" / "elephant.py"
THINKS = ELEPHANT.with_name("thinks.py")
SAMPLES = [name for name in sample_names() if name != "script" and has_tool(name)]


PLAIN = ("biscambiggia-3", "briscola-2", "briscola-4")
"""Where each bot sits at each seat, however little time there is."""
TABLES = [(game, seats) for game in catalogue() for seats in find(game).seats]


@pytest.mark.slow
@pytest.mark.parametrize(("game", "seats"), TABLES)
async def test_every_sample_bot_plays_every_variant_at_every_seat(
    game: str, seats: int, tmp_path: Path, many_cases: bool
) -> None:
    """Each bot plays whole matches, without a fault, and the records verify.

    `make ci` lets each sit once at each seat; without much time all of them share the tables out.
    """
    everybody = range(len(SAMPLES))
    at = TABLES.index((game, seats)) % len(SAMPLES)
    for turn in everybody if many_cases or game in PLAIN else [at]:
        bots = [f"sample:{SAMPLES[(turn + seat) % len(SAMPLES)]}" for seat in range(seats)]
        path = tmp_path / str(turn)
        result = await match(path, game, *bots, key=str(turn), time="", dealer=None)
        verified(path)

        assert result.totals.faults == []


@pytest.mark.slow
@pytest.mark.parametrize("game", ["biscambiggia-4", "briscola-6"])
async def test_a_bot_may_hold_a_whole_side(game: str, tmp_path: Path) -> None:
    """Two bots at a table of four or six get a process for each seat of their side."""
    path = tmp_path / "record"
    result = await match(path, game, "sample:greedy", "sample:first-c", deals=3)
    deals = verified(path)

    assert deals[0].start.bots == tuple(seat % 2 for seat in range(find(game).seats[0]))
    assert result.end.scores[0] == -result.end.scores[1]


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["first-c", "first-cpp", "first-rust", "first-java", "first-js", "first-perl", "first-sh"],
)
async def test_first_plays_the_same_in_every_language(name: str, tmp_path: Path) -> None:
    """Byte for byte the same actions as `first`, deal after deal."""
    if not has_tool(name):
        pytest.skip(f"{TOOLS[name]} does not work here")
    digests = []
    for bot in ("sample:first", f"sample:{name}"):
        path = tmp_path / bot
        result = await match(path, "briscola-2", bot, "sample:random", deals=4, key="x")
        digests.append((result.end.game_digest, [deal.acts for deal in verified(path)]))

    assert digests[0] == digests[1]


@pytest.mark.slow
async def test_a_script_is_played_line_by_line(tmp_path: Path) -> None:
    """`script=FILE` plays its actions where they are legal."""
    script = tmp_path / "actions"
    script.write_text("# mine\nQS\n\n5C\nnonsense\n")
    path = tmp_path / "record"
    await match(
        path, "biscambiggia-2", f"sample:script={script}", "sample:first-c", deck=DECK, dealer=0
    )
    (deal,) = verified(path)
    mine = [action for seat, action in deal.acts if seat == 0]
    notes = [line.note for line in lines_of(path) if isinstance(line, ActLine) and line.note]

    assert mine[:2] == ["QS", "5C"]
    assert notes == ["the script says nonsense, which is not legal here"]


@pytest.mark.slow
async def test_greedy_beats_random_by_thirty_points_a_deal(tmp_path: Path) -> None:
    """Over 200 decks of briscola-2 the mean margin is at least 30 card points."""
    path = tmp_path / "record"
    result = await match(
        path, "briscola-2", "sample:greedy", "sample:random", deals=200, key="a", time=""
    )

    assert result.end.scores[0] / 200 >= 30


@pytest.mark.slow
async def test_legs_play_the_same_decks(tmp_path: Path) -> None:
    """Each seating plays every deck with the same dealer; equal bots come out level."""
    path = tmp_path / "record"
    result = await match(
        path,
        "briscola-2",
        "sample:first",
        "sample:first-c",
        deals=3,
        seating=Seating.ROTATE,
        dealer=None,
    )
    deals = verified(path)
    decks = [(deal.start.deck, deal.start.dealer) for deal in deals]

    assert decks[:3] == decks[3:]
    assert [deal.start.bots for deal in deals] == [(0, 1)] * 3 + [(1, 0)] * 3
    assert result.end.scores == (0, 0)
    assert result.end.winner is None


def _elephant() -> BotSpec:
    return BotSpec("elephant", (sys.executable, "-S", str(ELEPHANT)), str(ELEPHANT.parent), "", "")


@pytest.mark.slow
async def test_a_bot_that_remembers_every_card_never_meets_a_deck_twice(tmp_path: Path) -> None:
    """In a duplicate match no process recognises a deal, though each deck is played twice."""
    path = tmp_path / "record"
    await match(
        path, "briscola-2", _elephant(), _elephant(), deals=8, seating=Seating.FULL, time=""
    )
    verified(path)

    assert [line.note for line in lines_of(path) if isinstance(line, ActLine) and line.note] == []


@pytest.mark.slow
def test_the_same_bot_would_recognise_the_decks_if_it_lived_on() -> None:
    """The control: fed both legs in one process, the elephant knows every deck the second time."""
    plan = make_plan(
        config_of(game="briscola-2", bots=2, deals=8, key="test", dealer=0, seating=Seating.FULL)
    )
    said = b""
    for number in range(2):
        leg = Leg(plan.leg(number))
        while leg.next_deal() is not None:
            for place in leg.to_start():
                ask = leg.greet(place)
                heard(ask, {"type": "ready", "protocol": 1, "name": "x"})
            leg.open_deal()
            while (asked := leg.ask()) is not None:
                if plan.seatings[number][asked.place] == 0:
                    said += asked.line
                action = leg.deal.table.legal[0]
                heard(asked, {"id": asked.id, "action": action})
                leg.answered(Answer(asked.id, action), AT_ONCE)
            leg.close_deal()
    done = subprocess.run(
        _elephant().command, input=said, capture_output=True, check=True, timeout=60
    )
    notes = [line for line in done.stdout.splitlines() if b"know this deal" in line]

    assert len(notes) >= 8


@pytest.mark.slow
async def test_the_third_player_drops_out_of_a_tie(tmp_path: Path) -> None:
    """Two level at the target go on alone; `deal` tells them who sits, under which rules."""
    path = tmp_path / "record"
    for key in range(40):
        path = tmp_path / str(key)
        await match(
            path,
            "briscola-3",
            *["sample:first-c"] * 3,
            key=str(key),
            options=("deal_scoring=three_hand_40", "target=1"),
        )
        deals = verified(path)
        if len(deals[-1].start.bots) == 2:
            break

    assert len(deals[-1].start.bots) == 2
    assert len(deals[-1].start.deck) == 40
    assert len(deals[0].start.deck) == 39


async def test_a_bot_is_built_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second time a build is asked for, the first one's folder is used."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder, builds = tmp_path / "bot", tmp_path / "builds"
    folder.mkdir()
    toml = f"name = 'x'\ncommand = 'true'\nbuild = \"sh -c 'echo built >> {builds}'\"\n"
    (folder / "bot.toml").write_text(toml)
    kept = CopyStore(cache_folder(), CopyLimits())
    once, again = [await in_place(find_bot(str(folder), Settings()), kept) for _ in range(2)]
    kept.close()

    assert once == again
    assert once.folder != str(folder)
    assert builds.read_text() == "built\n"


@pytest.mark.slow
async def test_paced_answers_take_effect_on_the_beat(tmp_path: Path) -> None:
    """Forty acts of ten milliseconds take so long, charge the bots nothing, change no card."""
    bots = ("sample:first", "sample:first")
    quick = await match(tmp_path / "quick", "briscola-2", *bots, deals=1)
    begin = time.monotonic()
    paced = await match(tmp_path / "paced", "briscola-2", *bots, deals=1, pace=10)

    assert time.monotonic() - begin > 0.4
    assert sum(paced.match.used_us) < 400_000
    assert paced.wall_us < 400_000
    assert paced.end.game_digest == quick.end.game_digest
    header = lines_of(tmp_path / "paced")[0]
    assert isinstance(header, Header)
    assert header.terms.pace_ms == 10
    verified(tmp_path / "paced")


@pytest.mark.slow
async def test_a_bot_wins_no_time_to_think_while_its_answer_is_held_back(tmp_path: Path) -> None:
    """It is looked at soon after, and stopped between its acts from then on."""
    thinker = tmp_path / "thinker"
    thinker.write_text(
        "#!/usr/bin/python3 -S\nimport json, sys, threading\n"
        "ponder = threading.Thread(target=lambda: [0 for _ in iter(int, 1)], daemon=True)\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello':\n"
        '        print(\'{"type":"ready","protocol":1,"name":"thinker"}\', flush=True)\n'
        "    elif message['type'] == 'act':\n"
        "        said = {'id': message['id'], 'action': message['legal'][0]}\n"
        "        print(json.dumps(said), flush=True)\n"
        "        ponder.is_alive() or ponder.start()\n"
        "    elif message['type'] == 'end':\n"
        "        break\n"
    )
    thinker.chmod(0o755)
    await match(tmp_path / "record", "briscola-2", str(thinker), "sample:first", deals=1, pace=100)
    (stopped,) = [line for line in lines_of(tmp_path / "record") if isinstance(line, FrozenLine)]
    assert stopped.us < 50_000


@pytest.mark.parametrize("pace", [0, 1])
async def test_whenever_the_referee_waits_the_file_has_all_acts(
    pace: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So one that is killed then has lost none, however long the bot thinks."""
    path, acts, lost = tmp_path / "record", list[ActLine](), list[int]()
    write, finish, sleep = Recorder.write, Seat.finish, trio.sleep_until

    def written(self: Recorder, line: Line) -> None:
        acts.extend([line] if isinstance(line, ActLine) else [])
        write(self, line)

    def look() -> None:
        lost.append(len(acts) - path.read_bytes().count(b'{"act"'))

    async def finished(self: Seat) -> Heard | Verdict | Mishap:
        look()
        return await finish(self)

    async def slept(until: float) -> None:
        look()
        await sleep(until)

    monkeypatch.setattr(Recorder, "write", written)
    monkeypatch.setattr(Seat, "finish", finished)
    monkeypatch.setattr(trio, "sleep_until", slept)
    command = (sys.executable, "-S", str(THINKS), "100", "20", "0", "0")
    bot = BotSpec("thinks", command, str(THINKS.parent), "0" * 64, "thinks")
    await match(path, "briscola-2", bot, bot, deals=1, pace=pace)

    assert len(acts) == 40
    assert len(lost) >= 10  # every fourth act takes 20 ms
    assert not any(lost)

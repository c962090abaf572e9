"""What a ladder ranks, as people write it down."""

import json
import os
import shlex
import sys
from operator import attrgetter
from pathlib import Path

import pytest
import zstandard
from msgspec.structs import replace

from ladder.core.facts import Decision, Deed, Fact, Opened, Pool
from ladder.core.roster import Roster
from ladder.game_files.game_table import USUAL_BLOCKS
from ladder.game_files.pool_file import USUAL_GAMES, Pools, changes, pools_of, read_pools
from ladder.terms import RECORDED_A_DEAL, LuckUse
from referee.cli import run
from referee.errors import RefereeError
from referee.games import catalogue
from referee.match.clock import parse_time
from referee.match.seating import Seating

BLOATER = Path(__file__).parents[2] / "support" / "bots" / "bloater.py"

WHOLE = """
name = "Everything"
blocks = 3
seating = "rotate"
time = "move=1s"
freeze = "never"
on_fault = "play-on"
luck = "off"
bench = 0
[[game]]
id = "briscola-2"
[[game]]
id = "briscola-2"
name = "Fast one"
blocks = 1
seating = "full"
time = "move=100ms"
pace = 7
options = {signals = false}
[[game]]
id = "sueca"
partners = "mixed"
pace = 5
"""


def read(tmp_path: Path, text: str) -> Pools:
    path = tmp_path / "pools.toml"
    path.write_text(text)
    return read_pools(path)


def refusal(tmp_path: Path, text: str) -> str:
    with pytest.raises(RefereeError) as caught:
        read(tmp_path, text)
    said = str(caught.value)
    assert str(tmp_path) in said
    assert "\n" not in said
    return said.removeprefix(f"file of pools {str(tmp_path / 'pools.toml')!r}: ")


def test_matches_whose_record_bots_could_overfill_are_refused(tmp_path: Path) -> None:
    """Else a bot could end any match, for no one is charged for a record that is not kept."""
    assert refusal(tmp_path, 'blocks = 683\n[[game]]\nid = "briscola-2"') == (
        "game 1: blocks: 683 a match, each in 2 seatings, make a record that bots can fill beyond "
        "64.0 MiB: 682 at most"
    )
    (pool,) = read(tmp_path, 'blocks = 682\n[[game]]\nid = "briscola-2"').pools
    assert pool.blocks == 682


def test_no_bot_fills_more_of_a_record_than_is_foreseen(tmp_path: Path) -> None:
    """By what it may send: both seats of a match do all they can."""
    command = shlex.join([sys.executable, "-S", str(BLOATER)])
    (tmp_path / "bot.toml").write_text(f"name = 'bloater'\ncommand = {json.dumps(command)}\n")
    bot, record = str(tmp_path), tmp_path / "record"
    words = ["match", bot, bot, "--deals", "10", "--sandbox", "bare", "--record", str(record)]
    assert run(words) == 0

    filled = len(zstandard.compress(record.read_bytes(), 3))
    assert 12 * 1024 < filled / (10 * 2) < RECORDED_A_DEAL


def test_a_game_alone_is_enough(tmp_path: Path) -> None:
    """All else is as usual, and as if its id had been typed."""
    found = read(tmp_path, '[[game]]\nid = "briscola-2"')
    assert found == pools_of(["briscola-2"])
    (pool,) = found.pools
    assert (pool.places, pool.seats, pool.seatings, pool.blocks) == (2, 2, 2, USUAL_BLOCKS)
    assert (pool.sides, pool.terms.pace_ms, pool.bench) == ((), 0, 10)
    assert pool.luck is LuckUse.SHOWN
    assert (pool.pool, pool.at_ms) == (0, 0)


def test_a_match_has_as_many_decks_as_usual_or_as_a_record_has_room_for() -> None:
    """Where a deck is played in 120 seatings, five would be too many; what is asked for stands."""
    blocks = {pool.name: pool.blocks for pool in pools_of(["briscola-2", "sueca-italiana"]).pools}
    assert blocks == {"briscola-2": 5, "sueca-italiana": 4}


@pytest.mark.parametrize("game", sorted(catalogue()))
def test_every_game_can_be_ranked(game: str) -> None:
    """With as many bots as sides, or as seats; each deck is played in one seating at least."""
    (pool,) = pools_of([game]).pools
    assert pool.places == len(pool.partners)
    assert sorted(seat for side in pool.partners for seat in side) == list(range(pool.seats))
    assert pool.seatings >= 1


def test_a_game_says_what_differs(tmp_path: Path) -> None:
    """What it does not say is as for the whole ladder."""
    found = read(tmp_path, WHOLE.replace("options = {signals = false}\n", ""))
    one, fast, mixed = found.pools
    assert found.name == "Everything"
    assert (one.name, fast.name, mixed.name) == ("briscola-2", "Fast one", "sueca")
    assert (one.blocks, fast.blocks) == (3, 1)
    assert (one.terms.seating, fast.terms.seating) == (Seating.ROTATE, Seating.FULL)
    assert (one.terms.time, fast.terms.time) == (parse_time(""), parse_time("move=100ms"))
    assert tuple(pool.terms.pace_ms for pool in found.pools) == (0, 7, 5)
    assert (mixed.places, mixed.sides) == (4, ((0, 2), (1, 3)))
    assert one.luck_values == ""


def test_partners_are_paced(tmp_path: Path) -> None:
    """Where a seat has a partner, its time to think tells nothing, unless it is said."""
    text = '[[game]]\nid = "sueca"\n[[game]]\nid = "briscola-2"\n'
    paced, alone = read(tmp_path, text).pools
    assert (paced.terms.pace_ms > 0, alone.terms.pace_ms) == (True, 0)
    assert [pool.terms.pace_ms for pool in read(tmp_path, "pace = 0\n" + text).pools] == [0, 0]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "game"),
        ("game = []", "game"),
        ("[[game]]", "id"),
        ('[[game]]\nid = "briscola-9"', "game 1: "),
        ('[[game]]\nid = "sueca"\n[[game]]\nid = "x"', "game 2: "),
        ('[[game]]\nid = "sueca"\n[[game]]\nid = "sueca"', "two games are both 'sueca'"),
        ('[[game]]\nid = "sueca"\nblocks = 0', "blocks"),
        ('[[game]]\nid = "sueca"\nblocks = 1001', "blocks"),
        ('[[game]]\nid = "sueca"\npace = -1', "pace"),
        ('[[game]]\nid = "sueca"\ntime = "move=never"', "game 1: "),
        ('[[game]]\nid = "sueca"\noptions = {nonsense = 1}', "game 1: "),
        ('[[game]]\nid = "sueca"\nseating = "some"', "seating"),
        ('[[game]]\nid = "sueca"\nname = "\\u001b[2J"', "game 1: "),
        ('[[game]]\nid = "sueca"\nnam = "x"', "nam"),
        ('nam = "x"\n[[game]]\nid = "sueca"', "nam"),
        ('name = "\\u202e"\n[[game]]\nid = "sueca"', "name"),
        ('on_fault = "end-match"\n[[game]]\nid = "sueca"', "on_fault"),
        ('on_fault = "end-deal"\n[[game]]\nid = "briscola-3"', "on-fault end-deal: at a table"),
        ('luck = "official"\n[[game]]\nid = "sueca-italiana"', "luck"),
        ("bench = -1\n[[game]]\nid = 'sueca'", "bench"),
        (f"bench = {2**62}\n[[game]]\nid = 'sueca'", "bench"),
        ("bench = 1000001\n[[game]]\nid = 'sueca'", "bench"),
        (f"pace = {2**62}\n[[game]]\nid = 'sueca'", "pace"),
        ("game", "Expected '='"),
        ("x = " + "[" * 5000, "recursion"),
        ("#" * 300_000, "bytes"),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, text: str, expected: str) -> None:
    """One line names the file, the game or key, and what is wrong."""
    assert expected in refusal(tmp_path, text)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """It is missing, is a folder, or no text: one line."""
    (tmp_path / "latin").write_bytes(b"name = '\xe0'")
    for name in ("none", ".", "latin"):
        with pytest.raises(RefereeError, match="file of pools") as caught:
            read_pools(tmp_path / name)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("kind", ["pipe", "endless"])
def test_what_is_no_file_is_not_waited_for(tmp_path: Path, kind: str) -> None:
    """A pipe that nobody writes to and a device that never ends are refused."""
    path = tmp_path / "pipe" if kind == "pipe" else Path("/dev/zero")
    if kind == "pipe":
        os.mkfifo(path)
    with pytest.raises(RefereeError, match="file of pools"):
        read_pools(path)


def test_an_unknown_game(tmp_path: Path) -> None:
    """Typed, it is named as well."""
    with pytest.raises(RefereeError, match="nonsense"):
        pools_of(["briscola-2", "nonsense"])
    with pytest.raises(RefereeError, match="two games are both"):
        pools_of(["briscola-2", "briscola-2"])


by_name = attrgetter("name")


class TestChanges:
    """A ladder is given other games."""

    def roster(self) -> Roster:
        return Roster(
            [
                Opened("0" * 32, "test", 0, "1"),
                *(
                    replace(pool, pool=number, at_ms=5)
                    for number, pool in enumerate(pools_of(["briscola-2", "sueca"]).pools, 1)
                ),
            ]
        )

    def add(self, roster: Roster, wanted: tuple[Pool, ...]) -> list[Fact]:
        found = changes(roster, wanted, 77)
        for fact in found:
            roster.add(fact)
        ranked = [replace(pool, pool=0, at_ms=0) for pool in roster.open_pools]
        assert sorted(ranked, key=by_name) == sorted(wanted, key=by_name)
        assert changes(roster, wanted, 78) == []
        return found

    def test_none(self) -> None:
        """The same games again add no fact, in whatever order."""
        wanted = pools_of(["sueca", "briscola-2"]).pools
        assert changes(self.roster(), wanted, 1) == []

    def test_another_game(self) -> None:
        """It gets the next number; those that are not named are closed."""
        roster = self.roster()
        (new,) = pools_of(["briscola-3"]).pools
        added, *closed = self.add(roster, (new,))
        assert isinstance(added, Pool)
        assert (added.pool, added.at_ms) == (3, 77)
        assert [(one.deed, one.pool) for one in closed if isinstance(one, Decision)] == [
            (Deed.CLOSED, 1),
            (Deed.CLOSED, 2),
        ]

    def test_another_clock(self) -> None:
        """A changed game is another pool of the same name; the old one can come back."""
        roster = self.roster()
        usual = pools_of(["briscola-2", "sueca"]).pools
        changed = (replace(usual[0], terms=replace(usual[0].terms, pace_ms=1)), usual[1])
        (added,) = self.add(roster, changed)
        assert isinstance(added, Pool)
        assert (added.pool, added.name) == (3, "briscola-2")
        (back,) = self.add(roster, usual)
        assert isinstance(back, Decision)
        assert (back.deed, back.pool) == (Deed.OPENED, 1)
        (again,) = self.add(roster, changed)
        assert isinstance(again, Decision)
        assert again.pool == 3

    def test_one_that_was_closed(self) -> None:
        """It comes back as it was: its ranking goes on."""
        roster = self.roster()
        usual = pools_of(["briscola-2", "sueca"]).pools
        self.add(roster, usual[1:])
        (back,) = self.add(roster, usual)
        assert isinstance(back, Decision)
        assert (back.deed, back.pool) == (Deed.OPENED, 1)

    def test_names_changed_places(self) -> None:
        """Two games that exchange their names are two new pools, and both old ones end."""
        one, other = pools_of(["briscola-2", "sueca"]).pools
        wanted = (replace(one, name=other.name), replace(other, name=one.name))
        assert len(self.add(self.roster(), wanted)) == 2


def test_the_usual_ladder() -> None:
    """A ladder of which nobody has said anything ranks a game that there is."""
    assert pools_of(USUAL_GAMES).pools

"""Second meetings of a deck against first ones: who remembers is seen, and nobody else is named."""

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from msgspec import UNSET
from msgspec.structs import replace
from scipy.stats import binom

from ladder.core.block_codec import packed, unpacked
from ladder.show.as_json import as_json
from ladder.show.sentences import WARNING, rules_lines
from ladder.standings.heading import Heading
from ladder.standings.section import Section, standings
from ladder.stats.meetings import RISK, meetings
from ladder.stats.observations import observed
from referee.bots.find import BotSpec
from referee.match.luck import luck_of
from referee.match.outcome import BlockResult
from referee.match.seating import Seating
from referee.workers.block_sums import Blocks
from support.json_objects import object_of
from support.matches import match, verified
from support.memories import SEASONS, Memory, named, season_of
from support.nulls import KINDS
from support.outsider import Meeting, second_meetings
from support.sections import block, played, table
from support.simulations import dice


def meeting(at: int, first: int, later: int, *, faults: Sequence[int] = ()) -> BlockResult:
    """A block of two bots: what its two legs brought the first of them."""
    rows = tuple((value, -value) for value in (first, later))
    return replace(block(at, (first + later, -first - later), faults=faults), meetings=rows)


def section(blocks: Sequence[BlockResult], names: tuple[str, ...] = ("able", "baker")) -> Section:
    """A table of the first two, its blocks in match parts of one."""
    return Section(
        game="briscola-2",
        names=names,
        rounds=(played([table((0, 1), blocks)], blocks=len(blocks)),),
    )


def season(gain: float, count: int = 40, seed: int = 1) -> list[BlockResult]:
    """Blocks in which the first bot is so much better in the second leg."""
    roll = dice("meetings", seed)
    drawn = np.rint(roll.normal((0, gain), 20, (count, 2))).astype(int)
    return [meeting(at, *row) for at, row in enumerate(drawn.tolist())]


def test_the_difference_is_of_later_legs_and_the_first() -> None:
    """What one wins by it, a deal, the other loses; blocks with faults do not count."""
    clean = [meeting(at, first, first + 6) for at, first in enumerate((3, -5, 11))]
    faulty = meeting(3, -120, 120, faults=(1, 0))
    unplayed = replace(meeting(4, 0, 120), unplayed=(0, 1))
    rows = {row.name: row.again for row in standings(section([*clean, faulty, unplayed])).rows}

    able, baker = rows["able"], rows["baker"]
    assert able is not None
    assert baker is not None
    assert (able.difference.value, baker.difference.value) == (6, -6)
    assert (able.blocks, baker.blocks) == (3, 3)
    assert able.first is None


def test_nobody_is_named_for_a_few_blocks() -> None:
    """However large and alike the differences: chance could have them all above 0."""
    found = [standings(section([meeting(at, 0, 6) for at in range(n)])).rows[0] for n in (7, 8)]

    assert [row.again is not None and row.again.beyond for row in found] == [False, True]


def test_who_remembers_is_named_and_nobody_else() -> None:
    """In a line of the table, and in JSON."""
    shown = standings(section(season(20)))
    lines = [line for line in rules_lines(shown) if "second meetings" in line]
    bots = object_of(as_json(Heading(kind="event", name="E"), [shown]))["sections"][0]["bots"]

    assert [line.split(" is better")[0] for line in lines] == [f"{WARNING}able"]
    assert {bot["bot"]: bot["second_meetings"]["beyond_chance"] for bot in bots} == {
        "able": True,
        "baker": False,
    }


def test_where_nobody_is_named_the_table_says_so() -> None:
    """With the risk that the statement has."""
    lines = [line for line in rules_lines(standings(section(season(0)))) if "meetings" in line]

    assert len(lines) == 1
    assert "no bot is better" in lines[0]


def test_nothing_is_said_where_legs_were_not_counted() -> None:
    """As in blocks of a referee that did not."""
    blocks = [replace(one, meetings=UNSET) for one in season(20)]
    shown = standings(section(blocks))

    assert not any("meetings" in line for line in rules_lines(shown))
    assert shown.rows[0].again is None


def test_in_an_event_first_tables_count_by_themselves() -> None:
    """Who remembers all decks of an event knows them in both legs at its second table."""
    first, second = season(20, 60), season(0, 60, seed=2)
    tables = [table((0, 1), first), table((0, 2), second)]
    seen = observed((played(tables, blocks=60),), ())
    found = meetings(seen, 3)

    assert found.first is not None
    rows = [one.meetings for one in first if one.meetings is not UNSET]
    gained = [later[0] - begun[0] for begun, later in rows]
    assert found.first.value[0] == pytest.approx(np.mean(gained))
    assert found.all.value[0] < found.first.value[0]
    assert found.beyond.tolist() == [True, False, False]


def test_a_database_keeps_what_legs_brought() -> None:
    """And that it was not counted."""
    blocks = (meeting(0, 5, -7), replace(meeting(1, 1, 1), meetings=UNSET))

    assert unpacked(packed(blocks, 2), 2, 2) == blocks


def turn(one: tuple[int, ...], other: tuple[int, ...]) -> bool:
    """Whether bots sit in the same order round the table."""
    return any(one[at:] + one[:at] == other for at in range(len(one)))


@pytest.mark.parametrize(("game", "bots"), [("briscola-2", 2), ("biscambiggia-3", 3)])
async def test_legs_in_the_same_order_round_the_table_are_compared(
    game: str, bots: int, tmp_path: Path
) -> None:
    """Of six seatings of three bots those three that are turns of the one that is played first."""
    path, decks = tmp_path / "record", 2
    names = ("sample:random", "sample:greedy", "sample:first")[:bots]
    await match(path, game, *names, deals=decks, seating=Seating.FULL)
    deals = verified(path)
    legs = len(deals) // decks
    seated = [deals[leg * decks].start.bots for leg in range(legs)]
    turns = [leg for leg in range(1, legs) if turn(seated[0], seated[leg])]
    counted = Blocks(0, decks, bots, legs, luck_of)
    for deal in deals:
        counted.add(deal)

    for at, one in enumerate(counted.finished()):
        brought = []
        for leg in range(legs):
            deal = deals[leg * decks + at]
            seats = [deal.start.bots.index(bot) for bot in range(bots)]
            brought.append([deal.by_seat[seat] for seat in seats])
        assert one.meetings is not UNSET
        assert len(turns) == bots - 1
        assert list(one.meetings[0]) == brought[0]
        assert list(one.meetings[1]) == [
            sum(brought[leg][bot] for leg in turns) for bot in range(bots)
        ]


@pytest.mark.parametrize("season", SEASONS)
def test_who_computes_it_by_the_text_of_spec_names_the_same(season: str) -> None:
    """In plain loops, in events and ladders, with a memory and without one."""
    for number, gain in enumerate((0.0, 15.0)):
        seen = season_of(SEASONS[season], KINDS["faults-1"], number, Memory(gain))
        found = meetings([seen], SEASONS[season].bots)
        outside = second_meetings(
            [
                Meeting(*row)
                for row in zip(
                    *(seen.block.tolist(), seen.life.tolist(), map(tuple, seen.bots.tolist())),
                    *(map(tuple, seen.met[:, at].tolist()) for at in (0, 1)),
                    [not any(faults) for faults in seen.at_fault.tolist()],
                    *(seen.begun.tolist(), seen.lineup.tolist(), map(tuple, seen.means.tolist())),
                    strict=True,
                )
            ]
        )
        for bot, one in outside.items():
            low, high = found.all.interval(bot) or (np.nan, np.nan)
            assert one.difference == pytest.approx(found.all.value[bot])
            assert one.half == pytest.approx((high - low) / 2)
            assert one.named == found.beyond[bot]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("season", ["two bots", "event", "ladder", "ladder, single blocks"])
def test_bots_that_forget_are_hardly_ever_named(
    season: str, kind: str, *, many_cases: bool
) -> None:
    """In one field of a hundred at most; `python -m tests.memories honest` has more of them."""
    fields = 1000 if many_cases else 100
    wrong = sum(bool(named(season, kind, number)) for number in range(fields))

    assert binom.sf(wrong - 1, fields, RISK) > 1e-4


@pytest.mark.parametrize("event", [False, True])
def test_who_gains_twenty_points_is_named_in_a_hundred_blocks_a_table(*, event: bool) -> None:
    """In an event of six, whether it knows the decks of one match or of all; and nobody else is."""
    found = [named("event, 100 blocks", "plain", at, Memory(20, event)) for at in range(40)]

    assert sum(0 in bots for bots in found) > 24
    assert not any(set(bots) - {0} for bots in found)


@pytest.mark.thorough
async def test_a_bot_that_knows_the_cards_of_second_legs_is_named(tmp_path: Path) -> None:
    """Real matches of a bot that is greedy in first legs and sees all hands in second ones."""
    played_in = list[BlockResult]()
    for part in range(24):
        path, key = tmp_path / f"record-{part}", f"memory {part}"
        bots = (cardsharp(key), cardsharp())
        options, time = ("exchange_two=off",), "move=10s,start=10s"
        await match(
            *(path, "briscola-2", *bots),
            deals=5,
            key=key,
            seating=Seating.FULL,
            options=options,
            time=time,
        )
        counted = Blocks(5 * part, 5, 2, 2, luck_of)
        for deal in verified(path):
            counted.add(deal)
        played_in += counted.finished()
    one = table((0, 1), played_in, parts=[5] * 24)
    seen = observed((played([one], blocks=120),), ())

    assert meetings(seen, 2).beyond.tolist() == [True, False]


def cardsharp(*key: str) -> BotSpec:
    """A bot that knows the cards of second legs under this key; without one it is greedy."""
    path = Path(__file__).parents[2] / "support" / "bots" / "cardsharp.py"
    return BotSpec("cardsharp", (sys.executable, str(path), *key), str(path.parent), "0" * 64, "")

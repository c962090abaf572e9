"""From rounds to standings: points, means, luck, places, faults, and what is left out."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.event.publish import section_of
from ladder.event.rounds import next_round
from ladder.results import RoundResult, TableResult
from ladder.standings.section import Benched, Section, standings
from ladder.standings.table import BotEntry, Cell, Row, Standings, Time
from ladder.stats.estimates import MOST_CROSSED, Estimate
from ladder.stats.means import cross
from ladder.stats.observations import observed
from referee.match.verdict import FaultCode
from support.events import event_of, event_text
from support.sections import block, fault, played, round_robin, table, tables_of


def section(*tables: TableResult, bots: int = 2, blocks: int = 1) -> Section:
    return Section(
        game="briscola-2",
        names=tuple("abcdefgh"[:bots]),
        rounds=(played(tables, blocks=blocks),),
    )


def by_name(found: Standings) -> dict[str, Row]:
    return {row.name: row for row in found.rows}


def timeless(found: Standings) -> Standings:
    rows = tuple(replace(row, time=Time(0, 0)) for row in found.rows)
    return replace(found, rows=rows, wall_us=0)


def test_a_block_won_is_a_point_and_a_level_one_half() -> None:
    """The sign of a block's value decides, and means are over blocks."""
    values = [(30, -30), (2, -2), (0, 0), (-40, 40)]
    found = standings(section(table((0, 1), [block(*each) for each in enumerate(values)])))
    rows = by_name(found)

    assert (rows["a"].points, rows["b"].points) == (2.5, 1.5)
    assert (rows["a"].blocks, rows["a"].deals) == (4, 8)
    assert rows["a"].mean is not None
    assert rows["a"].mean.value == -1.0
    assert found.two_sided


def test_faults_after_the_last_deal_are_counted() -> None:
    """All that the log counts, however few of them it tells in words."""
    found = table((0, 1), [block(0, (1, -1))])
    rows = by_name(standings(section(replace(found, faults=(0, 160)))))

    assert (rows["a"].faults, rows["b"].faults) == (0, 160)


@given(
    st.lists(st.tuples(st.integers(-120, 120), st.integers(1, 3)), min_size=1, max_size=6),
    st.lists(st.integers(-120, 120), min_size=1, max_size=6),
)
def test_points_of_two_sides_add_up_to_blocks(
    first: list[tuple[int, int]], second: list[int]
) -> None:
    """Whatever happens, what one wins another loses, in points as in the cross-table."""
    own = section(
        table((0, 1), [block(at, (v, -v), deals=d) for at, (v, d) in enumerate(first)]),
        table((1, 2), [block(at, (v, -v)) for at, v in enumerate(second)]),
        bots=3,
    )
    found = cross(observed(own.rounds, own.sides), 3)

    assert found.points.sum() == len(first) + len(second)
    assert (found.won == found.lost.T).all()
    assert (found.level == found.level.T).all()
    assert found.difference == pytest.approx(-found.difference.T)


def test_at_a_table_of_many_points_are_shares_of_the_others() -> None:
    """Who is ahead of one of two others has half a point; cells are differences."""
    found = standings(section(table((0, 1, 2), [block(0, (60, 0, -60), deals=6)]), bots=3))
    rows = by_name(found)
    cell = found.cross[0][2]

    assert [rows[name].points for name in "abc"] == [1, 0.5, 0]
    assert not found.two_sided
    assert cell is not None
    assert [row.name for row in found.rows] == ["a", "b", "c"]
    assert (cell.difference, cell.won) == (20, 1)


@pytest.mark.parametrize("kind", ["faults", "unplayed"])
def test_a_block_with_a_fault_counts_for_everybody_at_the_table(kind: str) -> None:
    """At a table of three too; means have what the fault has cost its bot."""
    clean = block(0, (6, 0, -6), deals=6)
    faulty = replace(block(1, (-720, 300, 0), deals=6), **{kind: (1, 0, 0)})
    found = standings(section(table((0, 1, 2), [clean, faulty]), bots=3))
    rows = by_name(found)

    assert [rows[name].blocks for name in "abc"] == [2, 2, 2]
    assert [rows[name].points for name in "abc"] == [1, 1.5, 0.5]
    assert [mean.value for name in "abc" if (mean := rows[name].mean)] == [-59.5, 25, -0.5]
    assert [rows[name].faulty for name in "abc"] == [1, 0, 0]


def test_a_fault_at_a_table_of_three_neither_takes_from_others_nor_gives_to_them() -> None:
    """Points and cells are by the cards, which a stand-in played on with; the charge is its own.

    Bot a, or its stand-in, has taken 150 when the others have lost that.
    """
    cards = [block(at, (150, -100, -50), deals=6) for at in range(9)]
    charged = [block(at, (-720, -100, -50), deals=6, faults=(1, 0, 0)) for at in range(9)]
    clean, faulty = (
        standings(section(table((0, 1, 2), [*blocks, block(9, (-30, 0, 30), deals=6)]), bots=3))
        for blocks in (cards, charged)
    )
    rows, others = by_name(clean), by_name(faulty)

    for name in "abc":
        assert rows[name].points == others[name].points
    assert cells(clean) == cells(faulty)
    assert rating(others["a"]) < rating(rows["a"]) - 50
    assert others["a"].mean is not None
    assert others["a"].mean.value < -100
    for name in "bc":
        assert rows[name].mean == others[name].mean


def cells(found: Standings) -> dict[str, Cell | None]:
    """By the names of both bots, which are a letter each."""
    names = [row.name for row in found.rows]
    return {
        one + other: cell
        for one, line in zip(names, found.cross, strict=True)
        for other, cell in zip(names, line, strict=True)
    }


def rating(row: Row) -> float:
    assert row.rating is not None
    return row.rating.value


def test_a_partner_of_a_bot_at_fault_keeps_what_the_cards_brought() -> None:
    """A side has one value, which its bot without a fault shows."""
    faulty = block(0, (-240, -10, 10, -10), faults=(1, 0, 0, 0))
    mixed = replace(section(table((0, 1, 2, 3), [faulty]), bots=4), sides=((0, 2), (1, 3)))
    rows = by_name(standings(mixed))

    assert [rows[name].points for name in "abcd"] == [1, 0, 1, 0]


def test_a_fault_is_in_the_cells_of_all_that_sat_there() -> None:
    """Both cells of a pair have every block that both played.

    Where two are at fault, they share what the third one lacks.
    """
    clean = block(0, (6, 0, -6), deals=6)
    faulty = block(1, (-720, 300, 0), deals=6, faults=(1, 0, 0))
    both = block(2, (-720, -720, 12), deals=6, faults=(1, 1, 0))
    found = standings(section(table((0, 1, 2), [clean, faulty, both]), bots=3))
    blocks = {
        pair: cell and (cell.won, cell.level, cell.lost) for pair, cell in cells(found).items()
    }

    assert (blocks["ab"], blocks["ba"]) == ((1, 1, 1), (1, 1, 1))
    assert (blocks["ac"], blocks["ca"]) == ((1, 0, 2), (2, 0, 1))
    assert (blocks["bc"], blocks["cb"]) == ((2, 0, 1), (1, 0, 2))


def test_a_bot_with_faulty_blocks_only_is_rated_by_them() -> None:
    """Its opponents beat it in each of them, so it comes last of those that have played."""
    crash = [block(at, (-720, 360, 360), deals=6, faults=(1, 0, 0)) for at in range(20)]
    found = standings(section(table((0, 1, 2), crash), bots=4))

    assert [(row.name, row.place, row.last) for row in found.rows] == [
        ("b", 1, 2),
        ("c", 1, 2),
        ("a", 3, 3),
        ("d", 0, 0),
    ]


def test_a_fault_between_two_counts_for_both() -> None:
    """The other side has won the deal."""
    faulty = block(0, (-240, 240), faults=(1, 0))
    rows = by_name(standings(section(table((0, 1), [faulty], faults=[fault(0)]))))

    assert (rows["a"].points, rows["b"].points) == (0, 1)
    assert (rows["a"].faults, rows["a"].codes) == (1, (("late", 1),))


def test_partners_are_not_compared() -> None:
    """Where single bots play in partnerships, a cell holds what its bots did to each other."""
    mixed = replace(
        section(table((0, 1, 2, 3), [block(0, (10, -10, 10, -10))]), bots=4),
        sides=((0, 2), (1, 3)),
    )
    found = standings(mixed)
    at = {row.name: index for index, row in enumerate(found.rows)}
    cell = found.cross[at["a"]][at["b"]]

    assert found.cross[at["a"]][at["c"]] is None
    assert cell is not None
    assert cell.difference == 5
    assert [by_name(found)[name].points for name in "abcd"] == [1, 0, 1, 0]


def test_what_was_given_up_is_left_out_and_shown() -> None:
    """Missing blocks are named, and finished ones of the same table count."""
    cut = table((0, 1), [block(0, (4, -4))], given_up="host: the disk is full")
    found = standings(section(cut, blocks=3))

    assert found.blocks == 1
    assert [(lack.names, lack.blocks, lack.why) for lack in found.missing] == [
        (("a", "b"), 2, "host: the disk is full")
    ]


def test_luck_is_taken_out_and_what_that_brings_is_told() -> None:
    """Raw less luck is adjusted, and the variances are those round the means of line-ups."""
    blocks = [block(at, (v, -v), luck=(1000 * v, -1000 * v)) for at, v in enumerate((8, -4, 2))]
    found = standings(section(table((0, 1), blocks)))
    row = by_name(found)["a"]

    assert row.mean is not None
    assert row.adjusted is not None
    assert (row.mean.value, row.luck, row.adjusted.value) == (1, 1, 0)
    assert found.gain is not None
    assert (found.gain.raw, found.gain.adjusted, found.gain.helps) == (9, 0, True)


def test_luck_that_adds_noise_is_no_gain() -> None:
    """Where the adjusted variance is larger, the standings say so."""
    blocks = [block(at, (2, -2), luck=(v, -v)) for at, v in enumerate((900, -900, 50))]
    found = standings(section(table((0, 1), blocks)))

    assert found.gain is not None
    assert not found.gain.helps
    assert found.gain.ratio is None


def test_luck_that_was_not_counted_is_not_shown() -> None:
    """One block without it, and a bot has no luck and no adjusted mean."""
    blocks = [block(0, (2, -2), luck=(5, -5)), block(1, (2, -2))]
    found = standings(section(table((0, 1), blocks)))

    assert found.gain is None
    assert {(row.luck, row.adjusted, row.gain) for row in found.rows} == {(None, None, None)}


def test_an_event_may_decide_blocks_with_luck_taken_out() -> None:
    """A block that was won by luck alone is then no longer won."""
    lucky = section(table((0, 1), [block(0, (10, -10), luck=(30_000, -30_000))]))

    assert by_name(standings(lucky))["a"].points == 1
    assert by_name(standings(replace(lucky, adjusted=True)))["a"].points == 0


def test_nothing_but_time_depends_on_time() -> None:
    """A run in which bots thought nine times as long has the same standings, times aside."""
    fast, slow = (standings(round_robin(4, blocks=10, slow=slow)) for slow in (1, 9))

    assert fast != slow
    assert timeless(fast) == timeless(slow)


def test_the_order_of_tables_changes_nothing() -> None:
    """Rounds and tables turned round add up to the same."""
    forth = round_robin(5, blocks=12)
    tables = forth.rounds[0].tables[::-1]
    first, second = played(tables[:4], blocks=12), played(tables[4:], blocks=12)

    back = standings(replace(forth, rounds=(first, second)))

    assert timeless(replace(back, rounds=())) == timeless(replace(standings(forth), rounds=()))


def test_better_bots_come_first_and_equal_ones_share_places() -> None:
    """A clear field has a place each; copies that split their blocks share theirs."""
    clear = standings(round_robin(4, blocks=300))
    level = [block(at, (v, -v)) for at, v in enumerate((5, -5) * 20)]
    same = standings(section(table((0, 1), level)))

    assert [row.bot for row in clear.rows] == [0, 1, 2, 3]
    assert [(row.place, row.last) for row in clear.rows] == [(1, 1), (2, 2), (3, 3), (4, 4)]
    assert {(row.place, row.last) for row in same.rows} == {(1, 2)}
    assert clear.better[0][3] is not None
    assert clear.better[0][3] > 0.99
    assert clear.better[0][0] is None


def test_who_has_not_played_comes_last_without_numbers() -> None:
    """An entrant that rested, or whose blocks are all missing, has a row and no place."""
    found = standings(section(table((0, 1), [block(0, (9, -9))]), bots=3))
    last = found.rows[-1]

    assert last.name == "c"
    assert (last.place, last.last, last.blocks, last.parts) == (0, 0, 0, 0)
    assert (last.mean, last.rating) == (None, None)
    assert max(row.last for row in found.rows) == 2
    assert {row[-1] for row in found.better} | set(found.better[-1]) == {None}
    assert found.unlinked == ()


def test_a_section_without_rounds_has_rows_all_the_same() -> None:
    """Before anything is played there are no places."""
    found = standings(Section(game="sueca", names=("a", "b"), rounds=(), finished=False))

    assert [(row.place, row.last, row.points) for row in found.rows] == [(0, 0, 0), (0, 0, 0)]
    assert found.gain is None
    assert (found.parts, found.misfit, found.unordered) == (0, None, False)


def test_bots_that_no_results_link_are_not_compared() -> None:
    """One that beat a weak bot 19 times of 20 is no better than others that it has never met."""
    strong = [block(at, (9, -9) if at else (-9, 9)) for at in range(20)]
    close = [block(at, (5, -5) if at % 2 else (-5, 5)) for at in range(20)]
    found = standings(section(table((0, 1), strong), table((2, 3), close), bots=5))
    rows = by_name(found)
    at = {row.name: index for index, row in enumerate(found.rows)}

    assert set(map(frozenset, found.unlinked)) == {frozenset("ab"), frozenset("cd")}
    assert (rows["a"].place, rows["a"].last) == (1, 3)
    assert (rows["b"].place, rows["b"].last) == (2, 4)
    assert {(rows[name].place, rows[name].last) for name in "cd"} == {(1, 4)}
    for one, other in ("ac", "ad", "bc", "bd"):
        assert found.better[at[one]][at[other]] is None
    assert (found.better[at["a"]][at["b"]] or 0) > 0.99


def test_one_common_opponent_links_bots() -> None:
    """Then all of them are compared."""
    first = table((0, 1), [block(at, (9, -9)) for at in range(5)])
    second = table((2, 3), [block(at, (9, -9)) for at in range(5)])
    third = table((1, 2), [block(0, (0, 0))])
    found = standings(section(first, second, third, bots=4))

    assert found.unlinked == ()
    assert [row.count(None) for row in found.better] == [1] * 4


@pytest.mark.parametrize("places", [2, 3])
def test_blocks_of_the_same_processes_are_one_observation(places: int) -> None:
    """Intervals of means and ratings are wider where one set of processes played more blocks."""
    bots, dice = tuple(range(places)), np.random.default_rng(places)
    values = [[round(value) for value in dice.normal(0, 20, places)] for _ in range(12)]
    blocks = [block(at, values[at // 10]) for at in range(120)]
    found = [
        standings(section(table(bots, blocks, parts=parts), bots=places))
        for parts in ((1,) * 120, (10,) * 12)
    ]
    alone, whole = ([width(row.mean) for row in each.rows] for each in found)
    ratings = [[width(row.rating) for row in each.rows] for each in found]

    assert [each.parts for each in found] == [120, 12]
    assert {row.parts for row in found[1].rows} == {12}
    assert all(2 * one < other for one, other in zip(alone, whole, strict=True))
    assert all(2 * one < other for one, other in zip(*ratings, strict=True))


def width(measure: Estimate | None) -> float:
    assert measure is not None
    assert measure.low is not None
    assert measure.high is not None
    return measure.high - measure.low


def test_a_single_match_part_has_no_intervals() -> None:
    """However many blocks its processes played: one life tells nothing of how lives differ."""
    blocks = [block(at, (at % 7 - 3, 3 - at % 7)) for at in range(50)]
    (row, _) = standings(section(table((0, 1), blocks, parts=(50,)))).rows

    assert row.parts == 1
    assert row.mean is not None
    assert (row.mean.low, row.mean.high) == (None, None)
    assert (row.place, row.last) == (1, 2)


def test_a_field_of_rock_paper_and_scissors_is_not_ordered_by_one_number() -> None:
    """It is said, and no bot is told apart from another by ratings that explain nothing."""
    beats = [
        table(pair, [block(at, (9, -9) if at % 10 else (-9, 9)) for at in range(60)])
        for pair in ((0, 1), (1, 2), (2, 0))
    ]
    found, ordered = standings(section(*beats, bots=3)), standings(round_robin(4, blocks=60))

    assert found.unordered
    assert found.misfit is not None
    assert found.misfit < 0.001
    assert {(row.place, row.last) for row in found.rows} == {(1, 3)}
    assert {row.parts for row in found.rows} == {120}
    assert found.parts == 180
    assert not ordered.unordered


def test_a_knockout_has_its_own_order() -> None:
    """The champion is first whatever the rating says, and losers of one round share places."""
    cup = replace(round_robin(4, blocks=20), order=((2,), (0,), (1, 3)))
    found = standings(cup)

    assert found.champion == found.rows[0].name == cup.names[2]
    assert [(row.place, row.last) for row in found.rows] == [(1, 1), (2, 2), (3, 4), (3, 4)]
    assert {row.bot for row in found.rows[2:]} == {1, 3}


def test_a_swiss_event_has_its_own_order_all_the_time(tmp_path: Path) -> None:
    """By match points of finished rounds, byes included; it has no champion."""
    top = 'format = "swiss"\nrounds = 2\nblocks = 1'
    plan = event_of(tmp_path, event_text(3, top=top)).plan
    first = next_round(plan, 0, (), ())
    assert first is not None
    pair = first.tables[0].bots
    done = RoundResult(first, (table(pair, [block(0, (-9, 9))]),))
    second = next_round(plan, 0, (done,), ())
    assert second is not None
    begun = RoundResult(second, (table(second.tables[0].bots, []),))
    expected = {pair[0]: (0, 3), pair[1]: (2, 1), first.byes[0]: (2, 2)}

    for rounds in ((done,), (done, begun)):
        found = standings(section_of(plan, 0, rounds, finished=False))
        assert {row.bot: (row.match_points, row.place) for row in found.rows} == expected
        assert found.by_format
        assert not found.champion
    assert not standings(section_of(plan, 0, (done,), finished=True)).champion


def test_rounds_are_told_table_by_table() -> None:
    """A block is won by whom no opponent comes up to, and means are those that decide."""
    blocks = [block(0, (9, -9), luck=(12_000, -12_000)), block(1, (4, -4), luck=(0, 0))]
    own = section(table((1, 0), blocks), table((2, 3), [], given_up="host: gone"), bots=4, blocks=2)
    raw, adjusted = (
        standings(replace(own, adjusted=taken_out)).rounds[0] for taken_out in (False, True)
    )

    assert (raw.label, raw.first, raw.blocks) == ("round 1", 0, 2)
    assert raw.tables[0].bots == (BotEntry("b", 0, 2, 0, 0, 3.25), BotEntry("a", 1, 0, 0, 2, -3.25))
    assert adjusted.tables[0].bots[0] == BotEntry("b", 0, 1, 0, 1, 0.25)
    assert raw.tables[1].given_up
    assert {bot.mean for bot in raw.tables[1].bots} == {None}


def test_rounds_of_many_have_blocks_with_faults() -> None:
    """They count for all bots of the table as they were scored."""
    clean = block(0, (60, 0, -60), deals=6)
    faulty = block(1, (-720, 300, 300), deals=6, faults=(1, 0, 0))
    (found,) = standings(section(table((0, 1, 2), [clean, faulty]), bots=3)).rounds

    assert [(bot.won, bot.level, bot.lost, bot.mean) for bot in found.tables[0].bots] == [
        (1, 0, 1, -55.0),
        (0, 1, 1, 25.0),
        (0, 1, 1, 20.0),
    ]


def test_faults_that_are_alike_stand_together() -> None:
    """With the round of the first one, and how often."""
    alike = [fault(0, FaultCode.CRASHED, "exit status 3")] * 3
    one = table((0, 1), [block(0, (-9, 9), faults=(4, 0))], faults=[*alike, fault(0)])
    two = table((1, 0), [block(1, (9, -9), faults=(0, 1))], faults=[fault(1)])
    rounds = (played([one], blocks=1, label="first"), played([two], blocks=1, label="second"))
    found = standings(replace(section(one), rounds=rounds)).faults

    assert [(line.first, line.bot, line.code, line.times) for line in found] == [
        ("first", "a", "crashed", 3),
        ("first", "a", "late", 2),
    ]


def test_faults_are_counted_beyond_those_that_are_told() -> None:
    """Blocks hold the count, the list the codes; the list may be cut, or know of more."""
    told = [fault(0, FaultCode.CRASHED), fault(0, FaultCode.LATE)]
    many = table((0, 1), [block(0, (-9, 9), faults=(5, 0))], faults=told)
    late = table((1, 0), [], faults=[fault(0, FaultCode.STARTUP)], given_up="host: gone")
    rows = by_name(standings(section(many, late)))

    assert rows["a"].faults == 5
    assert rows["a"].codes == (("crashed", 1), ("late", 1))
    assert rows["b"].faults == 1


def test_benched_bots_keep_their_row_and_have_a_reason() -> None:
    """They are ranked by what they played."""
    out = replace(round_robin(3, blocks=5), benched=(Benched(2, "faults in 5 of 9 blocks"),))

    assert {row.bot: row.benched for row in standings(out).rows} == {
        0: "",
        1: "",
        2: "faults in 5 of 9 blocks",
    }


def test_time_is_shared_out_by_act() -> None:
    """A bot's milliseconds an act are what its clock was charged over its part of the acts."""
    row = by_name(standings(section(table((0, 1), [block(0, (1, -1))]))))["b"]

    assert row.time == Time(4000, 40)
    assert row.time.ms_per_act == 0.1


@pytest.mark.slow
def test_a_large_field_is_no_trouble() -> None:
    """Thirty bots at tables of three have a row and a line of cells each."""
    found = standings(tables_of(3, 30, tables=60, blocks=4))

    assert len(found.rows) == len(found.cross) == len(found.better) == 30


def test_squares_are_for_fields_that_can_be_looked_over() -> None:
    """One bot more than that, and there are rows alone."""
    first, most = (
        standings(section(table((0, 1), [block(0, (1, -1))]), bots=2)),
        standings(
            Section(
                game="x",
                names=tuple(f"bot-{at}" for at in range(MOST_CROSSED + 1)),
                rounds=(played([table((0, 1), [block(0, (1, -1))])], blocks=1),),
            )
        ),
    )

    assert len(first.cross) == len(first.better) == 2
    assert (len(most.rows), most.cross, most.better) == (MOST_CROSSED + 1, (), ())

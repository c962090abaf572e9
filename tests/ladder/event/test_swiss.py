"""The Swiss system: who meets whom, who rests, and what it brings."""

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ladder.event.formats import FORMATS, Entrants
from ladder.event.formats.matching import Matching
from ladder.event.formats.round_robin import circle
from ladder.event.formats.swiss import Score, score
from ladder.results import Pairing, Round, RoundResult, TableResult
from ladder.terms import FormatName
from referee.match.outcome import BlockResult
from referee.rules.game import Sides
from support.formats import (
    DICE,
    PAIRS,
    by_seed,
    done,
    level,
    played,
    rolled,
)

SWISS = FORMATS[FormatName.SWISS]


def _can_pair(bots: tuple[int, ...], met: set[frozenset[int]]) -> bool:
    """Whether all can be paired with somebody new, by trying."""
    if not bots:
        return True
    one, *rest = bots
    return any(
        frozenset((one, other)) not in met
        and _can_pair(tuple(bot for bot in rest if bot != other), met)
        for other in rest
    )


@given(st.integers(2, 9), DICE)
def test_nobody_meets_anybody_twice_in_a_swiss_while_that_can_be_avoided(
    entrants: int, dice: random.Random
) -> None:
    """Nor does anybody rest twice before all have rested."""
    rounds, _ = played(FormatName.SWISS, Entrants(entrants=entrants, rounds=8), rolled(dice))
    met: set[frozenset[int]] = set()
    byes = Counter(dict.fromkeys(range(entrants), 0))
    for one in rounds:
        pairs = {frozenset(table.bots) for table in one.round.tables}
        least = [bot for bot in range(entrants) if byes[bot] == min(byes.values())]
        resting: list[int | None] = list(least) if entrants % 2 else [None]
        if any(_can_pair(tuple(at for at in range(entrants) if at != bot), met) for bot in resting):
            assert not pairs & met
        met |= pairs
        assert len(one.round.byes) == entrants % 2
        assert set(one.round.byes) <= set(least)
        byes.update(one.round.byes)


def test_a_swiss_pairs_the_upper_half_with_the_lower_half_of_equal_points() -> None:
    """By seeding at first; then winners meet winners, and a bye counts as a win."""
    field = Entrants(entrants=9)
    first = SWISS.next_round(field, [])
    assert first is not None
    second = SWISS.next_round(field, [done(first, by_seed)])
    assert second is not None

    assert [table.bots for table in first.tables] == [(0, 4), (1, 5), (2, 6), (3, 7)]
    assert (first.byes, first.label) == ((8,), "round 1 of 4")
    assert [one.points for one in score(field, [done(first, by_seed)])] == [2] * 4 + [0] * 4 + [2]
    assert [table.bots for table in second.tables] == [(0, 2), (1, 3), (8, 4), (5, 6)]
    assert second.byes == (7,)


def test_equal_points_of_a_swiss_are_ordered_by_mean_deal_value() -> None:
    """Who won by more comes first; those who are equal in both share a place."""
    field = Entrants(entrants=6, rounds=1)
    values = {0: (10, -10), 1: (30, -30), 2: (10, -10)}
    rounds, _ = played(FormatName.SWISS, field, lambda table, _: values[table.bots[0]])

    assert SWISS.order(field, rounds) == ((1,), (0, 2), (3, 5), (4,))


def test_where_a_rematch_of_a_swiss_cannot_be_avoided_there_is_only_one() -> None:
    """Two threes have met each other; one pair of each has not met, and the last two must again."""
    before = [((0, 3), (1, 4), (2, 5)), ((0, 4), (1, 5), (2, 3)), ((0, 5), (1, 3), (2, 4))]
    rounds = [
        done(Round(tuple(map(Pairing, pairs)), first, 1), level)
        for first, pairs in enumerate(before)
    ]
    planned = SWISS.next_round(Entrants(entrants=6, rounds=4), rounds)
    assert planned is not None

    met = {pair for pairs in before for pair in pairs}
    assert len({tuple(sorted(table.bots)) for table in planned.tables} & met) == 1


@pytest.mark.slow
def test_a_swiss_of_two_hundred_is_paired_however_many_have_met() -> None:
    """When everybody has met all but nine, nobody meets anybody again, in bounded time."""
    dice, pairs = random.Random(1), circle(200, 0)
    before = [
        Round(tuple(map(Pairing, pairs[at : at + 100])), first, 1)
        for first, at in enumerate(range(0, 190 * 100, 100))
    ]
    field = Entrants(entrants=200, rounds=199)
    planned = SWISS.next_round(field, [done(one, rolled(dice)) for one in before])
    assert planned is not None
    met = {frozenset(table.bots) for one in before for table in one.tables}

    assert len({bot for table in planned.tables for bot in table.bots}) == 200
    assert not met & {frozenset(table.bots) for table in planned.tables}


def test_a_swiss_of_two_hundred_and_one_has_a_bye_in_each_round() -> None:
    """For somebody else each time, and there is no rematch."""
    dice = random.Random(1)
    rounds, _ = played(FormatName.SWISS, Entrants(entrants=201, rounds=4), rolled(dice))
    pairs = [frozenset(table.bots) for one in rounds for table in one.round.tables]
    byes = [bot for one in rounds for bot in one.round.byes]

    assert len(set(pairs)) == len(pairs) == 400
    assert len(set(byes)) == len(byes) == 4


@given(st.sampled_from([(3, ()), (4, ()), (5, ()), (4, PAIRS)]), st.integers(5, 40), DICE)
@example((4, PAIRS), 32, random.Random(189507))  # no exchange between neighbours was enough here
def test_larger_tables_of_a_swiss_are_full_and_seldom_meet_again(
    table: tuple[int, Sides], entrants: int, dice: random.Random
) -> None:
    """As many rest as do not fill a table, nobody twice; with room, nobody meets again at once."""
    size, partners = table
    field = Entrants(entrants=entrants, size=size, partners=partners, rounds=2)
    rounds, _ = played(FormatName.SWISS, field, rolled(dice))
    met = [
        two
        for one in rounds
        for found in one.round.tables
        for two in combinations(sorted(found.bots), 2)
    ]

    assert all(len(one.round.byes) == entrants % size for one in rounds)
    if entrants >= 2 * (entrants % size):
        assert not set(rounds[0].round.byes) & set(rounds[1].round.byes)
    if entrants >= 2 * size * size:
        assert len(set(met)) == len(met)


@given(st.integers(1, 5), DICE)
def test_a_matching_is_found_if_there_is_one(half: int, dice: random.Random) -> None:
    """And two can be paired for good exactly if the others can still be paired."""
    size = 2 * half
    edges = [two for two in combinations(range(size), 2) if dice.random() < 0.45]
    strangers = {frozenset(two) for two in combinations(range(size), 2)} - set(
        map(frozenset, edges)
    )
    friends: list[list[int]] = [[] for _ in range(size)]
    for one, other in edges:
        friends[one].append(other)
        friends[other].append(one)
    matching = Matching(friends)
    left = tuple(range(size))

    assert matching.perfect == _can_pair(left, strangers)
    while matching.perfect and left:
        one, other = left[0], dice.choice(left[1:])
        rest = tuple(bot for bot in left if bot not in (one, other))
        can = frozenset((one, other)) not in strangers and _can_pair(rest, strangers)
        assert matching.settle(one, other) == can
        left = rest if can else left


@pytest.mark.parametrize("played", [True, False])
def test_a_block_with_a_fault_counts_for_everybody(played: bool) -> None:
    """At any table; not to be let play is no different."""

    def scored(*values: tuple[int, ...]) -> tuple[Score, ...]:
        field = Entrants(entrants=len(values[0]), size=len(values[0]))
        planned = SWISS.next_round(field, [])
        assert planned is not None
        clean = (0,) * field.size
        guilty = (1, *clean[1:])
        charged = (guilty,) if played else (clean, guilty)
        blocks = (
            BlockResult(0, 2, values[0], (), clean),
            BlockResult(1, 2, values[1], (), *charged),
        )
        table = TableResult(planned.tables[0], blocks, 0, clean, 0, (), clean, "", "")
        return score(field, [RoundResult(planned, (table,))])

    three = scored((10, 0, -10), (-90, 45, 45))
    two = scored((10, -10), (-90, 90))

    assert [(float(one.value), one.points) for one in three] == [
        (-20, 0),
        (11.25, 4),
        (8.75, 2),
    ]
    assert [(float(one.value), one.points) for one in two] == [(-20, 0), (20, 2)]

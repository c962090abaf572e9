"""Formats: what is played next, whatever was played before."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.event.formats import FORMATS, Entrants
from ladder.event.formats.round_robin import circle
from ladder.event.formats.tables import MOST_TABLES, balanced, shared_out, splits, tables_a_turn
from ladder.terms import FormatName
from referee.errors import RefereeError
from referee.rules.game import Sides
from support.formats import (
    COUPLES,
    DICE,
    PAIRS,
    TRIPLES,
    alone,
    by_seed,
    done,
    level,
    played,
    rolled,
)

ROUND_ROBIN = FORMATS[FormatName.ROUND_ROBIN]


@st.composite
def fields(draw: st.DrawFn) -> tuple[FormatName, Entrants]:
    """Any event that can be played."""
    kind = draw(st.sampled_from(FormatName))
    knockout = kind in (FormatName.KNOCKOUT, FormatName.DOUBLE_KNOCKOUT)
    size, partners = draw(
        st.sampled_from(
            [(2, ())] * 3
            + [(3, ()), (4, ()), (5, ())] * (kind is not FormatName.DOUBLE_KNOCKOUT)
            + [(4, PAIRS), (6, TRIPLES), (6, COUPLES)] * (not knockout)
        )
    )
    heroes = tuple(range(draw(st.integers(1, 2)))) if kind is FormatName.GAUNTLET else ()
    entrants = draw(st.integers(size + len(heroes), 14))
    rounds = None if knockout else draw(st.none() | st.integers(1, 6))
    blocks = draw(st.integers(1, 3))
    return kind, Entrants(
        entrants=entrants,
        size=size,
        partners=partners,
        blocks=blocks,
        rounds=rounds,
        heroes=heroes,
    )


@given(fields(), DICE)
def test_every_event_ends_and_no_deck_is_met_twice(
    found: tuple[FormatName, Entrants], dice: random.Random
) -> None:
    """Whatever the results, benched entrants play no more, and each round has decks of its own."""
    kind, field = found
    bench = lambda: dice.randrange(field.entrants) if dice.random() < 0.3 else None  # noqa: E731  # short
    rounds, benched = played(kind, field, rolled(dice), bench)
    blocks = [
        block
        for one in rounds
        for block in range(one.round.first, one.round.first + one.round.blocks)
    ]

    assert blocks == list(range(len(blocks)))
    places = FORMATS[kind].order(field, rounds, benched)
    if places:
        assert sorted(bot for group in places for bot in group) == list(range(field.entrants))


@given(fields(), DICE)
def test_what_comes_next_follows_from_results_alone(
    found: tuple[FormatName, Entrants], dice: random.Random
) -> None:
    """At every point of an event, in whatever order tables were finished, the rest is the same."""
    kind, field = found
    rounds, _ = played(kind, field, rolled(dice))
    shuffled = [
        replace(one, tables=tuple(dice.sample(one.tables, len(one.tables)))) for one in rounds
    ]
    for number, one in enumerate(rounds):
        assert FORMATS[kind].next_round(field, shuffled[:number]) == one.round
    assert FORMATS[kind].next_round(field, shuffled) is None
    assert FORMATS[kind].order(field, shuffled) == FORMATS[kind].order(field, rounds)


@given(fields())
def test_the_tables_of_an_undisturbed_event_are_known_beforehand(
    found: tuple[FormatName, Entrants],
) -> None:
    """If the better seed always wins, there are as many tables as are expected."""
    kind, field = found
    rounds, _ = played(kind, field, by_seed)
    count = sum(len(one.round.tables) for one in rounds)
    expected = FORMATS[kind].expected_tables(field)

    if kind in (FormatName.ROUND_ROBIN, FormatName.GAUNTLET) and field.size > 2:
        assert expected * 0.8 <= count <= expected
    else:
        assert count == expected


@given(st.integers(2, 30), st.integers(0, 3))
def test_a_round_robin_is_balanced_wherever_it_is_cut(entrants: int, turn: int) -> None:
    """Each pair once; in any part from the beginning all have played equally often, or nearly."""
    pairs = circle(entrants, turn)
    counts = Counter(dict.fromkeys(range(entrants), 0))
    for number, pair in enumerate(pairs, 1):
        counts.update(pair)
        apart = max(counts.values()) - min(counts.values())
        assert apart <= (1 if number % (entrants // 2) == 0 else 2)
    first = Counter(dict.fromkeys(range(entrants), 0))
    first.update(pair[0] for pair in pairs)

    assert sorted(tuple(sorted(pair)) for pair in pairs) == [*combinations(range(entrants), 2)]
    assert max(first.values()) - min(first.values()) <= 1


def test_a_round_robin_goes_on_without_those_who_are_benched() -> None:
    """All others still meet each other, in each round that is left."""
    field = Entrants(entrants=5, rounds=3)
    first = ROUND_ROBIN.next_round(field, [])
    assert first is not None
    later = ROUND_ROBIN.next_round(field, [done(first, level)], frozenset({2}))
    assert later is not None

    assert len(first.tables) == 10
    assert {frozenset(table.bots) for table in later.tables} == {
        frozenset(pair) for pair in combinations((0, 1, 3, 4), 2)
    }
    assert (later.first, later.label) == (1, "round 2 of 3")


@pytest.mark.parametrize(
    ("size", "sides", "bound"),
    [
        (2, alone(2), 2),
        (3, alone(3), 2),
        (4, alone(4), 2),
        (5, alone(5), 2),
        (6, alone(6), 2),
        (4, PAIRS, 2),
        (6, COUPLES, 2),
        (6, TRIPLES, 3),
        (8, ((0, 2, 4, 6), (1, 3, 5, 7)), 3),
    ],
)
def test_everybody_sits_with_everybody_nearly_equally_often(
    size: int, sides: Sides, bound: int
) -> None:
    """After any number of turns all have played as often, and met as often but for the bound."""
    for entrants in (size, size + 1, size + 2, 11, 16, 21):
        plays = Counter(dict.fromkeys(range(entrants), 0))
        met = {
            partners: Counter(dict.fromkeys(combinations(range(entrants), 2), 0))
            for partners in (True, False)
        }
        for turn in range(8):
            for table in balanced(entrants, size, sides, turn):
                plays.update(table)
                _meet(table, sides, met)
            assert len(set(plays.values())) == 1
            for counts in met.values():
                assert max(counts.values()) - min(counts.values()) <= bound


def _meet(table: tuple[int, ...], sides: Sides, met: dict[bool, Counter[tuple[int, int]]]) -> None:
    side_of = {table[place]: side for side in sides for place in side}
    for one, other in combinations(sorted(table), 2):
        met[side_of[one] is side_of[other]][one, other] += 1


@pytest.mark.parametrize(
    ("entrants", "size", "sides", "tables"),
    [(6, 3, alone(3), 20), (8, 4, alone(4), 70), (4, 4, PAIRS, 3), (6, 6, TRIPLES, 10)],
)
def test_where_all_tables_are_few_a_turn_has_all(
    entrants: int, size: int, sides: Sides, tables: int
) -> None:
    """Each set of bots once, in each way to share them out to sides."""
    found = {
        frozenset(frozenset(table[place] for place in side) for side in sides)
        for table in balanced(entrants, size, sides, 0)
    }

    assert len(found) == len(balanced(entrants, size, sides, 0)) == tables <= MOST_TABLES
    assert tables_a_turn(entrants, size, sides) == tables


@pytest.mark.parametrize("sides", [alone(4), PAIRS, COUPLES, TRIPLES, ((0, 2), (1,))])
def test_bots_are_shared_out_to_sides_in_every_way_once(sides: Sides) -> None:
    """As many ways as there are, and none of them twice."""
    bots = tuple(range(sum(map(len, sides))))
    found = [
        frozenset(frozenset(table[place] for place in side) for side in sides)
        for table in shared_out(bots, sides)
    ]

    assert len(set(found)) == len(found) == splits(sides)


@given(
    st.integers(1, 3),
    st.integers(5, 14),
    st.sampled_from([(2, ()), (3, ()), (4, ()), (4, PAIRS), (6, TRIPLES)]),
)
def test_a_hero_meets_everybody_else_equally_often(
    heroes: int, others: int, table: tuple[int, Sides]
) -> None:
    """As partner and as opponent, in the same company as the other heroes, whom it never meets."""
    size, partners = table
    field = Entrants(
        entrants=heroes + others,
        size=size,
        partners=partners,
        heroes=tuple(range(heroes)),
        rounds=2,
    )
    rounds, _ = played(FormatName.GAUNTLET, field, level)
    for one in rounds:
        met: dict[int, list[Counter[int]]] = {
            hero: [Counter(), Counter()] for hero in range(heroes)
        }
        for bots in (found.bots for found in one.round.tables):
            (hero,) = set(bots) & set(range(heroes))
            own = next(side for side in field.sides if bots.index(hero) in side)
            for place, bot in enumerate(bots):
                if bot != hero:
                    met[hero][place in own][bot] += 1
        for counts in met[0]:
            assert len(set(counts.values())) <= 1
        assert set(met[0][False]) == set(range(heroes, heroes + others))
        assert all(counts == met[0] for counts in met.values())


def refused() -> Iterator[tuple[FormatName, Entrants, str]]:
    """What makes no sense, and what is said of it."""
    yield FormatName.SWISS, Entrants(entrants=2, size=3), "2 entrants: a table has 3"
    yield FormatName.SWISS, Entrants(entrants=2, size=1), "size=1"
    yield FormatName.ROUND_ROBIN, Entrants(entrants=4, rounds=0), "rounds=0: at least one"
    yield FormatName.ROUND_ROBIN, Entrants(entrants=4, blocks=0), "blocks=0: at least one"
    yield FormatName.ROUND_ROBIN, Entrants(entrants=4, size=4, partners=((0, 1),)), "partners"
    yield FormatName.SWISS, Entrants(entrants=4, heroes=(0,)), "heroes: this format has none"
    yield FormatName.GAUNTLET, Entrants(entrants=4), "heroes: a gauntlet needs at least one"
    yield FormatName.GAUNTLET, Entrants(entrants=4, heroes=(4,)), "each is an entrant"
    yield FormatName.GAUNTLET, Entrants(entrants=4, heroes=(1, 1)), "each is an entrant"
    yield FormatName.GAUNTLET, Entrants(entrants=4, heroes=(0, 1), size=4), "a table has 3 others"
    yield (
        FormatName.KNOCKOUT,
        Entrants(entrants=4, rounds=2),
        "rounds=2: a knockout ends with its final",
    )
    yield (
        FormatName.KNOCKOUT,
        Entrants(entrants=8, size=4, partners=PAIRS),
        "a knockout of single bots",
    )
    yield FormatName.DOUBLE_KNOCKOUT, Entrants(entrants=8, size=4), "for two at a table, not for 4"


@pytest.mark.parametrize(("kind", "field", "says"), list(refused()))
def test_what_cannot_be_played_is_refused(kind: FormatName, field: Entrants, says: str) -> None:
    """Before anything is played, by one line that names it."""
    with pytest.raises(RefereeError, match=says):
        FORMATS[kind].check(field)

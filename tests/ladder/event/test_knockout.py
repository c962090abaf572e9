"""Knockouts: who goes on, who is out, and who meets again."""

import random
from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.event.formats import FORMATS, Entrants
from ladder.results import Pairing, Round
from ladder.terms import FormatName
from referee.errors import RefereeError
from support.formats import (
    DICE,
    by_seed,
    done,
    level,
    played,
)

KNOCKOUT = FORMATS[FormatName.KNOCKOUT]
DOUBLE_KNOCKOUT = FORMATS[FormatName.DOUBLE_KNOCKOUT]


@given(st.integers(2, 40), DICE)
def test_a_knockout_has_one_champion_in_the_fewest_rounds(
    entrants: int, dice: random.Random
) -> None:
    """Each table puts one out; the first round has byes for the best seeds alone."""
    field = Entrants(entrants=entrants)
    strength = dice.sample(range(entrants), entrants)
    rounds, _ = played(
        FormatName.KNOCKOUT, field, lambda table, _: [strength[bot] for bot in table.bots]
    )
    champion, *_ = KNOCKOUT.order(field, rounds)

    assert champion == (strength.index(entrants - 1),)
    assert len(rounds) == (entrants - 1).bit_length()
    assert sum(len(one.round.tables) for one in rounds) == entrants - 1
    assert rounds[0].round.byes == tuple(range(2 ** len(rounds) - entrants))
    assert all(not one.round.byes for one in rounds[1:])


def test_the_best_seeds_of_a_knockout_meet_last() -> None:
    """The first meets the last, and the second, if both win, in the final."""
    rounds, _ = played(FormatName.KNOCKOUT, Entrants(entrants=16), by_seed)

    assert [one.round.label for one in rounds] == [
        "round 1 of 4",
        "quarter-final",
        "semi-final",
        "final",
    ]
    assert all(sum(table.bots) == 15 for table in rounds[0].round.tables)
    assert [{table.bots for table in one.round.tables} for one in rounds[2:]] == [
        {(0, 3), (1, 2)},
        {(0, 1)},
    ]
    assert KNOCKOUT.order(Entrants(entrants=16), rounds)[:3] == (
        (0,),
        (1,),
        (2, 3),
    )


@given(st.integers(2, 24), DICE)
def test_who_has_lost_twice_is_out_of_a_double_knockout(entrants: int, dice: random.Random) -> None:
    """All but the champion lose twice; the champion loses once at most."""
    field = Entrants(entrants=entrants)
    rounds, _ = played(
        FormatName.DOUBLE_KNOCKOUT, field, lambda *_: dice.choice([(1, -1), (-1, 1)])
    )
    losses = Counter(
        table.table.bots[table.blocks[0].values.index(-1)] for one in rounds for table in one.tables
    )
    (champion,), *others = DOUBLE_KNOCKOUT.order(field, rounds)

    assert {bot for bot, count in losses.items() if count == 2} == set(range(entrants)) - {champion}
    assert losses[champion] <= 1
    assert (rounds[-1].round.label == "second final") == (losses[champion] == 1)
    assert [len(group) for group in others][:2] == [1, 1][: entrants - 1]
    assert len(rounds) <= 2 * (entrants - 1).bit_length() + 1


def test_a_double_knockout_names_both_its_brackets() -> None:
    """Rounds of winners and of losers that do not wait for each other are played together."""
    rounds, _ = played(FormatName.DOUBLE_KNOCKOUT, Entrants(entrants=4), by_seed)

    assert [(one.round.label, [table.bots for table in one.round.tables]) for one in rounds] == [
        ("winners' round 1", [(0, 3), (1, 2)]),
        ("winners' final, losers' round 1", [(0, 1), (2, 3)]),
        ("losers' final", [(1, 2)]),
        ("final", [(0, 1)]),
    ]
    assert [one.round.byes for one in rounds] == [(), (), (0,), ()]


@pytest.mark.parametrize(
    ("kind", "resting"), [(FormatName.KNOCKOUT, (1,)), (FormatName.DOUBLE_KNOCKOUT, (1, 2))]
)
def test_level_pairs_meet_again_twice_and_then_the_better_seed_goes_on(
    kind: FormatName, resting: tuple[int, ...]
) -> None:
    """With new decks each time, while all others who are still in rest."""
    field = Entrants(entrants=4, blocks=2)

    def brings(table: Pairing, block: int) -> Sequence[int]:
        return by_seed(table, block) if table.bots == (1, 2) else [0, 0]

    rounds, _ = played(kind, field, brings)
    first = [one.round for one in rounds[:3]]

    assert [len(one.tables) for one in first] == [2, 1, 1]
    assert [one.first for one in first] == [0, 2, 4]
    assert [one.byes for one in first] == [(), resting, resting]
    assert first[1].label.endswith(", again (1 of 2, then the better seed)")
    assert FORMATS[kind].order(field, rounds)[0] == (0,)


def test_all_blocks_of_a_pair_that_meets_again_count() -> None:
    """Level, then decided by new decks; what is decided is not played again."""
    field = Entrants(entrants=2)
    rounds, _ = played(
        FormatName.KNOCKOUT, field, lambda _, block: ((0, 0), (0, 0), (-3, 3))[block]
    )

    assert [one.round.label for one in rounds][2] == ("final, again (2 of 2, then the better seed)")
    assert KNOCKOUT.order(field, rounds) == ((1,), (0,))


def test_a_table_that_the_host_let_down_meets_again_once() -> None:
    """Then what was played decides, and if that is nothing, the better seed."""
    field = Entrants(entrants=2, blocks=2)
    never, _ = played(FormatName.KNOCKOUT, field, lambda *_: None)
    half, _ = played(FormatName.KNOCKOUT, field, lambda _, block: None if block % 2 else (-1, 1))

    assert len(never) == len(half) == 2
    assert KNOCKOUT.order(field, never) == ((0,), (1,))
    assert KNOCKOUT.order(field, half) == ((1,), (0,))


@given(st.sampled_from([FormatName.KNOCKOUT, FormatName.DOUBLE_KNOCKOUT]), st.integers(2, 16), DICE)
def test_who_is_benched_loses_a_knockout_without_playing(
    kind: FormatName, entrants: int, dice: random.Random
) -> None:
    """Its opponents go on, and who never loses is the champion, whoever else is benched."""
    field = Entrants(entrants=entrants)
    best = dice.randrange(entrants)

    def brings(table: Pairing, _: int) -> Sequence[int]:
        return [bot == best or -dice.randint(0, 9) for bot in table.bots]

    def bench() -> int | None:
        one = dice.randrange(entrants)
        return None if one == best or dice.random() < 0.3 else one

    rounds, benched = played(kind, field, brings, bench)

    assert FORMATS[kind].order(field, rounds, benched)[0] == (best,)


def test_a_walkover_takes_no_round_of_its_own() -> None:
    """Where all of a stage are decided by benching, the next one is played at once."""
    field = Entrants(entrants=4)
    later = KNOCKOUT.next_round(field, [], frozenset({2, 3}))
    assert later is not None

    assert (later.label, later.tables, later.byes) == ("final", (Pairing((0, 1)),), ())
    rounds = [done(later, by_seed)]
    assert KNOCKOUT.next_round(field, rounds, frozenset({0, 2, 3})) is None
    assert KNOCKOUT.order(field, rounds, frozenset({2, 3})) == (
        (0,),
        (1,),
        (2, 3),
    )


@pytest.mark.parametrize("kind", [FormatName.KNOCKOUT, FormatName.DOUBLE_KNOCKOUT])
def test_rounds_of_another_event_are_refused(kind: FormatName) -> None:
    """A log that does not fit is named, not misread."""
    strange = done(Round((Pairing((0, 1)), Pairing((2, 3))), 0, 1, label="strange"), level)

    with pytest.raises(RefereeError, match="strange: this was not the round"):
        FORMATS[kind].next_round(Entrants(entrants=4), [strange])
    with pytest.raises(RefereeError, match="strange: this was not the round"):
        KNOCKOUT.next_round(Entrants(entrants=4, size=3), [strange])


@given(st.integers(3, 6), st.integers(0, 30), DICE)
def test_a_knockout_of_larger_tables_has_one_champion(
    size: int, more: int, dice: random.Random
) -> None:
    """The strongest wins; each table lets at least its better half go on, the final one."""
    field = Entrants(entrants=size + more, size=size)
    strength = dice.sample(range(size + more), size + more)
    rounds, _ = played(
        FormatName.KNOCKOUT, field, lambda table, _: [strength[bot] for bot in table.bots]
    )
    champion, *groups = KNOCKOUT.order(field, rounds)

    assert champion == (strength.index(size + more - 1),)
    assert rounds[-1].round.label == "final"
    assert len(groups) == len(rounds)
    for one, group in zip(rounds[:-1], groups[::-1], strict=False):
        assert len(group) <= len(one.round.tables) * (size - size // 2)


def test_half_of_a_larger_table_goes_on() -> None:
    """Eight at tables of four: two of each go on to the final; in doubt they meet again."""
    field = Entrants(entrants=8, size=4)
    rounds, _ = played(FormatName.KNOCKOUT, field, by_seed)
    doubtful, _ = played(FormatName.KNOCKOUT, field, lambda _, block: (9, 0, 0, -9))

    assert [[table.bots for table in one.round.tables] for one in rounds] == [
        [(0, 3, 4, 7), (1, 2, 5, 6)],
        [(0, 1, 2, 3)],
    ]
    assert [len(one.round.tables) for one in doubtful] == [2, 2, 2, 1]
    assert KNOCKOUT.order(field, doubtful) == ((0,), (1, 2, 3), (4, 5, 6, 7))


def test_who_is_benched_at_a_larger_table_that_meets_again_is_one_of_those_out() -> None:
    """What was played decides about the others, and they do not play for it with fewer."""
    field = Entrants(entrants=8, size=4)
    first = KNOCKOUT.next_round(field, [])
    assert first is not None
    doubtful = done(first, lambda *_: (9, 0, 0, -9))
    again = KNOCKOUT.next_round(field, [doubtful])
    final = KNOCKOUT.next_round(field, [doubtful], frozenset({0, 1}))
    assert again is not None
    assert final is not None

    assert again.tables == first.tables
    assert [table.bots for table in first.tables] == [(0, 3, 4, 7), (1, 2, 5, 6)]
    assert ([table.bots for table in final.tables], final.label) == ([(2, 3, 4, 5)], "final")
    assert KNOCKOUT.order(field, [doubtful], {0, 1}) == (
        (2, 3, 4, 5),
        (0, 1, 6, 7),
    )

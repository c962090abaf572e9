"""Who sits where: every bot everywhere equally often, and partners together."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.errors import RefereeError
from referee.games import catalogue
from referee.match.seating import Seating, holders, legs
from referee.rules.game import Game, Sides
from support.drive import one_deal, play
from support.strategies import choices, makes_sense

PAIRS: Sides = ((0, 2), (1, 3))
TRIPLES: Sides = ((0, 2, 4), (1, 3, 5))


def alone(seats: int) -> Sides:
    """Each place for itself."""
    return tuple((place,) for place in range(seats))


def _games() -> Iterator[tuple[str, Game[Any], Sides]]:
    """Every game with every number of seats and sort of sides, one bot a seat and one a side."""
    for game_id, variant in catalogue().items():
        for seats, teams in product(variant.seats, choices(game_id).get("teams", ("",))):
            options = {"seats": str(seats)} if len(variant.seats) > 1 else {}
            options |= {"teams": teams} if teams else {}
            if makes_sense(game_id, options):
                game = variant.rules_of(options)[0].game
                for bots in {game.seats, len(game.partners)}:
                    yield game_id, game, holders(bots, game.seats, game.partners, game_id)


GAMES = list(_games())
TABLES = sorted({(held, game.partners) for _, game, held in GAMES})
"""Who holds which places, and who are partners."""


@pytest.mark.parametrize(
    ("held", "partners", "count"),
    [
        (alone(2), alone(2), 2),
        (alone(3), alone(3), 6),
        (alone(4), alone(4), 24),
        (PAIRS, PAIRS, 2),
        (alone(4), PAIRS, 8),
        (alone(6), TRIPLES, 72),
        (alone(6), ((0, 3), (1, 4), (2, 5)), 48),
    ],
)
def test_full_plays_every_distinct_seating_once(held: Sides, partners: Sides, count: int) -> None:
    """As many legs as there are seatings in which partners stay together, none twice."""
    found = legs(Seating.FULL, held, partners)

    assert len(set(found)) == len(found) == count
    assert found[0] == legs(Seating.ONE, held, partners)[0]


def test_legs_seat_everybody_everywhere() -> None:
    """rotate moves all on by one; a side moves together."""
    assert legs(Seating.ONE, alone(3), alone(3)) == ((0, 1, 2),)
    assert legs(Seating.ROTATE, alone(3), alone(3)) == ((0, 1, 2), (2, 0, 1), (1, 2, 0))
    assert legs(Seating.ROTATE, PAIRS, PAIRS) == ((0, 1, 0, 1), (1, 0, 1, 0))
    assert legs(Seating.FULL, PAIRS, PAIRS) == ((0, 1, 0, 1), (1, 0, 1, 0))


@pytest.mark.parametrize("seating", [Seating.ROTATE, Seating.FULL])
@pytest.mark.parametrize(("held", "partners"), TABLES)
def test_every_bot_holds_every_place_equally_often_and_partners_stay_partners(
    seating: Seating, held: Sides, partners: Sides
) -> None:
    """In each game, with one bot a seat or one a side, whichever seatings are played."""
    found = legs(seating, held, partners)
    for column in zip(*found, strict=True):
        assert set(Counter(column).values()) == {len(found) // len(held)}
        assert set(column) == set(range(len(held)))

    if len(partners) < len(held):
        assert len({_together(leg, partners) for leg in found}) == 1


def _together(leg: tuple[int, ...], partners: Sides) -> frozenset[frozenset[int]]:
    return frozenset(frozenset(leg[place] for place in side) for side in partners)


@pytest.mark.parametrize(("held", "partners"), [at for at in TABLES if len(at[0]) <= 6])
def test_the_order_in_which_bots_are_named_does_not_matter(held: Sides, partners: Sides) -> None:
    """Under full, bots named in another order, partners together, get the same legs."""
    found = legs(Seating.FULL, held, partners)
    for named in found[:: max(1, len(found) // 7)]:
        order = [named[places[0]] for places in held]
        renamed = [tuple(order[bot] for bot in leg) for leg in found]
        assert sorted(renamed) == sorted(found)


@given(
    st.sampled_from([found for found in GAMES if len(found[2]) < 8]),
    st.randoms(use_true_random=False),
    st.integers(0, 7),
)
def test_copies_of_one_bot_come_out_level_in_every_block(
    found: tuple[str, Game[Any], Sides], dice: random.Random, dealer: int
) -> None:
    """Whatever the deck, equal bots bring the same sum of deal values over a block."""
    game_id, game, held = found
    deck = dice.sample(game.pack, len(game.pack))
    leg = one_deal(game, deck, dealer % game.seats)
    (deal,), _ = play(leg, lambda _, legal: legal[len(legal) // 2])
    for seating in (Seating.ROTATE, Seating.FULL):
        sums = [0] * len(held)
        for seats in legs(seating, held, game.partners):
            for bot in range(len(held)):
                sums[bot] += deal.by_seat[seats.index(bot)]
        assert len(set(sums)) == 1, game_id


def test_sides_that_do_not_alternate_change_places_too() -> None:
    """In a game whose partners sit side by side, they are partners in every rotation."""
    side_by_side = ((0, 1), (2, 3))
    found = legs(Seating.ROTATE, alone(4), side_by_side)

    assert len(found) == 4
    assert {_together(leg, side_by_side) for leg in found} == {
        _together((0, 1, 2, 3), side_by_side)
    }
    assert all(set(column) == {0, 1, 2, 3} for column in zip(*found, strict=True))


def test_sides_of_different_size_cannot_change_places() -> None:
    """One against three has one seating only, and anything else is refused."""
    partners = ((0,), (1, 2, 3))

    assert legs(Seating.ONE, alone(4), partners) == ((0, 1, 2, 3),)
    with pytest.raises(RefereeError, match="seating full: the sides are not equally large"):
        legs(Seating.FULL, alone(4), partners)

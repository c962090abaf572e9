"""Who lays more points on another bot's tricks: found where it is so, and named nowhere else."""

import random
from collections.abc import Sequence
from itertools import combinations

import numpy as np
import pytest
from msgspec.structs import replace

from ladder.stats.favours import FEWEST, Favours, MatchGifts, _named, favours
from referee.games import find
from referee.match.gifts import NUMBERS
from referee.rules.plain_game import PlainGame
from support.colluders import Friend, field, honest
from support.positions import positions
from support.simulations import dice

BOTS = 6
EACH = {bot: bot for bot in range(BOTS)}
GIFTS = 40
"""Of a match."""

SEEN = positions(600, random.Random("seen"))
NUMBERED, PACKED = (
    np.array([one.numbers() for one in SEEN]),
    np.array([one.packed() for one in SEEN]),
)

Matches = list[tuple[tuple[int, ...], MatchGifts]]


def drawn(
    number: int,
    matches: int = 10,
    *,
    favour: float = 0.0,
    styles: float = 0.0,
    mood: float = 0.0,
    tails: float = 0.0,
) -> Matches:
    """The gifts of a field of six, at all tables of three, by a line that each bot has of its own.

    Args:
        number: of the field.
        matches: that each table plays.
        favour: how many points more bot 0 gives bot 1.
        styles: the standard deviation of what bots suit one another by.
        mood: that of what a process gives more or less for as long as it lives.
        tails: degrees of freedom of what single gifts scatter by; 0 for the normal distribution.
    """
    roll = dice("favours", number, matches, favour, styles, mood, tails)
    lines, suits = roll.normal(1, 3, (BOTS, NUMBERS)), roll.normal(0, styles, (BOTS, BOTS))
    suits[0, 1] += favour
    found: Matches = []
    for table in combinations(range(BOTS), 3):
        who = np.array(table)
        for _ in range(matches):
            giver = roll.integers(0, 3, GIFTS)
            holder = (giver + roll.integers(1, 3, GIFTS)) % 3
            at = roll.integers(0, len(SEEN) // 2, GIFTS)
            at += who[holder] * (len(SEEN) // 2 // BOTS)  # stronger ones hold richer tricks
            points = (NUMBERED[at] * lines[who[giver]]).sum(axis=1)
            points += suits[who[giver], who[holder]] + mood * roll.normal(0, 1, 3)[giver]
            points += roll.standard_t(tails, GIFTS) if tails else roll.normal(0, 3, GIFTS)
            laid = np.clip(points, -9_999, 9_999).round().astype(np.int16)
            found.append((table, MatchGifts(giver, holder, laid, PACKED[at])))
    return found


def known(matches: Matches, groups: dict[int, int] = EACH) -> Favours:
    found = favours(matches, groups)
    assert found is not None
    return found


def named(found: Favours) -> set[tuple[int, int]]:
    pairs = zip(found.giver.tolist(), found.taker.tolist(), found.named, strict=True)
    return {(giver, taker) for giver, taker, is_named in pairs if is_named}


def test_who_favours_another_is_named_with_what_it_gives() -> None:
    found = known(drawn(1, matches=20, favour=2.0))
    assert named(found) == {(0, 1)}
    at = int(np.flatnonzero(found.named)[0])
    assert abs(found.points[at] - 2.0) < 3 * found.error[at]
    assert found.matches[at] == 4 * 20
    assert len(found.points) == BOTS * (BOTS - 1)


HONEST: dict[str, dict[str, float]] = {
    "plain": {},
    "styles": {"styles": 0.5},
    "moods": {"mood": 1.0},
    "heavy tails": {"tails": 2.0},
    "all of it": {"styles": 1.0, "mood": 2.0, "tails": 3.0},
}


def wrong(kind: str, fields: int) -> int:
    """In how many honest fields a pair is named."""
    return sum(bool(named(known(drawn(number, 10, **HONEST[kind])))) for number in range(fields))


@pytest.mark.parametrize("kind", HONEST)
def test_few_of_an_honest_field_are_named(kind: str) -> None:
    assert wrong(kind, 10) <= 1


@pytest.mark.thorough
@pytest.mark.parametrize("kind", HONEST)
def test_in_one_honest_field_of_a_hundred_a_pair_is_named(kind: str) -> None:
    """Or in none; two of a hundred come by chance at that rate."""
    assert wrong(kind, 100) <= 2


def test_an_interval_holds_what_is_given() -> None:
    """Of thirty pairs in each of twenty fields in which one gives another two points."""
    inside = total = 0
    for number in range(20):
        found = known(drawn(number, favour=2.0))
        true = np.where((found.giver == 0) & (found.taker == 1), 2.0, 0.0)
        inside += int((np.abs(found.points - true) < 2.1 * found.error).sum())
        total += len(true)
    assert 0.9 < inside / total < 0.99


def test_few_matches_name_no_pair() -> None:
    few = drawn(1, matches=3, favour=50.0)
    assert max(len([0 for table, _ in few if {0, 1} <= set(table)]), 0) < FEWEST
    assert favours(few, EACH) is None


def test_bots_of_an_author_are_looked_at_together() -> None:
    """Two bots of one favour two of another: all that they give is one favour, and surer."""
    authors = {0: 0, 1: 1, 2: 2, 3: 3, 4: 0, 5: 1}
    favoured = {(0, 1), (0, 5), (4, 1), (4, 5)}
    given = [(table, _plus(table, gifts, favoured, 3)) for table, gifts in drawn(2, matches=20)]
    bots, found = known(given), known(given, authors)
    assert named(bots) == favoured
    assert named(found) == {(0, 1)}
    at = int(np.flatnonzero(found.named)[0])
    assert abs(found.points[at] - 3.0) < 3 * found.error[at]
    assert found.error[at] < 0.7 * min(bots.error[bots.named])


def _plus(
    table: Sequence[int], gifts: MatchGifts, pairs: set[tuple[int, int]], points: int
) -> MatchGifts:
    """The same with so many points more in each gift of these pairs."""
    more = np.array([[points * ((a, b) in pairs) for b in table] for a in table], np.int16)
    return replace(gifts, points=gifts.points + more[gifts.giver, gifts.holder])


def test_what_is_left_by_rounding_names_no_pair() -> None:
    """Bots that do all by a line that the numbers hold leave nothing else, and no error either."""
    few, many = np.full(20, 1e-9), np.full(20, 30.0)
    assert not _named(few, few / 1e6, many, 0.0).any()
    assert _named(few + 0.1, few, many, 0.0).all()


@pytest.mark.slow
def test_a_friend_of_one_is_found_in_cards_and_its_honest_like_is_not() -> None:
    """At a quarter of the acts, in 60 blocks of the pair; rates are in `tests/bench_favours.py`."""
    game = find("briscola-3").rules_of({})[0].game
    assert isinstance(game, PlainGame)
    for friend, wanted in ((Friend(0, 1, 0.25), {(0, 1)}), (None, set())):
        roll = random.Random("friends")
        matches = field(game, honest(game, 4, roll), 50, roll, friend)
        assert named(known(matches)) == wanted

"""Online ratings: against the paper's formula, by place, by sides, and with faults."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ladder.core.block_codec import packed, plain_blocks
from ladder.stats.online_ratings import BETA, NEW, Rater, Skill
from referee.match.outcome import BlockResult
from referee.rules.game import Sides
from support.sections import block

TEAMS: Sides = ((0, 2), (1, 3))


def after(
    skills: Sequence[Skill],
    values: Sequence[int],
    *,
    sides: Sides = (),
    faults: Sequence[int] = (),
    luck: Sequence[int] = (),
    adjusted: bool = False,
) -> tuple[Skill, ...]:
    one = block(0, values, faults=faults, luck=luck)
    return updated(skills, sides, one, adjusted=adjusted)


def updated(
    skills: Sequence[Skill], sides: Sides, block: BlockResult, *, adjusted: bool = False
) -> tuple[Skill, ...]:
    """The skills at a table after a block, by place."""
    rater, places = Rater(dict(enumerate(skills))), range(len(skills))
    rate(rater, places, sides, [block], adjusted=adjusted)
    return tuple(map(rater.skill, places))


def rate(
    rater: Rater,
    entrants: Sequence[int],
    sides: Sides,
    blocks: Sequence[BlockResult],
    *,
    adjusted: bool = False,
) -> None:
    """Rates some blocks, as a ladder does."""
    places = len(entrants)
    for one in plain_blocks(packed(blocks, places), places):
        rater.add(entrants, sides, one.scores(adjusted=adjusted), one.at_fault)


def textbook(winner: Skill, loser: Skill) -> tuple[Skill, Skill]:
    """Algorithm 4 of Weng and Lin (JMLR 12, 2011) for two, as it is there."""
    both = winner.sigma**2 + loser.sigma**2
    c = math.sqrt(2 * BETA**2 + both)
    lost = 1 / (1 + math.exp((winner.mu - loser.mu) / c))
    found = []
    for skill, sign in ((winner, 1), (loser, -1)):
        variance = skill.sigma**2
        shrink = skill.sigma / c * variance / c**2 * lost * (1 - lost)
        found.append(
            Skill(skill.mu + sign * variance / c * lost, skill.sigma * math.sqrt(1 - shrink))
        )
    return found[0], found[1]


mus, sigmas = st.floats(0, 50), st.floats(0.05, 10)
skills = st.builds(Skill, mus, sigmas)


@given(skills, skills, st.integers(1, 120))
def test_a_block_of_two_moves_skills_as_the_paper_says(one: Skill, other: Skill, by: int) -> None:
    """Whoever is ahead wins, in whichever seat, and by how much does not matter."""
    won, lost = textbook(one, other)

    for first, second in (
        after((one, other), (by, -by)),
        after((other, one), (-by, by))[::-1],
    ):
        assert (first.mu, first.sigma) == pytest.approx((won.mu, won.sigma))
        assert (second.mu, second.sigma) == pytest.approx((lost.mu, lost.sigma))


def test_level_blocks_bring_skills_together() -> None:
    """Of equals nothing moves; of others the better one loses and the other one gains as much."""
    low, high = after((Skill(20.0, 4.0), Skill(30.0, 4.0)), (0, 0))

    assert [one.mu for one in after((NEW, NEW), (3, 3))] == [NEW.mu, NEW.mu]
    assert 20 < low.mu < 25 < high.mu < 30
    assert low.mu + high.mu == pytest.approx(50)


def test_luck_decides_only_where_it_is_taken_out() -> None:
    """A block won by luck alone is lost when luck is taken out; without a count nothing is."""
    values, luck = (10, -10), (12_000, -12_000)

    assert after((NEW, NEW), values, luck=luck) == after((NEW, NEW), values)
    assert after((NEW, NEW), values, luck=luck, adjusted=True) == after((NEW, NEW), (-1, 1))
    assert after((NEW, NEW), values, adjusted=True) == after((NEW, NEW), values)


def test_several_are_rated_by_place() -> None:
    """The order counts, not by how much, and level places move alike."""
    found = after((NEW,) * 4, (5, -20, 5, 10))
    first, level, also_level, last = (found[at].mu for at in (3, 0, 2, 1))

    assert found == after((NEW,) * 4, (0, -1, 0, 90))
    assert first > level == also_level > last


@given(st.permutations(range(4)), st.lists(skills, min_size=4, max_size=4))
def test_seats_do_not_matter(order: list[int], known: list[Skill]) -> None:
    """Whoever sits where, the same bots with the same values get the same skills."""
    values = (9, 4, -3, -10)
    straight = after(known, values)
    mixed = after([known[at] for at in order], [values[at] for at in order])

    for at, skill in zip(order, mixed, strict=True):
        assert (skill.mu, skill.sigma) == pytest.approx((straight[at].mu, straight[at].sigma))


def test_partners_win_together() -> None:
    """A side is as strong as its bots together; who is less known moves more."""
    known = (Skill(25.0, 2.0), NEW, NEW, NEW)
    found = after(known, (10, -10, 10, -10), sides=TEAMS)
    gains = [skill.mu - old.mu for skill, old in zip(found, known, strict=True)]

    assert gains[2] > gains[0] > 0 > gains[1] == gains[3]
    assert after((NEW,) * 4, (9, 1, -9, -1), sides=TEAMS)[0].mu == NEW.mu


@pytest.mark.parametrize(
    ("sides", "charged", "cards"),
    [
        ((), (-120, 30, -10), (-20, 30, -10)),
        (TEAMS, (-120, -50, 50, -50), (50, -50, 50, -50)),
    ],
)
def test_at_a_larger_table_the_cards_decide_and_the_bot_at_fault_falls_besides(
    sides: Sides, charged: tuple[int, ...], cards: tuple[int, ...]
) -> None:
    """Nobody else is above or below where a stand-in that nobody is charged for had put it."""
    known, faults = (NEW,) * len(cards), (1, *(0,) * (len(cards) - 1))
    found, fair = (
        after(known, charged, sides=sides, faults=faults),
        after(known, cards, sides=sides),
    )

    assert found[1:] == fair[1:]
    assert found[0].mu < fair[0].mu
    assert found[0].sigma < fair[0].sigma


def test_a_fault_is_a_last_place_among_reference_bots() -> None:
    """As good as losing to two bots that are known to be average, who are level."""
    average = Skill(NEW.mu, 1e-6)
    fair = after((NEW, NEW, NEW), (10, 0, -10))
    faulted = after((NEW, NEW, NEW), (10, -120, -10), faults=(0, 1, 0))
    last = after((average, fair[1], average), (1, 0, 1))

    assert faulted[1] == last[1]


def test_deals_charged_unplayed_are_a_fault_too() -> None:
    """After its third fault a bot's deals are not played, but charged."""
    charged = BlockResult(0, 6, (0, 0, 0), (), (0, 0, 0), (0, 4, 0))

    assert updated((NEW,) * 3, (), charged) == after((NEW,) * 3, (0, 0, 0), faults=(0, 1, 0))


def test_at_a_table_of_two_a_fault_decides_by_what_it_cost() -> None:
    """The bot at fault has the minimum of the scale, so it loses; one that won all the same won."""
    known = (NEW, NEW)

    assert after(known, (-120, 120), faults=(1, 0)) == after(known, (-120, 120))
    assert after(known, (30, -30), faults=(1, 0)) == after(known, (30, -30))


def history(count: int) -> list[tuple[tuple[int, ...], Sides, BlockResult]]:
    """Tables of two, three and four, some with faults."""
    found: list[tuple[tuple[int, ...], Sides, BlockResult]] = []
    for at in range(count):
        size, sides = ((2, ()), (3, ()), (4, TEAMS))[at % 3]
        bots = tuple((at * 7 + step * 3) % 10 for step in range(size))
        values = [(at * 31 + step * 17) % 41 - 20 for step in range(size)]
        luck = [(at * 13 + step * 29) % 30_001 for step in range(size)]
        faults = [int((at + step) % 11 == 0) for step in range(size)]
        found.append((bots, sides, block(at, values, luck=luck, faults=faults)))
    return found


@pytest.mark.parametrize("adjusted", [False, True])
def test_a_rater_goes_through_a_history_block_by_block(adjusted: bool) -> None:
    """To the bit as a new one for each would, and as one that began again half-way."""
    played = history(300)
    known = dict.fromkeys(range(10), NEW)
    whole, half = Rater(), Rater()
    for at, (bots, sides, one) in enumerate(played):
        found = updated([known[bot] for bot in bots], sides, one, adjusted=adjusted)
        known.update(zip(bots, found, strict=True))
        rate(whole, bots, sides, [one], adjusted=adjusted)
        rate(half, bots, sides, [one], adjusted=adjusted)
        if at == 150:
            half = Rater({bot: half.skill(bot) for bot in range(10)})

    for bot, skill in known.items():
        assert whole.skill(bot) == half.skill(bot) == skill


def test_a_match_is_its_blocks_one_after_the_other() -> None:
    """Several blocks at once, or each by itself; who has not played is new."""
    blocks = [block(at, (at % 3 - 1, 1 - at % 3)) for at in range(9)]
    once, singly = Rater(), Rater()
    rate(once, (4, 7), (), blocks)
    for one in blocks:
        rate(singly, (4, 7), (), [one])

    assert [once.skill(bot) for bot in (4, 7)] == [singly.skill(bot) for bot in (4, 7)]
    assert once.skill(4) != NEW
    assert once.skill(5) == NEW


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=60))
def test_skills_stay_sane_and_doubt_never_grows(ahead: list[int]) -> None:
    """Whatever happens between two bots: finite, and each block makes both better known."""
    rater, before = Rater(), (NEW, NEW)
    for value in ahead:
        rate(rater, (1, 2), (), [block(0, (value, -value))])
        found = (rater.skill(1), rater.skill(2))
        for new, old in zip(found, before, strict=True):
            assert 0 < new.sigma < old.sigma
            assert math.isfinite(new.mu)
        before = found


@pytest.mark.slow
def test_a_bot_that_wins_for_ever_stays_finite() -> None:
    """Ten thousand wins in a row do not overflow anything, nor ten thousand faults."""
    rater = Rater()
    rate(rater, (1, 2), (), [block(at, (1, -1)) for at in range(10_000)])
    rate(rater, (3, 4, 5), (), [block(at, (1, 0, 0), faults=(1, 0, 0)) for at in range(10_000)])

    for one in map(rater.skill, range(1, 6)):
        assert math.isfinite(one.mu)
        assert one.sigma > 0
    assert rater.skill(1).mu > NEW.mu > rater.skill(3).mu
    assert rater.skill(2).mu < NEW.mu

"""Ratings: against SPEC's own words, their laws, and whether what they claim holds."""

from collections.abc import Sequence
from itertools import combinations, permutations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from ladder.stats.estimates import ELO, Estimate
from ladder.stats.links import linked_groups
from ladder.stats.observations import Observed, against, lineups, observed
from ladder.stats.places import rank
from ladder.stats.ratings import Ratings, rate
from ladder.stats.student import means
from support import nulls, outsider
from support.sections import block, played, round_robin, table
from support.simulations import coverage, dice, new_bot_coverage

Sides = tuple[tuple[int, ...], ...]
Row = tuple[Sides, tuple[int, ...]]
"""Who held each side of a table, and what decided."""


def seen_of(rows: Sequence[Row], life: Sequence[int] = (), deck: Sequence[int] = ()) -> Observed:
    """Rows as blocks, by processes and of decks of their own if nothing else is said."""
    count = len(rows)
    seats = [[bot for side in sides for bot in side] for sides, _ in rows]
    width = len(rows[0][0][0])
    places = tuple(tuple(range(at * width, (at + 1) * width)) for at in range(len(rows[0][0])))
    scores = [[score for score in scores for _ in range(width)] for _, scores in rows]
    bots = np.array(seats, np.int64)
    opposed, two_sided = against(bots.shape[1], places)
    return Observed(
        bots=bots,
        lineup=lineups(bots, int(bots.max()) + 1),
        block=np.array(deck, np.int64) if len(deck) else np.arange(count),
        life=np.array(life, np.int64) if len(life) else np.arange(count),
        begun=np.zeros(count, np.int64),
        deals=np.ones(count, np.int64),
        values=np.array(scores, np.int64),
        luck=np.zeros_like(bots),
        lucky=np.zeros(count, np.bool_),
        at_fault=np.zeros(bots.shape, np.bool_),
        met=np.zeros((count, 2, bots.shape[1]), np.int64),
        known=np.zeros(count, np.bool_),
        opposed=opposed,
        two_sided=two_sided,
    )


def some_rows(seed: int, bots: int, seats: int, partners: int, count: int = 40) -> list[Row]:
    """Tables of any bots, with few different scores, so that many are level."""
    roll = dice("rows", seed)
    rows: list[Row] = []
    for _ in range(count):
        who = roll.permutation(bots)[: seats * partners].reshape(seats, partners)
        sides = tuple(tuple(int(bot) for bot in side) for side in who)
        rows.append((sides, tuple(int(score) for score in roll.integers(0, seats, seats))))
    return rows


@pytest.mark.parametrize(
    ("bots", "seats", "partners", "part", "decks"),
    [(5, 2, 1, 1, 0), (5, 2, 1, 4, 0), (5, 2, 1, 4, 12), (5, 3, 1, 2, 20), (6, 2, 2, 3, 0)],
)
def test_ratings_are_what_spec_says(
    bots: int, seats: int, partners: int, part: int, decks: int
) -> None:
    """Strengths, intervals and differences, as plain loops over docs/results.md, 3 find them."""
    rows = some_rows(bots + part, bots, seats, partners)
    life = [at // part for at in range(len(rows))]
    for at in range(0, len(rows), part):  # a life has one line-up
        rows[at : at + part] = [(rows[at][0], scores) for _, scores in rows[at : at + part]]
    deck = [at % decks if decks else at for at in range(len(rows))]
    made = rate([seen_of(rows, life, deck)], bots)
    expected = outsider.rated(
        [outsider.Block(deck[at], life[at], *row) for at, row in enumerate(rows)], bots
    )

    assert [known(one).value for one in made.strengths] == pytest.approx(
        (expected.strengths * ELO).tolist(), abs=0.11
    )
    assert [half(one) for one in made.strengths] == pytest.approx(
        (expected.halves * ELO).tolist(), abs=0.11
    )
    assert made.free == pytest.approx(expected.free, rel=1e-3)
    assert np.nan_to_num(made.differences) == pytest.approx(expected.apart, abs=2e-3)


def test_tables_of_all_sizes_are_fitted_together() -> None:
    """A bot that wins at tables of two and of four is ahead by both."""
    pairs: list[Row] = [(((0,), (1,)), (1, 0))] * 6
    fours: list[Row] = [(((0,), (1,), (2,), (3,)), (3, 2, 1, 0))] * 6
    apart, both = rate([seen_of(pairs)], 4), rate([seen_of(pairs), seen_of(fours)], 4)

    assert apart.strengths[3] is None
    values = [known(one).value for one in both.strengths]
    assert values == sorted(values, reverse=True)


def test_a_level_block_is_half_a_win_each() -> None:
    """Two level blocks say of strengths nearly what a win and a loss say."""
    pair: Sides = ((0,), (1,))
    rest: list[Row] = [(pair, (1, 0))] * 3
    level: list[Row] = [(pair, (0, 0))] * 2
    decided: list[Row] = [(pair, (1, 0)), (pair, (0, 1))]
    one, other = (known(rated([*rest, *more], 2).strengths[0]).value for more in (level, decided))

    assert one == pytest.approx(other, abs=20)


ROWS = some_rows(7, 5, 2, 1, count=60)


def rated(rows: Sequence[Row] = ROWS, bots: int = 5) -> Ratings:
    return rate([seen_of(rows)], bots)


def known(rating: Estimate | None) -> Estimate:
    assert rating is not None
    return rating


def half(rating: Estimate | None) -> float:
    """Half of its interval."""
    low, high = known(rating).low, known(rating).high
    assert low is not None
    assert high is not None
    return (high - low) / 2


@given(st.randoms(use_true_random=False))
def test_the_order_of_the_log_changes_no_byte(luck: object) -> None:
    """Blocks in any order, and the bots of a table in any order, give the same ratings."""
    at = list(range(len(ROWS)))
    luck.shuffle(at)  # type: ignore[attr-defined]  # hypothesis gives random.Random no public name
    rows = [
        (sides[::-1], scores[::-1]) if one % 2 else (sides, scores)
        for one, (sides, scores) in ((one, ROWS[one]) for one in at)
    ]
    again = rate([seen_of(rows, at, at)], 5)

    assert msgspec.json.encode(again.strengths) == msgspec.json.encode(rated().strengths)
    assert again.chances(range(5)) == rated().chances(range(5))


def test_bots_with_other_numbers_have_the_same_ratings() -> None:
    """Strengths, intervals and chances go with the bots, whatever their numbers are."""
    new = (3, 0, 4, 1, 2)
    rows: list[Row] = [
        (tuple(tuple(new[bot] for bot in side) for side in sides), scores) for sides, scores in ROWS
    ]
    usual, other = rated(), rated(rows)

    assert [other.strengths[new[bot]] for bot in range(5)] == list(usual.strengths)
    assert other.chances(new) == usual.chances(range(5))


def test_bots_that_always_do_alike_have_half_a_chance_each() -> None:
    """Copies of one bot have one strength, not the noise of a fit."""
    rows: list[Row] = []
    for win in (1, 0, 1, 1, 0, 1, 1):
        rows += [(((0,), (copy,)), (win, 1 - win)) for copy in (1, 2, 3)]
        rows += [(((one,), (other,)), (0, 0)) for one, other in ((1, 2), (1, 3), (2, 3))]
    better = rate([seen_of(rows)], 4).chances(range(4))

    assert {better[one][other] for one, other in permutations((1, 2, 3), 2)} == {0.5}


def test_strengths_have_the_mean_0() -> None:
    """Ratings are about nothing but each other."""
    assert sum(known(one).value for one in rated().strengths) == pytest.approx(0, abs=0.3)


def test_more_of_the_same_is_surer() -> None:
    """Every result in a second block too: intervals shrink."""
    once, twice = rated(), rated([*ROWS, *ROWS])

    for one, two in zip(once.strengths, twice.strengths, strict=True):
        assert half(two) < 0.85 * half(one)


def test_a_bot_that_has_won_everything_is_first_and_finite() -> None:
    """A bot without a loss has a rating, and an interval."""
    rows: list[Row] = [(((0,), (1,)), (1, 0)), (((1,), (2,)), (1, 0)), (((0,), (2,)), (1, 0))] * 10
    found = rated(rows, 3)

    assert 200 < known(found.strengths[0]).value < 1000
    assert 0 < half(found.strengths[0]) < 1000
    assert bool(found.told_apart(range(3))[0, 2])


def test_a_bot_that_has_not_played_has_no_rating_and_no_place() -> None:
    """Nothing is said of it, and the others' mean is 0 without it."""
    found = rated(ROWS, 6)
    ranking = rank([seen_of(ROWS)], 6, [0.0] * 6)

    assert found.strengths[:5] == rated().strengths
    assert found.strengths[5] is None
    assert found.chances(range(6))[5] == [None] * 6
    assert ranking.places[5] == (0, 0)
    assert ranking.order[-1] == 5
    assert all(1 <= first <= last <= 5 for first, last in ranking.places[:5])


def test_no_blocks_give_no_ratings() -> None:
    """An event that has not begun can be rated."""
    found = rate([], 2)

    assert found.strengths == (None, None)
    assert found.chances(range(2)) == [[None, None], [None, None]]


def test_one_life_of_processes_tells_no_bots_apart() -> None:
    """Fifty blocks won in one match part are one observation."""
    rows: list[Row] = [(((0,), (1,)), (1, 0))] * 50
    together = rate([seen_of(rows, [0] * 50)], 2)
    alone = rate([seen_of(rows)], 2)

    assert not together.told_apart(range(2)).any()
    assert known(together.strengths[0]).low is None
    assert together.lives == (1, 1)
    assert bool(alone.told_apart(range(2))[0, 1])
    assert alone.lives == (50, 50)


def test_one_deck_at_all_tables_tells_no_bots_apart() -> None:
    """What happens in one deck may be that deck's doing."""
    pairs = list(combinations(range(8), 2))
    rows: list[Row] = [(((one,), (other,)), (1, 0)) for one, other in [*pairs, *pairs]]
    shared = rate([seen_of(rows, deck=[0] * len(rows))], 8)

    assert not shared.told_apart(range(8)).any()
    assert rate([seen_of(rows)], 8).told_apart(range(8)).any()


def test_groups_that_no_result_links_are_not_compared() -> None:
    """The best of one group is not better than the worst of another."""
    rows: list[Row] = [*[(((0,), (1,)), (1, 0))] * 40, *[(((2,), (3,)), (1, 0))] * 40]
    found = rated(rows, 4)
    ranking = rank([seen_of(rows)], 4, [0.0] * 4)
    better = found.chances(range(4))

    assert better[0][3] is None
    assert better[0][1] is not None
    assert ranking.unlinked == ((0, 1), (2, 3))
    assert [ranking.places[bot] for bot in range(4)] == [(1, 3), (2, 4), (1, 3), (2, 4)]
    assert rank([seen_of([*rows, (((1,), (2,)), (1, 0))])], 4, [0.0] * 4).unlinked == ()


@given(st.integers(2, 30), st.lists(st.tuples(st.integers(0, 29), st.integers(0, 29)), max_size=60))
def test_groups_are_those_of_chains(bots: int, pairs: list[tuple[int, int]]) -> None:
    """Two bots are in one group exactly if a walk over pairs leads from one to the other."""
    inside = [pair for pair in pairs if max(pair) < bots]
    group = linked_groups(np.array(inside, np.int64).reshape(-1, 2), bots)
    reached = [{bot} for bot in range(bots)]
    for _ in range(bots):
        for one, other in inside:
            both = reached[one] | reached[other]
            reached[one], reached[other] = both, both

    for bot in range(bots):
        assert group[bot] == min(min(reached[one]) for one in reached[bot])


def cycle(blocks: Sequence[int]) -> list[Row]:
    """Rock beats paper beats scissors beat rock in nine of ten blocks; so many of each pair."""
    rows: list[Row] = []
    for (one, other), count in zip(((0, 1), (1, 2), (2, 0)), blocks, strict=True):
        rows += [(((one,), (other,)), (0, 1) if at % 10 == 0 else (1, 0)) for at in range(count)]
    return rows


@pytest.mark.parametrize("blocks", [(40, 40, 40), (200, 40, 40), (300, 200, 20)])
def test_a_field_that_one_number_does_not_order_is_called_so(blocks: tuple[int, ...]) -> None:
    """Rock, paper and scissors have no first place, however often which of them met."""
    rows = cycle(blocks)
    ranking = rank([seen_of(rows)], 3, [0.0] * 3)

    assert ranking.unordered
    assert set(ranking.places) == {(1, 3)}


def test_a_field_that_strengths_explain_is_not_called_unordered() -> None:
    """In none of many fields of known strengths, and never where it cannot be told."""
    said = 0
    for number in range(60):
        roll = dice("ordered", number)
        truth = roll.normal(0, 1, 5)
        rows: list[Row] = []
        for one, other in combinations(range(5), 2):
            won = roll.random(20) < 1 / (1 + np.exp(truth[other] - truth[one]))
            rows += [(((one,), (other,)), (int(win), int(not win))) for win in won]
        said += rate([seen_of(rows)], 5).unordered
    assert said <= 1
    assert rated(ROWS[:1], 5).misfit is None


def threes(*, at_fault: bool) -> Ratings:
    """A table of three in eighty blocks; in every fourth the third bot is at fault, or is not."""
    roll, blocks = dice("threes"), []
    for at in range(80):
        one, other = (int(value) for value in np.rint(roll.normal((15, -15), 40)))
        charged = at_fault and at % 4 == 0
        third = -240 if charged else -one - other
        blocks.append(block(at, (one, other, third), deals=6, faults=(0, 0, int(charged))))
    return rate(observed([played([table((0, 1, 2), blocks)], blocks=80)], ()), 3)


def test_a_fault_at_a_table_of_three_leaves_the_others_where_their_cards_put_them() -> None:
    """What a stand-in took decides the block, not what the bot at fault was charged."""
    clean, charged = threes(at_fault=False), threes(at_fault=True)

    def ahead(found: Ratings, one: int, other: int) -> float:
        return known(found.strengths[one]).value - known(found.strengths[other]).value

    assert ahead(charged, 0, 1) == pytest.approx(ahead(clean, 0, 1), rel=0.15)


def test_a_bot_at_fault_at_a_table_of_three_comes_last_once_more() -> None:
    """A fault costs its bot, though the cards that a stand-in played had beaten another."""
    clean, charged = threes(at_fault=False), threes(at_fault=True)

    assert known(charged.strengths[2]).value < known(clean.strengths[2]).value - 50


def test_mixed_partners_are_told_apart() -> None:
    """A bot that makes every side win is the best one, whatever partner it has."""
    tables = []
    for at, (one, other, third) in enumerate(permutations((1, 2, 3))):
        blocks = [block(20 * at + index, (9, -9, 9, -9), deals=8) for index in range(20)]
        tables.append(table((0, one, other, third), blocks))
    seen = observed([played(tables, blocks=120)], ((0, 2), (1, 3)))
    found = rate(seen, 4)

    assert known(found.strengths[0]).value > 100
    for mate in (1, 2, 3):
        assert known(found.strengths[mate]).value == pytest.approx(
            -known(found.strengths[0]).value / 3, abs=1
        )
    assert found.told_apart(range(4))[0].tolist() == [False, True, True, True]


def test_luck_is_taken_out_where_the_event_says_so() -> None:
    """Blocks are then decided by the adjusted values."""
    section = round_robin(3, blocks=30)
    seen = observed(section.rounds, ())

    assert rate(seen, 3, adjusted=True).strengths != rate(seen, 3).strengths


def test_a_mean_over_clusters_is_as_sure_as_its_clusters() -> None:
    """Ten copies of each of twelve values: as sure as twelve, not as a hundred and twenty."""
    values = dice("clusters").normal(0, 1, 12)
    copies, cluster = np.repeat(values, 10), np.repeat(np.arange(12), 10)
    one = np.zeros(120, np.int64)
    single = means(values, one[:12], 1, (np.arange(12),))
    clustered = means(copies, one, 1, (cluster,))

    assert clustered.interval(0) == pytest.approx(single.interval(0))
    assert single.error[0] == pytest.approx(values.std(ddof=1) / np.sqrt(12))


@pytest.mark.parametrize("ways", [1, 2])
def test_means_hold_the_truth_as_often_as_they_say(ways: int, *, many_cases: bool) -> None:
    """Over effects of the life of processes, and of decks that tables share."""
    trials, held = 2000 if many_cases else 400, 0
    for number in range(trials):
        roll = dice("means", ways, number)
        life, deck = np.repeat(np.arange(24), 5), np.tile(np.arange(10), 12)
        values = roll.normal(0, 1, 120) + roll.normal(0, 1, 24)[life]
        values += (ways - 1) * roll.normal(0, 1, 10)[deck]
        found = means(values, np.zeros(120, np.int64), 1, (life, deck)[:ways]).interval(0)
        assert found is not None
        held += found[0] <= 0 <= found[1]

    assert 0.92 <= held / trials <= 0.985


def least_and_most(share: float, trials: int) -> tuple[float, float]:
    """What a share is allowed to be in so many trials: three standard errors."""
    off = 3 * (share * (1 - share) / trials) ** 0.5
    return share - off, share + off


@pytest.mark.parametrize("lives", [1, 4, 40])
def test_the_interval_of_a_new_bot_holds_its_strength(lives: int) -> None:
    """From the first match on, in 95 of 100 ladders."""
    low, high = least_and_most(0.95, 100)

    assert low <= new_bot_coverage(lives, 100) <= high


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("seats", [2, 3])
@pytest.mark.parametrize("lives", [1, 2, 4, 10, 40, 200])
def test_the_interval_of_a_new_bot_holds_its_strength_in_many_ladders(
    lives: int, seats: int
) -> None:
    """Between 93 and 97 % of 95 % intervals do, as far as so many ladders can tell."""
    low, high = least_and_most(0.95, 300)

    assert low <= new_bot_coverage(lives, 300, seats=seats, blocks=2) <= high


@pytest.mark.parametrize(("seats", "blocks"), [(2, 10), (4, 10)])
def test_intervals_of_an_event_hold_what_is_true(seats: int, blocks: int) -> None:
    """In 95 % of bots, though all tables play the same decks."""
    assert 0.92 <= coverage(40, seats=seats, blocks=blocks) <= 0.985


LIKELY = ("plain", "faults-5", "mood-100", "heavy-tails", "slow-moods")


@pytest.mark.parametrize("kind", LIKELY)
@pytest.mark.parametrize("null", ["compare", "compare --until 100", "event", "event, tables of 3"])
def test_equal_bots_are_not_told_apart(kind: str, null: str) -> None:
    """Faults, moods and heavy tails make no winner: at most one in twenty, give or take chance."""
    trials = 25
    assert nulls.wrong(kind, null, trials) <= 5  # more than that by chance: one in 800


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("kind", nulls.KINDS)
@pytest.mark.parametrize("null", ["compare", "event, 50 blocks"])
def test_equal_bots_are_not_told_apart_in_many_trials(kind: str, null: str) -> None:
    """As above, in more trials; `make soak` has 500 of each."""
    trials = 60
    assert nulls.wrong(kind, null, trials) <= 8  # more than that by chance: one in 300


@pytest.mark.slow
@pytest.mark.thorough
@pytest.mark.parametrize("kind", ["faults-5", "mood-5"])
def test_equal_bots_of_a_ladder_are_not_told_apart(kind: str) -> None:
    """Under its own matchmaking, which looks at results to choose who plays."""
    assert nulls.wrong(kind, "ladder", 15) <= 3


def test_nulls_have_what_their_names_say() -> None:
    """Faults are charged and benched, moods last as long as processes, equal bots are equal."""
    roll = dice("kinds")

    def blocks(kind: str) -> NDArray[np.int64]:
        return nulls.values(roll, nulls.KINDS[kind], 400, 10, 2)[0]

    charged = [(np.abs(blocks(kind)[:, 0]) >= 119).mean() for kind in ("plain", "faults-5")]
    parts = blocks("mood-100").reshape(400, 10, 2)[:, :, 0]
    assert charged[0] < 0.1 < charged[1]
    assert parts.mean(axis=1).var() > 0.8 * parts.var()
    for kind in nulls.KINDS:
        found = blocks(kind)
        assert abs(found[:, 0].mean()) < 4 * found[:, 0].std() / np.sqrt(400)

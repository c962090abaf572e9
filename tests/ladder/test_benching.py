"""Who is benched: the rules, and that only finished rounds decide."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from ladder.benching import Misconduct, benched, counted, reason, recent, total
from ladder.results import RoundResult, TableResult
from support.sections import block, played, table


def pair(bots: Sequence[int], faulty: int, blocks: int = 20) -> TableResult:
    """A table at which the first bot has a fault in so many blocks."""
    return table(bots, [block(at, (0, 0), faults=(at < faulty, 0)) for at in range(blocks)])


def round_of(*tables: TableResult) -> RoundResult:
    return played(tables, blocks=20)


@pytest.mark.parametrize(
    ("faulty", "blocks", "out"),
    [(10, 19, True), (10, 20, False), (9, 9, False), (20, 20, True), (11, 20, True)],
)
def test_faults_in_most_of_enough_blocks_bench(faulty: int, blocks: int, out: bool) -> None:
    """At least ten faulty blocks, and more than half of all."""
    found = benched(3, 10, [round_of(pair((0, 1), faulty, blocks), pair((1, 2), 0))])

    assert list(found) == [0] * out


def test_nobody_is_benched_where_the_file_says_0() -> None:
    """bench = 0 lets everybody play on."""
    assert benched(2, 0, [round_of(pair((0, 1), 20))]) == {}


def test_deals_that_were_charged_unplayed_count_like_faults() -> None:
    """Blocks are faulty, too, that a match did not play after a bot's third fault."""
    blocks = [block(at, (0, 0), faults=(at < 3, 0)) for at in range(20)]
    blocks[3:] = [replace(one, unplayed=(2, 0)) for one in blocks[3:]]

    assert benched(2, 10, [round_of(table((0, 1), blocks))]) == {0: "faults in 20 of 20 blocks"}


def voids(bots: Sequence[int], counts: Sequence[int], blocks: int = 20) -> TableResult:
    return replace(pair(bots, 0, blocks), voids=tuple(counts))


@pytest.mark.parametrize(
    ("own", "others", "out"), [(10, 0, True), (9, 0, False), (20, 31, True), (20, 32, False)]
)
def test_three_times_the_voids_of_the_field_bench(own: int, others: int, out: bool) -> None:
    """At least ten deals, and three times as many of its deals as of the others': 20 of 60."""
    half = others // 2
    tables = round_of(
        voids((0, 1), (own, 0)), voids((2, 3), (half, others - half)), voids((2, 3), (0, 0))
    )

    assert list(benched(4, 10, [tables])) == [0] * out


def test_a_host_that_fails_everybody_benches_nobody() -> None:
    """Many voids, but everybody has as many."""
    tables = [voids(bots, (50, 50)) for bots in ((0, 1), (1, 2), (2, 0))]

    assert benched(3, 10, [round_of(*tables)]) == {}


def test_who_is_benched_stays_benched() -> None:
    """Decided after each round; what others do later changes nothing."""
    rounds = [round_of(pair((0, 1), 15)), round_of(pair((2, 1), 20)), round_of(pair((1, 2), 0))]

    assert list(benched(3, 10, rounds[:1])) == [0]
    assert list(benched(3, 10, rounds[:2])) == [0, 2]
    assert list(benched(3, 10, rounds)) == [0, 2]


def test_the_order_of_tables_changes_nothing() -> None:
    """A round is decided as a whole."""
    tables = [pair((0, 1), 20), pair((2, 1), 11), pair((1, 3), 10)]

    assert benched(4, 10, [round_of(*tables)]) == benched(4, 10, [round_of(*tables[::-1])])


counts = st.builds(Misconduct, *(st.integers(0, 60) for _ in range(4)))


@given(counts, st.lists(counts, max_size=5), st.integers(0, 20))
def test_the_rule_takes_the_field_as_a_whole(
    own: Misconduct, others: list[Misconduct], least: int
) -> None:
    """The others count as their sum, so a ladder may keep counts as it likes."""
    assert reason(own, others, least) == reason(own, [total(others)], least)


def test_reasons_say_what_was_counted() -> None:
    """Faults come first; voids are shown beside those of the field; 0 benches nobody."""
    faulty, void = Misconduct(20, 11, 40, 0), Misconduct(20, 0, 60, 20)
    field = [Misconduct(20, 0, 200, 10), Misconduct(20, 0, 140, 30)]

    assert reason(faulty, field, 10) == "faults in 11 of 20 blocks"
    assert reason(void, field, 10) is None
    assert reason(void, field[:1], 10) == "20 of 60 deals void; of the others' 10 of 200"
    assert reason(faulty, [], 0) is None
    assert reason(void, [], 0) is None


def test_a_match_counts_blocks_deals_and_voids_by_place() -> None:
    """Deals are those of finished blocks and all void ones; voids are those in a bot's own acts."""
    blocks = [block(at, (0, 0), faults=(0, at % 2)) for at in range(4)]

    assert counted(blocks, (3, 1), 0) == Misconduct(4, 0, 12, 3)
    assert counted(blocks, (3, 1), 1) == Misconduct(4, 2, 12, 1)


def test_only_the_last_blocks_count_on_a_ladder() -> None:
    """A thousand good blocks are no leave for a thousand bad ones, nor the other way round."""
    good, bad = Misconduct(blocks=1, deals=2), Misconduct(blocks=1, faulty=1, deals=2)
    assert reason(recent([*[bad] * 11, *[good] * 1000], 10), [], 10, last=True) == (
        "faults in 11 of its last 20 blocks"
    )
    assert reason(recent([*[bad] * 10, *[good] * 1000], 10), [], 10, last=True) is None
    assert reason(recent([*[good] * 10, *[bad] * 1000], 10), [], 10, last=True) is None
    assert reason(recent([bad] * 10, 10), [], 10, last=True) == "faults in 10 of its last 10 blocks"

"""The standings of a pool: as in an event, whoever plays, and in whatever order things came."""

import csv
import io
import json
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import asdict, replace
from rich.cells import cell_len
from rich.console import Console

from ladder.core.block_codec import UNKNOWN, Gathering, Results, packed, unpacked, unpacked_counts
from ladder.core.tallies import FaultKind
from ladder.results import Pairing, Round, RoundResult, TableResult
from ladder.show.as_csv import LADDER_COLUMNS, as_csv
from ladder.show.as_json import as_json
from ladder.show.page import page
from ladder.show.terminal import print_standings
from ladder.standings.from_store import computed
from ladder.standings.heading import Heading
from ladder.standings.pool import Entrant, pool_standings, shown_names
from ladder.standings.section import Section, standings
from ladder.standings.table import Standings
from ladder.stats.arrays import distinct, numbered
from ladder.stats.estimates import Estimate
from ladder.terms import LuckUse
from referee.match.verdict import FaultCode
from referee.rules.game import Sides
from support import ladders
from support.sections import block
from support.simulations import dice
from support.synthetic import Blobs, blobs, entrants, pool

HEADING = Heading(kind="ladder", name="Sample ladder", version="0.1.0")
SIDES: dict[int, Sides] = {2: (), 3: (), 4: ((0, 2), (1, 3))}


def moved(given: Blobs, order: Sequence[int]) -> Blobs:
    """The same matches in another order."""
    fields = {
        name: [getattr(given, name)[at] for at in order]
        for name in ("jobs", "blocks", "counts", "acts", "wall_us")
    }
    return replace(given, **fields)


def as_event(given: Blobs, sides: Sides, bots: int) -> Standings:
    """The same matches as rounds of an event, a block index each, in the order of the jobs."""
    tables, first = [], 0
    for at in sorted(range(len(given.jobs)), key=given.jobs.__getitem__):
        seated, used_us, voids, faults = unpacked_counts(given.counts[at], given.places)
        found = unpacked(given.blocks[at], given.places, given.places)
        blocks = tuple(replace(one, block=first + number) for number, one in enumerate(found))
        first += len(blocks)
        tables.append(
            TableResult(
                table=Pairing(tuple(one - 1 for one in seated)),
                blocks=blocks,
                acts=given.acts[at],
                used_us=used_us,
                wall_us=given.wall_us[at],
                fault_list=(),
                voids=voids,
                given_up="",
                game_digest="",
                faults=faults,
            )
        )
    planned = Round(tuple(table.table for table in tables), 0, 1)
    names = tuple(f"bot-{at}" for at in range(1, bots + 1))
    played = RoundResult(planned, tuple(tables))
    return standings(Section(game="x", names=names, sides=sides, rounds=(played,)))


@pytest.mark.parametrize("places", [2, 3, 4])
def test_a_pool_is_added_up_as_an_event_is(places: int) -> None:
    """Ratings, places, means, cells and accounts are those of an event with the same blocks."""
    given = blobs(9, 150, places, 5, blocks=2, faulty=0.05)
    found = pool_standings(pool(places, SIDES[places]), entrants(9), given.results())
    event = as_event(given, SIDES[places], 9)
    rows = [asdict(replace(row, bot=row.bot - 1, author="", version=0)) for row in found.rows]

    assert rows == [asdict(row) for row in event.rows]
    assert (found.cross, found.better, found.gain) == (event.cross, event.better, event.gain)
    assert (found.blocks, found.parts, found.deals) == (event.blocks, event.parts, event.deals)
    assert (found.misfit, found.unordered) == (event.misfit, event.unordered)
    assert found.two_sided == event.two_sided == (places != 3)
    assert (found.matches, found.parts, found.wall_us) == (150, 150, event.wall_us)
    assert any(row.faults and row.unplayed for row in found.rows)


@pytest.mark.parametrize("places", [2, 3, 4])
@pytest.mark.parametrize("luck", [LuckUse.SHOWN, LuckUse.OFFICIAL])
def test_the_order_of_matches_and_entrants_changes_nothing(places: int, luck: LuckUse) -> None:
    """The same facts in another order give the same bytes."""
    given, who = blobs(12, 300, places, 1, faulty=0.05), entrants(12)
    game = pool(places, SIDES[places], luck=luck)
    found = [
        FaultKind(3, FaultCode.LATE, "a", 2, 1),
        FaultKind(1, FaultCode.LATE, "b", 2, 1),
        FaultKind(3, FaultCode.CRASHED, "c", 1, 1),
    ]
    tables = [
        pool_standings(game, who, given.results(), found),
        pool_standings(
            game,
            who[::-1],
            moved(given, dice("order").permutation(300).tolist()).results(),
            found[::-1],
        ),
    ]

    assert msgspec.json.encode(tables[0]) == msgspec.json.encode(tables[1])
    assert page(HEADING, [tables[0]]) == page(HEADING, [tables[1]])


def test_those_who_do_not_play_count_in_the_fit_alone() -> None:
    """The rows of the others are as with everybody, but places and cells are among themselves."""
    given = blobs(6, 400, 2, 2)
    who = [replace(one, active=one.entrant % 2 == 0) for one in entrants(6)]
    every = pool_standings(pool(2), who, given.results(), everybody=True)
    some = pool_standings(pool(2), who, given.results())

    assert [row.bot for row in some.rows] == [row.bot for row in every.rows if row.bot % 2 == 0]
    ratings = {row.bot: row.rating for row in every.rows}
    assert all(row.rating == ratings[row.bot] for row in some.rows)
    assert (min(row.place for row in some.rows), max(row.last for row in some.rows)) == (1, 3)
    assert max(row.last for row in every.rows) == 6
    assert len(some.cross) == len(some.better) == 3
    assert some.blocks == every.blocks == 400


def test_the_stronger_bots_are_above() -> None:
    """In a field of known strengths the order is theirs, but for those that are close."""
    given = blobs(70, 8000, 2, 3)
    found = pool_standings(pool(2), entrants(70), given.results())
    true = [float(given.strengths[row.bot - 1]) for row in found.rows]
    rated = [row.rating.value for row in found.rows if row.rating is not None]

    assert np.corrcoef(true, rated)[0, 1] > 0.98


def test_a_match_is_one_observation() -> None:
    """However many blocks its processes played: five that are the same say no more than one."""
    single, one = blobs(4, 300, 2, 4), blobs(4, 300, 2, 4)
    five = replace(one, blocks=[blocks * 5 for blocks in one.blocks])
    few, many = (pool_standings(pool(2), entrants(4), given.results()) for given in (single, five))

    assert (few.blocks, many.blocks) == (300, 1500)
    assert few.parts == many.parts == 300
    assert [row.parts for row in few.rows] == [row.parts for row in many.rows]
    assert [row.mean for row in few.rows] == [row.mean for row in many.rows]
    for row, other in zip(few.rows, many.rows, strict=True):
        assert width(other.rating) > 0.9 * width(row.rating)


def width(measure: Estimate | None) -> float:
    assert measure is not None
    assert measure.low is not None
    assert measure.high is not None
    return measure.high - measure.low


def test_a_pool_without_matches_has_rows() -> None:
    """Who was just taken in stands there without a rating and a place."""
    nothing = blobs(2, 0, 3, 1).results()
    found = pool_standings(pool(3), entrants(2), nothing)

    assert [(row.place, row.last, row.rating, row.blocks) for row in found.rows] == [
        (0, 0, None, 0)
    ] * 2
    assert "bot-1" in printed(found, 80)


def test_who_has_not_played_comes_after_those_who_have() -> None:
    """A new version has no rating and no place, and takes none from the others."""
    found = pool_standings(pool(2), entrants(5), blobs(4, 60, 2, 1).results())
    last = found.rows[-1]

    assert (last.bot, last.rating, last.place, last.last) == (5, None, 0, 0)
    assert max(row.last for row in found.rows) == 4


def matches_of(pairs: Sequence[tuple[int, int]]) -> Results:
    """Matches of a block each that the first bot won."""
    gathering = Gathering(2)
    gathering.add(
        [f"{at:064x}" for at in range(len(pairs))],
        [packed([block(0, (9, -9))], 2) for _ in pairs],
        [np.array([pair, (0, 0), (0, 0), (0, 0)], "<i8").tobytes() for pair in pairs],
        [2] * len(pairs),
        [1] * len(pairs),
    )
    return gathering.results()


def test_bots_that_no_results_link_are_named_and_not_compared() -> None:
    """Groups stand in a warning; those who beat others by far may still be anywhere."""
    played = [(1, 2)] * 30 + [(3, 4)] * 4
    found = pool_standings(pool(2), entrants(5), matches_of(played))
    rows, at = {row.bot: row for row in found.rows}, [row.bot for row in found.rows]

    assert set(map(frozenset, found.unlinked)) == {
        frozenset(("bot-1", "bot-2")),
        frozenset(("bot-3", "bot-4")),
    }
    assert (rows[1].place, rows[1].last) == (1, 3)
    assert found.better[at.index(1)][at.index(4)] is None
    assert "warning: no results link these groups, so they are not compared: bot-" in printed(
        found, 200
    )


def test_bots_that_do_not_play_any_more_link_others() -> None:
    """Who retired counts in the fit, so those it met are compared through it."""
    who = [replace(one, active=one.entrant != 2) for one in entrants(3)]
    found = pool_standings(pool(2), who, matches_of([(1, 2), (2, 3)] * 10))

    assert found.unlinked == ()
    assert [row.bot for row in found.rows] == [1, 3]
    assert (found.better[0][1] or 0) > 0.9


def test_old_versions_leave_the_fit_with_their_matches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Half a year after the last of them, by the newest fact; not those that still play."""
    days = [0]
    born_ns = time.time_ns()
    monkeypatch.setattr(time, "time_ns", lambda: born_ns + days[0] * 86_400 * 10**9)
    with ladders.made(tmp_path / "it", bots=("first", "random", "greedy")) as store:
        pool = store.roster.pools[1]
        ladders.count(store, ladders.invented(store, ladders.job(store, (1, 2), 1), faults=(0, 1)))
        ladders.count(store, ladders.invented(store, ladders.job(store, (2, 3), 2)))
        ladders.submit(store, "first", "author-of-first", "last")
        seen = []
        for later in (180, 181, 182):
            days[0] = later
            ladders.count(store, ladders.invented(store, ladders.job(store, (4, 2), later)))
            seen.append(computed(store, pool))
        whole = computed(store, pool, everybody=True)

    assert [(table.left, table.matches, len(table.faults)) for table in seen] == [
        (0, 3, 1),
        (1, 3, 0),
        (1, 4, 0),
    ]
    assert {row.bot for row in seen[-1].rows} == {2, 3, 4}
    assert (whole.left, whole.matches, len(whole.rows), len(whole.faults)) == (0, 5, 4, 1)
    assert "left out with their matches: 1 version that no longer plays" in printed(seen[-1], 200)
    assert "left out" not in printed(whole, 200)


def test_leaving_bots_out_leaves_their_matches_out() -> None:
    """As if they had never been played."""
    played = [(1, 2), (2, 3), (1, 3), (2, 4), (1, 2)] * 6
    every, some = (matches_of(found) for found in (played, [p for p in played if 3 not in p]))
    less = every.without({3})

    assert [*map(len, (less.match, less.seated))] == [*map(len, (some.match, some.seated))]
    assert not (less.seated == 3).any()
    assert less.match.tolist() == some.match.tolist()
    assert every.without(()) is every


def test_results_of_strangers_are_a_mistake() -> None:
    """Whoever sat at a table must be among the entrants."""
    with pytest.raises(ValueError, match=r"results of entrants that are not there: \[4, 5\]"):
        pool_standings(pool(2), entrants(3), blobs(5, 60, 2, 1).results())


def entrant(number: int, name: str, author: str, version: int = 1) -> Entrant:
    return Entrant(entrant=number, name=name, author=author, version=version, active=True)


def test_names_that_are_alike_are_told_apart() -> None:
    """By their author where there are several, and by their version where there are."""
    who = [
        entrant(1, "greedy", "ada"),
        entrant(2, "greedy", "bob"),
        entrant(3, "greedy", "ada", 2),
        entrant(4, "last", "ada"),
        entrant(5, "first", "bob", 3),
        entrant(6, "first", "bob", 4),
    ]

    assert shown_names(who) == [
        "greedy (ada) v1",
        "greedy (bob)",
        "greedy (ada) v2",
        "last",
        "first v3",
        "first v4",
    ]
    assert shown_names([who[0], who[3]]) == ["greedy", "last"]


def test_faults_and_benching_are_told() -> None:
    """By code in the row, the most frequent first in words, of those who are shown."""
    who = [replace(one, active=one.entrant < 4) for one in entrants(4)]
    who[2] = replace(who[2], benched="faults in 12 of 20 blocks")
    faults = [
        FaultKind(1, FaultCode.LATE, "no answer", 3, 7),
        FaultKind(3, FaultCode.CRASHED, "exit status 1", 9, 1),
        FaultKind(4, FaultCode.MEMORY, "too much", 50, 1),
    ]
    found = pool_standings(pool(2), who, blobs(4, 60, 2, 1).results(), faults)
    rows = {row.bot: row for row in found.rows}

    assert rows[1].codes == (("late", 3),)
    assert rows[3].benched == "faults in 12 of 20 blocks"
    assert [(one.bot, one.code, one.times) for one in found.faults] == [
        ("bot-3", "crashed", 9),
        ("bot-1", "late", 3),
    ]
    assert "fault: bot-1, match 7: late: no answer x3" in printed(found, 80)


def printed(section: Standings, width: int) -> str:
    to = Console(file=io.StringIO(), width=width)
    print_standings(to, HEADING, [section])
    assert isinstance(to.file, io.StringIO)
    return to.file.getvalue()


@pytest.fixture(scope="module")
def table() -> Standings:
    who = [replace(one, version=one.entrant % 3 + 1) for one in entrants(6)]
    return pool_standings(pool(2), who, blobs(6, 200, 2, 1).results())


def test_a_ladder_is_shown_as_one(table: Standings) -> None:
    """Authors, versions and matches stand where an event has none; nothing speaks of an event."""
    best = table.rows[0]
    found = json.loads(msgspec.json.encode(as_json(HEADING, [table])))
    head, *rows = csv.reader(io.StringIO(as_csv(HEADING, [table]), newline=""))
    html = page(HEADING, [table])

    assert (found["ladder"], found["sections"][0]["matches"]) == ("Sample ladder", 200)
    assert found["sections"][0]["bots"][0]["author"] == best.author
    assert "event" not in found
    assert tuple(head) == LADDER_COLUMNS
    first = dict(zip(head, rows[0], strict=True))
    assert [first[key] for key in ("entrant", "author", "version")] == [
        str(best.bot),
        best.author,
        str(best.version),
    ]
    assert f"<small>{best.author}, v{best.version}</small>" in html
    assert "<dt>Ladder</dt><dd>Sample ladder</dd>" in html
    assert "200 matches, 200 blocks, 400 deals" in html
    assert "event" not in html.lower().partition("</style>")[2]


def test_a_terminal_shows_authors_where_there_is_room(table: Standings) -> None:
    """They are left out first; no line of the table is wider than the terminal."""
    wide, narrow = printed(table, 120), printed(table, 60)

    assert "place  bot    author    v  points" in wide
    assert "author-1" not in narrow
    assert max(map(cell_len, narrow.split("\n\n")[1].splitlines())) <= 60
    assert "200 matches, 200 blocks, 400 deals" in narrow


def plain(given: Blobs) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Who sat at each block and their values, in the order of the jobs."""
    return [
        (unpacked_counts(counts, given.places)[0], one.values)
        for _, blocks, counts in sorted(zip(given.jobs, given.blocks, given.counts, strict=True))
        for one in unpacked(blocks, given.places, 2)
    ]


def test_matches_of_any_length_stand_in_the_order_of_their_jobs() -> None:
    """Each block is with those who played it, whatever number of blocks a match has."""
    roll, given = dice("lengths"), blobs(7, 50, 3, 1, blocks=3)
    cut = [
        blocks[: len(blocks) // 3 * int(kept)]
        for blocks, kept in zip(given.blocks, roll.integers(0, 4, 50), strict=True)
    ]
    given = replace(given, blocks=cut)
    found: Results = given.results()

    rows = zip(found.seated[found.match].tolist(), found.values.tolist(), strict=True)
    assert [(tuple(who), tuple(values)) for who, values in rows] == plain(given)
    assert found.block.tolist() == list(range(len(found.values)))
    assert (np.diff(found.match) >= 0).all()


def test_ids_that_begin_alike_are_ordered_by_all_of_them() -> None:
    """Should 64 bits be the same by chance, the rest decides."""
    jobs = ["0" * 63 + end for end in "b2a1"]
    blocks = [packed([block(0, (at, -at))], 2) for at in range(4)]
    counts = [np.array([(at, at + 1), (0, 0), (0, 0), (0, 0)], "<i8").tobytes() for at in range(4)]
    gathering = Gathering(2)
    gathering.add(jobs, blocks, counts, [0, 1, 2, 3], [0, 1, 2, 3])
    found = gathering.results()

    assert found.values[:, 0].tolist() == found.acts.tolist() == found.wall_us.tolist()
    assert found.acts.tolist() == [3, 1, 2, 0]
    assert found.seated[:, 0].tolist() == [3, 1, 2, 0]
    assert not found.lucky.any()
    assert not (found.luck == UNKNOWN).any()


@given(
    st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), min_size=1),
    st.sampled_from([100, 5000, 10**9]),
)
def test_rows_get_numbers_as_a_sort_would_give(rows: list[tuple[int, int]], below: int) -> None:
    """Whether they are counted or sorted, which depends on how large they may be."""
    some = np.array(rows)
    alike, which = numbered(some, below)

    assert alike.tolist() == np.unique(some, axis=0).tolist()
    assert alike[which].tolist() == some.tolist()
    assert distinct(some).tolist() == np.unique(some).tolist()
    assert distinct(some * 10**9 - 5).tolist() == np.unique(some * 10**9 - 5).tolist()

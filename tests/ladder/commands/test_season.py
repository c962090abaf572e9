"""Seasons: tables begin anew, and bots move between divisions, as everyone can find out again."""

import json
from collections.abc import Iterator, Sequence
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace

from ladder.audit.audit import Wanted, prove
from ladder.core.facts import Decision, Deed, Pool
from ladder.standings.from_store import standings_of
from ladder.store.location import where_of
from ladder.store.store import Store
from referee.cli import run
from support.commands import Tell
from support.ladders import count, invented, job, made, submit, usual_pools
from support.sites import opened

BOTS = ("ada", "bob", "eve", "max")


def divisions() -> tuple[Pool, ...]:
    """Two divisions of briscola-2, each with room for two bots."""
    (pool,) = usual_pools("briscola-2")
    return tuple(
        replace(
            pool,
            name=f"briscola-2 (division {number})",
            league="briscola-2",
            division=number,
            moves=1,
            size=2,
        )
        for number in (1, 2)
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", divisions(), ()) as found:
        for name in BOTS:
            submit(found, name, f"author-of-{name}", does="first")
        yield found


def play(store: Store, bots: Sequence[int], matches: int = 20) -> None:
    """Has all pairs of these play where they are; the one named first is better."""
    roster = store.refresh()
    (pool,) = [one for one in roster.open_pools if roster.is_meant(one.pool, bots[0])]
    for one, other in combinations(bots, 2):
        for number in range(matches):
            found = invented(store, job(store, (one, other), number, pool=pool.pool))
            value = 90 + number % 3
            blocks = tuple(replace(block, values=(value, -value)) for block in found.outcome.blocks)
            count(store, replace(found, outcome=replace(found.outcome, blocks=blocks)))


def plays(store: Store) -> dict[int, list[int]]:
    """Who plays in which division."""
    roster = store.refresh()
    return {
        pool.division: [one.entrant for one in roster.playing(pool.pool)]
        for pool in roster.open_pools
    }


def wrong(store: Store) -> list[str]:
    """What a proof finds wrong about facts that are no matches."""
    found = prove(store.where, Wanted(sample=0)).findings
    return [one.what for one in found if one.where.startswith(("fact", "after"))]


def two_seasons(store: Store, tell: Tell) -> None:
    """The best two of four fill the higher division; then the four are compared in theirs."""
    play(store, [1, 2, 3, 4])
    tell("ladder", "season", "spring")
    for bots in ([1, 2], [3, 4]):
        play(store, bots)


def test_the_best_fill_a_division_that_has_room(store: Store, tell: Tell) -> None:
    assert plays(store) == {1: [], 2: [1, 2, 3, 4]}
    play(store, [1, 2, 3, 4], matches=2)

    said = tell("ladder", "season", "spring")

    assert "briscola-2: ada to division 1 (up, where there was room)" in said
    assert "season spring of briscola-2 has begun" in said
    assert plays(store) == {1: [1, 2], 2: [3, 4]}
    assert [pool.label for pool in store.roster.open_pools] == [
        "briscola-2 (division 1), spring",
        "briscola-2 (division 2), spring",
    ]
    assert wrong(store) == []


def test_who_is_certainly_first_or_last_moves(store: Store, tell: Tell) -> None:
    two_seasons(store, tell)

    told = json.loads(tell("ladder", "season", "autumn", "--json"))

    assert [(one["name"], one["division"], one["why"]) for one in told["moves"]] == [
        ("eve", 1, "up, certainly among the first"),
        ("bob", 2, "down, certainly among the last"),
    ]
    assert plays(store) == {1: [1, 3], 2: [2, 4]}
    assert wrong(store) == []
    new = submit(store, "eve", "author-of-eve", does="greedy")
    assert plays(store) == {1: [1, new.entrant], 2: [2, 4]}, "a version stays where its bot is"
    late = submit(store, "zoe", "author-of-zoe", does="first")
    assert plays(store)[2] == [2, 4, late.entrant], "a newcomer begins in the lowest"


def test_nobody_moves_of_whom_that_is_not_certain(store: Store, tell: Tell) -> None:
    play(store, [1, 2, 3, 4])
    tell("ladder", "season", "spring")
    for bots in ([1, 2], [3, 4]):
        play(store, bots, matches=3)

    assert json.loads(tell("ladder", "season", "autumn", "--json"))["moves"] == []
    assert plays(store) == {1: [1, 2], 2: [3, 4]}


def test_a_table_begins_anew_and_the_one_before_stays(store: Store, tell: Tell) -> None:
    play(store, [1, 2, 3, 4], matches=2)
    tell("ladder", "season", "spring")
    before, now = (
        standings_of(store, store.roster.pools[2]),
        standings_of(store, store.roster.pools[4]),
    )
    assert (before.matches, now.matches) == (12, 0)
    assert [row.name for row in before.rows] == ["ada", "bob", "eve", "max"]
    assert sorted(row.name for row in now.rows) == ["eve", "max"]
    tell("ladder", "season", "summer")
    assert len(store.refresh().pools) == 6


def test_a_preview_begins_nothing(store: Store, tell: Tell) -> None:
    play(store, [1, 2, 3, 4], matches=2)
    before = store.head()

    said = tell("ladder", "season", "spring", "--preview")

    assert "ada to division 1" in said
    assert "2 moves, as of now; nothing was begun" in said
    assert store.head() == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["season", ""], "printable characters"),
        (["season", " x"], "printable characters"),
        (["season", "a\x1bb"], "printable characters"),
        (["season", "x" * 41], "41 characters; 40 are taken"),
        (["season", "x", "--game", "sueca"], "this ladder has"),
    ],
)
def test_what_is_no_season_is_told(store: Store, tell: Tell, words: list[str], said: str) -> None:
    assert said in tell("ladder", *words, code=2)


def test_a_season_has_a_name_of_its_own(store: Store, tell: Tell) -> None:
    tell("ladder", "season", "spring")
    assert "there was one of this name" in tell("ladder", "season", "spring", code=2)


def test_games_without_divisions_have_seasons_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """And to open the ladder with the same file ends none."""
    where = str(tmp_path / "ladder")
    assert (
        run(["ladder", "open", "--game", "briscola-2", "--game", "sueca", "--ladder", where]) == 0
    )
    assert run(["ladder", "season", "one", "--game", "sueca", "--ladder", where]) == 0
    assert (
        run(["ladder", "open", "--game", "briscola-2", "--game", "sueca", "--ladder", where]) == 0
    )
    capsys.readouterr()
    assert run(["ladder", "standings", "--json", "--ladder", where]) == 0
    tables = json.loads(capsys.readouterr().out)["sections"]
    assert [one["title"] for one in tables] == ["briscola-2", "sueca, one"]


def test_divisions_stand_in_the_file_of_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, where = tmp_path / "games.toml", str(tmp_path / "ladder")
    file.write_text('[[game]]\nid = "briscola-2"\ndivisions = 2\nsize = 4\n')
    assert run(["ladder", "open", str(file), "--ladder", where]) == 0
    assert "briscola-2 (division 2)" in capsys.readouterr().out
    with Store(where_of(where)) as store:
        assert [(one.division, one.moves, one.size) for one in store.roster.open_pools] == [
            (1, 1, 4),
            (2, 1, 4),
        ]
    file.write_text('[[game]]\nid = "briscola-2"\ndivisions = 0\n')
    assert run(["ladder", "open", str(file), "--ladder", where]) == 2
    assert "divisions" in capsys.readouterr().err


def placed(bot: int, pool: int, why: str = "up, certainly among the first") -> Decision:
    return Decision(deed=Deed.PLACED, entrant=bot, pool=pool, reason=why, at_ms=1)


@pytest.mark.parametrize(
    ("fact", "said"),
    [
        (placed(4, 3), "nothing that was played places it there"),
        (placed(4, 3), "bots of briscola-2 were placed, and no season begins"),
    ],
)
def test_a_bot_that_the_organiser_favours_is_found(
    store: Store, tell: Tell, fact: Decision, said: str
) -> None:
    play(store, [1, 2, 3, 4])
    tell("ladder", "season", "spring")
    store.add(lambda roster, now_ms: [replace(fact, at_ms=now_ms)])
    assert any(said in one for one in wrong(store))


def test_a_bot_that_is_held_back_is_found(store: Store, tell: Tell) -> None:
    two_seasons(store, tell)

    def begin(number: int, pool: Pool, now_ms: int) -> Pool:
        return replace(pool, pool=number, season="autumn", at_ms=now_ms)

    store.add(
        lambda roster, now_ms: [
            begin(number, pool, now_ms) for number, pool in enumerate(roster.open_pools, 5)
        ]
    )
    assert any(
        "before it, bot 3 goes to pool 3: up, certainly among the first" in one
        for one in wrong(store)
    )


async def test_pages_of_divisions_and_seasons_lead_to_each_other(store: Store, tell: Tell) -> None:
    play(store, [1, 2, 3, 4], matches=2)
    tell("ladder", "season", "spring")
    async with opened(store) as site:
        page = (await site.get("/games/4")).text
        assert "<h1>briscola-2 (division 2), spring</h1>" in page
        assert '<a href="/games/3">briscola-2 (division 1), spring</a>' in page
        assert '<a href="/games/2">briscola-2 (division 2)</a>' in page
        assert "This is over" in (await site.get("/games/2")).text
        assert site.troubles == []

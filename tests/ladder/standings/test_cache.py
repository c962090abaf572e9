"""Tables that are kept by the head that they follow from."""

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from ladder.core.facts import Pool
from ladder.standings import cache, from_store
from ladder.standings.favours import Favour, Favours
from ladder.standings.from_store import standings_of
from ladder.stats.estimates import Estimate
from ladder.store.store import Store
from referee.cli import run
from support import ladders


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A ladder of two bots with some matches."""
    with ladders.made(tmp_path / "it", bots=("first", "random")) as found:
        ladders.filled(found, 3)
        yield found


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Gets an entry for each table that is computed."""
    found: list[bool] = []
    compute = from_store.computed

    def counting(store: Store, pool: Pool, *, everybody: bool = False) -> object:
        found.append(everybody)
        return compute(store, pool, everybody=everybody)

    monkeypatch.setattr(from_store, "computed", counting)
    return found


def pool_of(store: Store) -> Pool:
    return store.roster.pools[1]


def kept(store: Store) -> Path:
    (path,) = (store.files / "cache").iterdir()
    return path


def test_a_table_is_computed_once_for_the_same_facts(store: Store, computed: list[bool]) -> None:
    """And is the same from the file; with older versions it is another one."""
    first, second = standings_of(store, pool_of(store)), standings_of(store, pool_of(store))

    assert first == second
    assert computed == [False]
    standings_of(store, pool_of(store), everybody=True)
    assert computed == [False, True]


def test_a_new_match_makes_a_new_table(store: Store, computed: list[bool]) -> None:
    """A table never follows from fewer facts than there are."""
    before = standings_of(store, pool_of(store))
    ladders.filled(store, 1)
    after = standings_of(store, pool_of(store))

    assert after.matches == (before.matches or 0) + 1
    assert len(computed) == 2


@pytest.mark.parametrize("what", ["cut", "changed", "other version", "no JSON"])
def test_a_file_that_is_not_as_it_was_written_counts_as_none(
    what: str, store: Store, computed: list[bool]
) -> None:
    """It is computed again, and replaced."""
    whole = standings_of(store, pool_of(store))
    data = kept(store).read_bytes()
    damaged = {
        "cut": data[:-20],
        "changed": data.replace(b'"name":"first"', b'"name":"worst"'),
        "other version": data.replace(b'"made_by":"', b'"made_by":"9.9.9 '),
        "no JSON": b"\xff\x00",
    }[what]
    assert damaged != data
    kept(store).write_bytes(damaged)

    assert standings_of(store, pool_of(store)) == whole
    assert len(computed) == 2
    assert kept(store).read_bytes() == data


def test_where_nothing_can_be_kept_the_table_is_computed(
    store: Store, computed: list[bool]
) -> None:
    """A file stands where the folder should be."""
    (store.files / "cache").write_text("in the way")

    assert standings_of(store, pool_of(store)) == standings_of(store, pool_of(store))
    assert len(computed) == 2


FOUND = Favours(
    facts=1234,
    matches=80,
    pairs=12,
    bots=(Favour("first", "random", Estimate(2.5, 2.0, 3.0), 600, 40, named=True),),
    authors=(),
)


def test_what_a_proof_has_found_of_favours_is_told_until_the_next(
    store: Store, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """By the table in words, as JSON and on a page; new matches do not change it."""
    assert standings_of(store, pool_of(store)).favours is None
    cache.write_favours(store.files, {1: FOUND})
    ladders.filled(store, 1)

    assert standings_of(store, pool_of(store)).favours == FOUND
    where = ("--ladder", str(store.files))
    assert run(["ladder", "standings", *where]) == 0
    told = "first lays +2.50 ±0.50 card points more on a trick that random holds than its play"
    assert f"warning: as of fact 1,234: {told}" in " ".join(capsys.readouterr().out.split())
    assert run(["ladder", "standings", "--json", *where]) == 0
    (section,) = json.loads(capsys.readouterr().out)["sections"]
    assert section["favours"] == json.loads(msgspec.json.encode(FOUND))
    assert run(["ladder", "standings", "--html", str(tmp_path / "page.html"), *where]) == 0
    assert f"Warning: as of fact 1,234: {told}" in (tmp_path / "page.html").read_text()

    cache.write_favours(store.files, {1: replace(FOUND, bots=())})
    assert run(["ladder", "standings", *where]) == 0
    told = "favours, as of fact 1,234: in 80 matches no bot lays more points on another's tricks"
    assert told in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("what", ["no JSON", "other version", "other pool"])
def test_favours_that_are_not_as_they_were_written_are_not_told(what: str, store: Store) -> None:
    cache.write_favours(store.files, {1: FOUND})
    data = kept(store).read_bytes()
    damaged = {
        "no JSON": b"\xff\x00",
        "other version": data.replace(b'"made_by":"', b'"made_by":"9.9.9 '),
        "other pool": data.replace(b'"1":', b'"2":'),
    }[what]
    assert damaged != data
    kept(store).write_bytes(damaged)

    assert standings_of(store, pool_of(store)).favours is None


def test_rebuild_removes_what_was_kept(store: Store) -> None:
    """What follows from the facts is made anew, tables too."""
    standings_of(store, pool_of(store))
    assert run(["ladder", "rebuild", "--ladder", str(store.files)]) == 0

    assert not (store.files / "cache").exists()


def test_only_the_owner_can_read_what_is_kept(store: Store) -> None:
    """As all files of a ladder."""
    standings_of(store, pool_of(store))

    assert kept(store).stat().st_mode & 0o077 == 0
    assert cache.read(store.files, "0" * 64, 1, everybody=False) is None

"""Tables that are kept by the head that they follow from."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.core.facts import Pool
from ladder.standings import cache, from_store
from ladder.standings.from_store import standings_of
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

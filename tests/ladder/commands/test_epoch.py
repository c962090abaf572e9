"""`referee ladder epoch`, and what a proof says of a sealed ladder."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from ladder.store.store import Store
from referee.cli import run
from support.ladders import made, usual_pools
from support.sealed import counted, epoch, taken


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with made(tmp_path / "ladder", usual_pools(blocks=1), ("greedy", "first", "random")) as store:
        yield store


def said(store: Store, capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    """What the command prints."""
    assert run(["ladder", "epoch", *words, "--ladder", store.where.typed]) == code
    found = capsys.readouterr()
    return found.err if code else found.out


def test_an_epoch_from_its_seal_to_its_end(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each step says what comes next, and the list says where each epoch stands."""
    assert said(store, capsys) == (
        "this ladder is not sealed: its organiser draws the key of each match\n"
    )
    sealed = said(store, capsys, "--seal", "drand quicknet, round 7")
    assert sealed.startswith("epoch 1 is sealed: ")
    assert f'"hash":"{store.head().hash}"' in sealed.splitlines()[1]
    assert sealed.endswith(
        "once 'drand quicknet, round 7' is published: referee ladder epoch --begin VALUE\n"
    )
    waits = "epoch 1 (beacon: drand quicknet, round 7): sealed, and waits for its beacon\n"
    assert said(store, capsys) == waits
    assert said(store, capsys, "--begin", "0a1b") == "epoch 1 has begun\n"
    counted(store, 2)
    assert said(store, capsys) == "epoch 1 (beacon: drand quicknet, round 7): under way, 2 draws\n"
    assert said(store, capsys, "--end").startswith("the secret of epoch 1 is told: ")
    assert said(store, capsys) == "epoch 1 (beacon: drand quicknet, round 7): over, 2 draws\n"


def test_an_epoch_that_a_later_one_follows_is_not_under_way(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its secret is told when its last match is over, or never, where that was lost."""
    epoch(store, 1)
    assert taken(store)
    said(store, capsys, "--seal", "a beacon, round 9")
    assert said(store, capsys, "--begin", "0c") == "epoch 2 has begun\n"
    assert said(store, capsys).splitlines() == [
        "epoch 1 (beacon: a beacon, round 7): followed by a later one, its secret is not told, "
        "2 draws",
        "epoch 2 (beacon: a beacon, round 9): under way, 0 draws",
    ]


def test_epochs_as_json(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """A script finds the number of the one that it has just sealed last in the list."""
    epoch(store, 1)
    found = json.loads(said(store, capsys, "--seal", "a beacon, round 8", "--json"))
    assert found["ladder"] == store.opened.ladder
    one, two = found["epochs"]
    assert (one["epoch"], one["value"], one["draws"], one["secret"]) == (1, "0a1b", 1, None)
    assert (two["epoch"], two["value"], two["begun_ms"]) == (2, None, None)


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--begin", "0a1b"], "no epoch waits for its beacon: `referee ladder epoch --seal`"),
        (["--end"], "no epoch has begun"),
        (["--seal", ""], "beacon '': 1 to 200 printable characters, which name whose it is"),
        (["--seal", "a", "--end"], "say one of --seal, --begin and --end"),
    ],
    ids=["no-seal", "no-epoch", "no-name", "two"],
)
def test_what_cannot_be_is_refused_in_a_line(
    words: list[str], line: str, store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    told = said(store, capsys, *words, code=2)
    assert line in told
    assert told.count("\n") == 1


def test_a_match_under_way_keeps_its_epoch_from_its_end(
    store: Store, capsys: pytest.CaptureFixture[str]
) -> None:
    epoch(store)
    assert taken(store)
    told = said(store, capsys, "--end", code=2)
    assert "epoch 1 cannot end now: 1 match of it under way" in told


def test_a_proof_tells_of_epochs(store: Store, capsys: pytest.CaptureFixture[str]) -> None:
    """In words, and as JSON; what was invented has no records that could be proved."""
    epoch(store, 3)
    store.epochs.end()
    words = ["ladder", "verify", "--sample", "0", "--ladder", store.where.typed]
    run(words)
    assert (
        "epoch 1 (beacon: a beacon, round 7), which published 0a1b: 3 matches of 3 draws; their "
        "keys had to be so" in capsys.readouterr().out.replace("\n", " ")
    )
    run([*words, "--json"])
    (found,) = json.loads(capsys.readouterr().out)["epochs"]
    assert (found["matches"], found["draws"], found["proved"]) == (3, 3, True)
    assert run(["ladder", "match", "2", "--ladder", store.where.typed]) == 0
    assert "draw 2 of epoch 1 (proves the key" in capsys.readouterr().out

"""Epochs of a sealed ladder: who plays in them, by which keys, and when they are over."""

import hashlib
import hmac
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final

import pytest
from msgspec.structs import replace

from ladder.audit.audit import Wanted, prove
from ladder.core.candidates import fields_of
from ladder.core.epochs import draw_key, epoch_key
from ladder.core.facts import Begun, Decision, Deed, DrawName, Match, Revealed, Sealed
from ladder.core.matchmaking import why_none
from ladder.core.seal import commitment
from ladder.store.bulk_import import import_facts
from ladder.store.jobs import Lease, Settled
from ladder.store.location import where_of
from ladder.store.store import Store
from ladder.submissions.clearing import needed_by
from referee.errors import RefereeError
from support.ladders import count, invented, job, made, submit, usual_pools
from support.sealed import OWNER, counted, epoch, facts_of, settle, taken

_ON_A_SERVER: Final = pytest.param("postgresql", marks=[pytest.mark.slow, pytest.mark.thorough])


@pytest.fixture(params=["sqlite", _ON_A_SERVER])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    where: str | Path = tmp_path / "ladder"
    if request.param == "postgresql":
        where = f"{request.getfixturevalue('database')}?files={tmp_path / 'files'}"
    with made(where, usual_pools(blocks=1), ("greedy", "first", "random")) as store:
        yield store


def lease(store: Store, owner: str = OWNER, dead: Collection[str] = ()) -> Lease:
    """The next match, which there is."""
    found = taken(store, owner=owner, dead=dead)
    assert found is not None
    return found


def drawn(found: Lease) -> DrawName:
    """By which draw."""
    assert found.job.draw is not None
    return found.job.draw.name


def test_the_keys_are_as_they_are_written_down() -> None:
    """Computed here once more, word by word as in docs/results.md, and as one example."""
    secret = hashlib.sha256(b"a secret").digest()
    message = f"seal\n{'5' * 64}\n0a1b\n".encode()
    key = epoch_key("a secret", "5" * 64, "0a1b")
    assert key == hmac.new(secret, message, "sha256").hexdigest()
    event = hashlib.sha256(key.encode()).digest()
    assert draw_key(key, 12) == hmac.new(event, b"12", "sha256").hexdigest()
    assert draw_key(key, 12)[:16] == "2dad3239bc606670"


def test_the_secret_is_committed_to_before_and_told_after(store: Store) -> None:
    """It is no other's than that of the commitment, and no earlier fact has it."""
    epoch(store, 3)
    store.epochs.end()
    sealed, begun, *matches, revealed = facts_of(store)[-6:]
    assert isinstance(sealed, Sealed)
    assert isinstance(begun, Begun)
    assert isinstance(revealed, Revealed)
    assert commitment(revealed.secret) == sealed.commitment
    sealed_hash = store.hash_of(store.head().facts - 5)
    assert sealed_hash is not None
    key = epoch_key(revealed.secret, sealed_hash, "0a1b")
    played = [fact.job for fact in matches if isinstance(fact, Match)]
    assert [one.key for one in played] == [draw_key(key, number) for number in (1, 2, 3)]


def test_a_proof_reads_the_secrets_of_either_database(store: Store) -> None:
    epoch(store, 2)
    found = prove(store.where, Wanted(sample=0))
    assert [one.line for one in found.findings] == []
    assert [(one.matches, one.untold) for one in found.epochs] == [(2, 0)]


def test_bots_that_come_later_wait_for_the_next_epoch(store: Store) -> None:
    """For who hands them in may know the secret."""
    epoch(store)
    late = submit(store, "late", "author-of-late", "greedy").entrant
    counted(store, 12)
    assert store.roster.waits_for_epoch(late)
    played = {at for one in facts_of(store) if isinstance(one, Match) for at in one.job.entrants}
    assert played == {1, 2, 3}
    epoch(store, 12, beacon="2c3d")
    assert late in {at for _, one in store.newest_matches(12) for at in one.job.entrants}


def test_until_then_its_earlier_version_plays(store: Store) -> None:
    """But for a bot that was retired before the new one came."""
    epoch(store)
    late = submit(store, "greedy", "author-of-greedy").entrant
    store.add(lambda _, now: [Decision(deed=Deed.RETIRED, entrant=2, reason="so", at_ms=now)])
    submit(store, "first", "author-of-first")
    assert [one.entrant for one in store.refresh().seated(1)] == [1, 3]
    counted(store, 4)
    assert {at for _, one in store.newest_matches(9) for at in one.job.entrants} == {1, 3}
    hashes = {one.hash for one in store.roster.entrants.values()}
    assert needed_by(store.roster, ()) == hashes
    epoch(store, beacon="2c3d")
    assert [one.entrant for one in store.refresh().seated(1)] == [3, late, late + 1]


def test_a_match_of_an_earlier_version_is_begun_again_for_a_dead_runner(store: Store) -> None:
    epoch(store)
    first = lease(store, owner="dead")
    for entrant in first.job.entrants:
        one = store.roster.entrants[entrant]
        submit(store, one.name, one.author)
    assert lease(store, dead={"dead"}).job.entrants == first.job.entrants


def test_a_version_that_stands_in_is_benched_as_any_other(tmp_path: Path) -> None:
    """Its author has handed in the next one already."""
    with made(tmp_path / "other", usual_pools(blocks=1, bench=2), ("greedy", "first")) as store:
        epoch(store)
        submit(store, "first", "author-of-first")
        for _ in range(6):
            found = taken(store)
            if found is None:
                break
            faults = tuple(int(entrant == 2) for entrant in found.job.entrants)
            store.settle(invented(store, found.job, faults=faults))
        assert (1, 2) in store.refresh().benched
        assert taken(store) is None


def test_a_match_whose_bot_was_retired_is_no_longer_under_way(store: Store) -> None:
    """So no table is drawn beside one that will never count."""
    epoch(store)
    gone = lease(store, owner="dead").job.entrants[0]
    retired = Decision(deed=Deed.RETIRED, entrant=gone, reason="so", at_ms=0)
    store.add(lambda _, now: [replace(retired, at_ms=now)])
    found = lease(store, dead={"dead"})
    assert found.job.draw is not None
    assert found.job.draw.beside == ()


def test_nothing_is_drawn_before_the_beacon_is_there(store: Store) -> None:
    """A ladder that was never sealed plays on until then."""
    store.epochs.seal("a beacon, round 7")
    assert lease(store).job.draw is None
    store.epochs.begin("0a1b")
    assert drawn(lease(store)) == DrawName(1, 1)


def test_of_a_sealed_ladder_only_draws_count(store: Store) -> None:
    """Neither what was under way before, nor what is planned with another key."""
    before = lease(store)
    epoch(store)
    assert store.settle(invented(store, before.job))[0] is Settled.DUPLICATE
    with_a_key = job(store, (1, 2), 9)
    assert count(store, invented(store, with_a_key)) is Settled.DUPLICATE
    assert store.counts().matches == 0


def test_a_match_of_a_dead_runner_is_drawn_again(store: Store) -> None:
    """Its table stays; its decks, which people may have seen, are others."""
    epoch(store)
    first = lease(store, owner="dead")
    second = lease(store, dead={"dead"})
    assert second.job.draw is not None
    assert first.job.draw is not None
    assert (second.job.entrants, second.job.key != first.job.key) == (first.job.entrants, True)
    assert second.job.draw.broken == (DrawName(1, 1),)
    assert second.job.draw.seated_by == DrawName(1, 1)
    assert second.job.draw.facts == first.job.draw.facts
    third = store.renew(second)
    assert third.job.draw is not None
    assert third.job.draw.broken == (DrawName(1, 1), DrawName(1, 2))
    assert drawn(lease(store)) == DrawName(1, 4)


def test_what_was_leased_in_an_epoch_that_is_over_is_not_played(store: Store) -> None:
    """Its decks can be computed by then; while a runner plays it, its epoch does not end."""
    epoch(store)
    gone = lease(store)
    with pytest.raises(RefereeError, match="epoch 1 cannot end now: 1 match of it under way"):
        store.epochs.end()
    store.give_back([gone.token])
    assert len(store.epochs.end()) == 1
    assert taken(store) is None
    assert store.settle(invented(store, gone.job))[0] is Settled.DUPLICATE
    epoch(store, beacon="2c3d")
    assert drawn(lease(store)) == DrawName(2, 1)
    assert [one.job.draw and one.job.draw.broken for one in store.waiting_jobs()] == [()]


def test_the_secret_of_an_epoch_is_told_when_its_last_match_is_over(store: Store) -> None:
    """Which another runner may still play when the next epoch begins."""
    epoch(store)
    slow = lease(store)
    epoch(store, 1, beacon="2c3d")
    assert not store.refresh().is_over(1)
    settle(store, slow)
    assert store.refresh().is_over(1)
    assert not store.roster.is_over(2)


def test_after_the_end_nothing_is_drawn_until_another_begins(store: Store) -> None:
    epoch(store, 2)
    store.epochs.end()
    assert taken(store) is None
    assert "paused (no epoch is under way)" in why_none(fields_of(store.situation(), ()))
    epoch(store, 1, beacon="2c3d")
    assert store.epochs.draws() == {1: 2, 2: 1}


def test_an_import_has_no_secret_and_goes_on_with_an_epoch_of_its_own(
    store: Store, tmp_path: Path
) -> None:
    """A result of the earlier epoch, which may still come, ends nothing there."""
    epoch(store, 2)
    where = where_of(str(tmp_path / "other"))
    import_facts(where, facts_of(store))
    with Store(where) as there:
        assert taken(there) is None
        assert "its secret is not here" in why_none(fields_of(there.situation(), ()))
        assert there.epochs.end() == []
        epoch(there, 2, beacon="2c3d")
        assert there.counts().matches == 4
        assert there.epochs.draws() == {2: 2}
        there.epochs.seal("a beacon, round 9")
    again = where_of(str(tmp_path / "again"))
    with Store(where) as there:
        import_facts(again, facts_of(there))
    with Store(again) as there, pytest.raises(RefereeError, match="seal another epoch"):
        there.epochs.begin("3e4f")


@pytest.mark.parametrize("beacon", ["", " ", "a\nb", "a\x1b[2J", "x" * 201])
def test_a_beacon_has_a_name_that_can_be_printed(beacon: str, store: Store) -> None:
    with pytest.raises(RefereeError, match="name whose it is"):
        store.epochs.seal(beacon)
    assert not store.refresh().epochs


@pytest.mark.parametrize("value", ["", "a b", "a\n", "é", "x" * 201])
def test_what_a_beacon_publishes_is_one_word(value: str, store: Store) -> None:
    store.epochs.seal("a beacon, round 7")
    with pytest.raises(RefereeError, match="without blanks"):
        store.epochs.begin(value)
    assert not store.refresh().is_sealed


def test_an_epoch_begins_once_and_after_it_was_sealed(store: Store) -> None:
    with pytest.raises(RefereeError, match="no epoch waits for its beacon"):
        store.epochs.begin("0a1b")
    with pytest.raises(RefereeError, match="no epoch has begun"):
        store.epochs.end()
    epoch(store)
    with pytest.raises(RefereeError, match="no epoch waits for its beacon"):
        store.epochs.begin("0a1b")
    assert drawn(lease(store, owner=OWNER)) == DrawName(1, 1)

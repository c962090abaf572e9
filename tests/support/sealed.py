"""Sealed ladders for tests: tables by the rule, several matches under way, results invented."""

from collections import deque
from collections.abc import Collection

from ladder.core.candidates import Situation, fields_of
from ladder.core.facts import Fact, LadderJob
from ladder.core.matchmaking import next_table
from ladder.core.next_job import job_of
from ladder.store.jobs import Lease, Plan, new_key
from ladder.store.store import Store
from support.ladders import LEASE_MS, invented

OWNER = "a runner"


def by_rule(without: Collection[int] = (), most: int | None = None) -> Plan:
    """Choose the next match as a runner does, of `most` blocks at most."""

    def plan(situation: Situation) -> LadderJob | None:
        key = new_key() if situation.draw is None else situation.draw.key
        table = next_table(fields_of(situation, without), key.encode())
        return None if table is None else job_of(situation, table, key, without=without, most=most)

    return plan


def taken(store: Store, *, owner: str = OWNER, dead: Collection[str] = ()) -> Lease | None:
    """Lease the next match; the runners `dead` live no more."""
    return store.take(owner, LEASE_MS, lambda one: one not in dead, by_rule())


def epoch(store: Store, matches: int = 0, beacon: str = "0a1b") -> None:
    """Begin an epoch, and count so many matches of it."""
    store.epochs.seal("a beacon, round 7")
    store.epochs.begin(beacon)
    counted(store, matches)


def counted(store: Store, matches: int, at_once: int = 3) -> None:
    """Count so many matches, of which some are under way together."""
    open_ones = deque[Lease]()
    for _ in range(matches):
        lease = taken(store)
        assert lease is not None
        open_ones.append(lease)
        if len(open_ones) == at_once:
            settle(store, open_ones.popleft())
    while open_ones:
        settle(store, open_ones.popleft())


def settle(store: Store, lease: Lease) -> None:
    """Count what a match might have brought."""
    store.settle(invented(store, lease.job))


def facts_of(store: Store) -> list[Fact]:
    """All facts of a ladder."""
    with store.facts() as reader:
        return [fact for _, fact in reader.facts()]

"""What a ladder of 200 bots and a million results costs: by hand, some five minutes and 2 GB.

`.venv/bin/python tests/bench_ladder.py [BOTS] [MATCHES] [PLACES] [FOLDER]`

The matches are invented (`support.synthetic`), their rows, facts and hashes are as in any ladder.
A folder that is given is kept and, if there is a ladder in it, used as it is.
"""

import resource
import secrets
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Final, TypeVar

sys.path.insert(0, str(Path(__file__).parent))

from ladder.core.block_codec import unpacked, unpacked_counts
from ladder.core.candidates import Situation, fields_of
from ladder.core.facts import Fact, LadderJob, Match, Opened, Submission
from ladder.core.matchmaking import next_table
from ladder.standings.from_store import standings_of
from ladder.store.bulk_import import import_facts
from ladder.store.jobs import Lease, Settled
from ladder.store.location import where_of
from ladder.store.store import Store
from referee.match.outcome import BlockResult, MatchOutcome
from support.synthetic import Blobs, blobs, pool

COMMITS: Final = 300
_OPENED: Final = Opened("0" * 32, "synthetic", 1, "0")


def facts(bots: int, matches: int, places: int) -> Iterator[Fact]:
    """A ladder that nobody played."""
    yield _OPENED
    plan = pool(places)
    yield plan
    hashes = {entrant: f"{entrant:064x}" for entrant in range(1, bots + 1)}
    for entrant, digest in hashes.items():
        yield Submission(
            entrant=entrant,
            bot=entrant,
            name=f"bot-{entrant}",
            author=f"author-{entrant}",
            version=1,
            hash=digest,
            source="",
            at_ms=1,
        )
    given = blobs(bots, matches, places, 1)
    for at in range(matches):
        yield _match(given, at, hashes, plan.seatings)


def _match(given: Blobs, at: int, hashes: dict[int, str], deals: int) -> Match:
    entrants, used_us, voids, faults = unpacked_counts(given.counts[at], given.places)
    job = LadderJob(
        ladder=_OPENED.ladder,
        pool=1,
        entrants=entrants,
        hashes=tuple(hashes[entrant] for entrant in entrants),
        key=given.jobs[at][:32],
        blocks=1,
    )
    blocks = unpacked(given.blocks[at], given.places, deals)
    return _played(job, blocks, used_us, voids, faults)


def _played(
    job: LadderJob,
    blocks: tuple[BlockResult, ...],
    used_us: tuple[int, ...],
    voids: tuple[int, ...],
    faults: tuple[int, ...],
) -> Match:
    outcome = MatchOutcome(
        blocks=blocks,
        acts=80,
        used_us=used_us,
        wall_us=sum(used_us),
        voids=voids,
        faults=faults,
        fault_list=(),
        given_up="",
        game_digest=job.key * 2,
        sandbox="bwrap",
    )
    return Match(job=job, outcome=outcome, record=job.key * 2, size=2000, referee="0", at_ms=2)


T = TypeVar("T")


def timed(what: str, work: Callable[[], T]) -> T:
    """Does something, and says how long it took and how large we have become."""
    begun, used = time.perf_counter(), time.process_time()
    found = work()
    wall, cpu = time.perf_counter() - begun, time.process_time() - used
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{what}: {wall:.2f} s, {cpu:.2f} s of CPU; {most:,.0f} MiB at most", flush=True)
    return found


def commits(store: Store, places: int) -> None:
    """Takes and counts matches, each in transactions of its own."""
    took: dict[str, list[float]] = {"a job taken": [], "a result committed": []}

    def plan(situation: Situation) -> LadderJob:
        key = secrets.token_hex(16)
        found = next_table(fields_of(situation, ()), key.encode())
        assert found is not None
        return LadderJob(
            ladder=_OPENED.ladder,
            pool=found.pool,
            entrants=found.entrants,
            hashes=tuple(situation.roster.entrants[one].hash for one in found.entrants),
            key=key,
            blocks=1,
        )

    for _ in range(COMMITS):
        begun = time.perf_counter()
        lease = store.take("bench", 60_000, lambda _: True, plan)
        took["a job taken"].append(time.perf_counter() - begun)
        assert isinstance(lease, Lease)
        none = (0,) * places
        values = (places - 1, *(-1,) * (places - 1))
        block = BlockResult(0, places, values, none, none)
        match = _played(lease.job, (block,), none, none, none)
        begun = time.perf_counter()
        assert store.settle(match)[0] is Settled.COUNTED
        took["a result committed"].append(time.perf_counter() - begun)
    for what, times in took.items():
        worst = sorted(times)[int(len(times) * 0.95)]
        print(f"{what}: {1000 * median(times):.2f} ms; 95 of 100 within {1000 * worst:.2f} ms")


def main() -> None:
    """Measures."""
    bots, matches, places = map(
        int, (*sys.argv[1:4], *("200", "1000000", "2")[len(sys.argv) - 1 :])
    )
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[4] if len(sys.argv) > 4 else temporary)
        where = where_of(str(folder))
        if not where.database.exists():
            made = facts(bots, matches, places)
            timed(f"{matches:,} results imported", lambda: import_facts(where, made))
        with Store(where) as store:
            commits(store, places)
            plan = store.roster.pools[1]
            for _ in range(3):
                timed("standings", lambda: standings_of(store, plan))
            before, after = timed("indexes rebuilt", store.rebuild)
            assert before == after
            print(f"database: {where.database.stat().st_size / 2**20:,.0f} MiB")


if __name__ == "__main__":
    main()

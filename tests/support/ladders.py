"""Small ladders for tests: bots frozen without a trial, matches invented or really played.

Public: `made` opens a ladder with pools and bots, `copied` one like another; `job`, `lease` and
`count` take a match through it; `invented` makes up what a match brought, `played` plays it bare,
with a record; `filled` counts many. All but what is really played, and times, is the same in each
run.
"""

import hashlib
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import permutations
from pathlib import Path
from typing import Final
from unittest import mock

import trio
from msgspec.structs import replace

from ladder.core.facts import LadderJob, Match, Pool, Submission
from ladder.core.roster import Roster
from ladder.files import record_store
from ladder.game_files.pool_file import pools_of
from ladder.runner.match_fact import match_of
from ladder.runner.runner import workers_job
from ladder.store.jobs import Lease, Settled
from ladder.store.location import where_of
from ladder.store.store import Beginning, Store
from ladder.submissions.bot_toml import toml_of
from ladder.submissions.frozen_bots import BOTS, freeze, keep, scratch
from referee.bots.find import SAMPLES, find
from referee.bots.settings import Settings
from referee.match.chance import KEY_BITS
from referee.match.clock import parse_time
from referee.match.outcome import BlockResult, FaultFound, MatchOutcome
from referee.match.verdict import FaultCode
from referee.sandbox.bare import Bare
from referee.workers.player import Player
from support.matches import ROGUE

USUAL: Final = ("first", "random", "greedy", "illegal")
"""Three samples, and a rogue that is faulted in every deal."""

LEASE_MS: Final = 600_000


def usual_pools(*games: str, blocks: int = 2, bench: int = 0) -> tuple[Pool, ...]:
    """Pools of these games (one of briscola-2), with time enough; they answer at once."""
    return tuple(
        replace(
            pool,
            terms=replace(pool.terms, time=parse_time("move=20s,start=20s"), pace_ms=0),
            blocks=blocks,
            bench=bench,
        )
        for pool in pools_of(games or ("briscola-2",)).pools
    )


def made(
    typed: str | Path, pools: Sequence[Pool] | None = None, bots: Iterable[str] = USUAL
) -> Store:
    """A new ladder with bots, each of an author of its own; the caller closes it.

    Args:
        typed: as `--ladder` has it: a folder, or a URL with files=FOLDER.
        pools: one of briscola-2 if nothing is said.
        bots: names of Python samples, or what `tests/support/bots/rogue.py` is to do.
    """
    beginning = Beginning("test", tuple(usual_pools() if pools is None else pools))
    store = Store(where_of(str(typed)), beginning)
    for name in bots:
        submit(store, name, f"author-of-{name}")
    return store


def copied(pattern: Path, to: Path) -> Store:
    """A ladder like one that nothing has open, with all its files; the caller closes it."""
    shutil.copytree(pattern, to, symlinks=True)
    return Store(where_of(str(to)))


def submit(store: Store, name: str, author: str, does: str | None = None) -> Submission:
    """Takes in a version of a bot without a trial.

    Args:
        name: of the bot.
        author: of the bot.
        does: which sample or rogue it is; what its name says if nothing is said.
    """
    digest = frozen(store.files, does or name)

    def make(roster: Roster, now_ms: int) -> list[Submission]:
        entrant = len(roster.entrants) + 1
        bot = roster.bot_of(name, author)
        return [
            Submission(
                entrant=entrant,
                bot=entrant if bot is None else bot,
                name=name,
                author=author,
                version=1 if bot is None else len(roster.versions(bot)) + 1,
                hash=digest,
                source=hashlib.sha256(name.encode()).hexdigest(),
                at_ms=now_ms,
            )
        ]

    (found,) = store.add(make)
    assert isinstance(found, Submission)
    return found


def frozen(files: Path, does: str) -> str:
    """Freezes a Python sample, or a rogue, as `referee submit` leaves it; returns its hash."""
    script = SAMPLES / f"{does}_bot.py"
    command = f"python3 -I {script.name}"
    if not script.exists():
        script = ROGUE
        command = f"python3 -I {script.name} {does}"
    with scratch(files / BOTS) as built, scratch(files / BOTS) as folder:
        (built / script.name).write_bytes(script.read_bytes())
        freeze(built, toml_of(command), folder, does)
        return keep(folder, hash_of(folder)).name


@contextmanager
def trusted() -> Iterator[None]:
    """Take bots that were handed in for our own, so that they may run bare."""
    with mock.patch("referee.bots.find._OF_STRANGERS", re.compile("(?!)")):
        yield


def hash_of(folder: Path) -> str:
    """What a bot's folder is named by."""
    return find(str(folder), Settings(images=("gone",))).hash


def job(
    store: Store, entrants: Sequence[int], number: int = 0, *, pool: int = 1, blocks: int = 0
) -> LadderJob:
    """A match to be played; another number is another key."""
    roster = store.refresh()
    key = hashlib.sha256(repr((pool, entrants, number)).encode()).hexdigest()[: KEY_BITS // 4]
    return LadderJob(
        ladder=store.opened.ladder,
        pool=pool,
        entrants=tuple(entrants),
        hashes=tuple(roster.entrants[entrant].hash for entrant in entrants),
        key=key,
        blocks=blocks or roster.pools[pool].blocks,
    )


def lease(store: Store, wanted: LadderJob, owner: str = "somebody") -> Lease:
    """Leases a new job; those of others are left alone."""
    found = store.take(owner, LEASE_MS, lambda _: True, lambda _: wanted)
    assert found is not None
    assert found.job == wanted
    return found


def count(store: Store, match: Match) -> Settled:
    """Has a match counted whose job nobody knew before."""
    lease(store, match.job)
    return store.settle(match)[0]


def invented(store: Store, wanted: LadderJob, *, faults: Sequence[int] = ()) -> Match:
    """What a match might have brought; its record is in the vault, and proves nothing.

    Args:
        store: of the job.
        wanted: the job.
        faults: by place, in its first block.
    """
    pool = store.roster.pools[wanted.pool]
    places = len(wanted.entrants)
    by_place = tuple(faults) or (0,) * places
    record, size = record_store.keep_packed(store.files, [f"record of {wanted.name}\n".encode()])
    outcome = MatchOutcome(
        blocks=tuple(_block(wanted, pool, at, by_place) for at in range(wanted.blocks)),
        acts=40 * pool.seatings * wanted.blocks,
        used_us=tuple(1000 + drawn(wanted.key, "used", place) for place in range(places)),
        wall_us=1_000_000,
        voids=(0,) * places,
        faults=by_place,
        fault_list=tuple(
            FaultFound(0, 1, 0, place, place, FaultCode.ILLEGAL, "'XX' is not legal")
            for place, times in enumerate(by_place)
            for _ in range(times)
        ),
        given_up="",
        game_digest=hashlib.sha256(wanted.name.encode()).hexdigest(),
        sandbox="invented",
    )
    return Match(job=wanted, outcome=outcome, record=record, size=size, referee="0", at_ms=0)


def _block(wanted: LadderJob, pool: Pool, at: int, faults: tuple[int, ...]) -> BlockResult:
    places = len(wanted.entrants)
    values = [drawn(wanted.key, at, place) % 60 - 30 for place in range(places)]
    if places == 2:  # what one wins the other loses
        values[1] = -values[0]
    luck = [drawn(wanted.key, at, "luck", place) % 1000 for place in range(places)]
    first = [drawn(wanted.key, at, "leg", place) % 60 - 30 for place in range(places)]
    later = [both - one for both, one in zip(values, first, strict=True)]
    return BlockResult(
        block=at,
        deals=pool.seatings,
        values=tuple(values),
        luck=tuple(luck),
        faults=faults if at == 0 else (0,) * places,
        meetings=(tuple(first), tuple(later)),
    )


def drawn(*of: object) -> int:
    """A number that follows from these."""
    return int.from_bytes(hashlib.sha256(repr(of).encode()).digest()[:2], "big")


def played(store: Store, wanted: LadderJob) -> Match:
    """Plays a job bare, by our own bots; its record is in the vault."""
    return trio.run(play, store, wanted)


def play_leased(store: Store, entrants: Sequence[int], number: int = 0, *, pool: int = 1) -> Match:
    """Leases a new job and plays it; what it brought is still to be settled."""
    wanted = job(store, entrants, number, pool=pool)
    lease(store, wanted)
    return played(store, wanted)


async def play(store: Store, wanted: LadderJob) -> Match:
    """As `played`, where trio runs already."""
    pool = store.roster.pools[wanted.pool]
    plain = store.files / f".plain-{wanted.name[:16]}"
    names = tuple(store.roster.entrants[entrant].name for entrant in wanted.entrants)
    task = workers_job(wanted, pool, store.files, str(plain))
    task = replace(task, submitted=False, names=names)
    with trusted():
        result = await Player(Bare(), Settings()).play(task)
    kept = record_store.keep(store.files, plain)
    plain.unlink()
    return match_of(wanted, result.outcome, kept, referee=version("briscola-referee"), at_ms=0)


def tables(store: Store, pool: int = 1) -> list[tuple[int, ...]]:
    """Each table that those who play can make, in every order of seats, mixed."""
    playing = [one.entrant for one in store.refresh().playing(pool)]
    return sorted(permutations(playing, store.roster.pools[pool].places), key=drawn)


def filled(store: Store, matches: int, *, really: bool = False, pool: int = 1) -> list[Match]:
    """Counts so many matches, in turn between all who play; returns them as they were counted.

    Args:
        store: the ladder.
        matches: how many.
        really: whether they are played; else every seventh that is invented has a fault.
        pool: which.
    """
    found = []
    seated = tables(store, pool)
    before = store.counts().matches
    for number in range(before, before + matches):
        wanted = job(store, seated[number % len(seated)], number, pool=pool)
        if really:
            match = played(store, wanted)
        else:
            faulty = (number % 7 == 6, *(0,) * (len(wanted.entrants) - 1))
            match = invented(store, wanted, faults=tuple(map(int, faulty)))
        assert count(store, match) is Settled.COUNTED
        found.append(match)
    return found

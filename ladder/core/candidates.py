"""Who may sit at a ladder's next table, and whose turn it is: from its facts. Pure."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from typing import Final

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ladder.core.epochs import NextDraw
from ladder.core.facts import LadderJob, Pool
from ladder.core.roster import Roster
from ladder.core.table_rules import Candidate, Candidates
from ladder.core.tallies import EntrantTotals, StandingTable

Ints = NDArray[np.int64]

RECENT: Final = 2000
"""How many tables of a ladder, the last ones, count for whose turn it is."""

_DIGITS: Final = 9
"""So exactly shares are told apart: beyond it are errors of rounding."""


class SeatedTable(Struct, frozen=True):
    """A match of a ladder, played or under way.

    Attributes:
        pool: the number of the pool.
        entrants: the versions of bots that sit at it, by place.
        fact: the number of the fact that its result is; 0 before.
    """

    pool: int
    entrants: tuple[int, ...]
    fact: int = 0


class UnderWay(Struct, frozen=True):
    """A match that was chosen and has no result yet.

    Attributes:
        job: what is to be played.
        facts: how many the ladder had when it was chosen.
    """

    job: LadderJob
    facts: int = 0


class Situation(Struct, frozen=True):
    """What a next match is chosen by.

    Attributes:
        roster: who there is.
        standings: what they have played.
        open: matches under way, or waiting.
        recent: the last matches that were played, `RECENT` at most, the newest last.
        draw: by what the next match is drawn, if the ladder is sealed and an epoch has begun.
    """

    roster: Roster
    standings: StandingTable
    open: tuple[UnderWay, ...]
    recent: tuple[SeatedTable, ...] = ()
    draw: NextDraw | None = None

    @property
    def jobs(self) -> tuple[LadderJob, ...]:
        """What is to be played in the matches under way."""
        return tuple(one.job for one in self.open)


def fields_of(situation: Situation, without: Collection[int]) -> list[Candidates]:
    """Return the open pools with the bots that play in them.

    Matches under way count as if they were played.

    Args:
        situation: the ladder as it is.
        without: entrants that are left out.
    """
    under_way = tuple(SeatedTable(job.pool, job.entrants) for job in situation.jobs)
    tables = (situation.recent + under_way)[-RECENT:]
    playing = Counter[tuple[int, int]]()
    for job in situation.jobs:
        playing.update({(job.pool, entrant): job.blocks for entrant in job.entrants})
    busy = _busy(situation)
    return [
        _field(situation, pool, tables, under_way=playing, busy=busy, without=without)
        for pool in situation.roster.open_pools
    ]


def _busy(situation: Situation) -> Counter[str]:
    """Return by author how many matches it has under way, and how many ended since they began."""
    entrants, busy = situation.roster.entrants, Counter[str]()
    ended = [table.fact for table in situation.recent]  # in this order
    for one in situation.open:
        since = len(ended) - bisect_right(ended, one.facts)
        authors = {entrants[entrant].author for entrant in one.job.entrants}
        busy.update(dict.fromkeys(authors, 1 + since))
    return busy


def places_ahead(tables: Ints, authors: int) -> list[float]:
    """Return by author how many more places it has had than an equal share.

    The places of a table are shared equally by the authors who have sat at it or at one before.
    The numbers add up to 0; an author that has not sat has 0.

    Args:
        tables: a row each with the number of the author at each place, -1 for one that does not
            count, neither its place nor its share; the oldest table first.
        authors: how many there are; they are numbered from 0.
    """
    own = tables >= 0
    seated, at = np.unique(tables[own], return_index=True)
    first = np.nonzero(own)[0][at]
    present = np.bincount(first, minlength=len(tables)).cumsum()
    shares = np.concatenate(([0.0], np.cumsum(own.sum(1) / np.maximum(present, 1))))
    ahead = np.zeros(authors)
    ahead[seated] = np.bincount(tables[own])[seated] - (shares[-1] - shares[first])
    return [round(places, _DIGITS) for places in ahead.tolist()]


class _Turns:
    """Who has sat at the last tables of a pool."""

    def __init__(self, roster: Roster, tables: Iterable[Sequence[int]], places: int) -> None:
        """Reads the tables.

        Args:
            roster: who there is.
            tables: the entrants at each, the oldest table first.
            places: how many each has.
        """
        flat = np.fromiter(chain.from_iterable(tables), np.int64)
        entrants, self._index = np.unique(flat, return_inverse=True)
        self._entrants = [roster.entrants[one] for one in entrants.tolist()]
        self._places = places

    def ahead(self, authors: Collection[str]) -> dict[str, float]:
        """Return by how many places each of some authors is ahead of the others of them."""
        numbers = {author: number for number, author in enumerate(sorted(authors))}
        by_entrant = np.array([numbers.get(one.author, -1) for one in self._entrants], np.int64)
        ahead = places_ahead(by_entrant[self._index].reshape(-1, self._places), len(numbers))
        return dict(zip(numbers, ahead, strict=True))

    def last(self) -> dict[int, int]:
        """Return by bot the how-manieth table was the last of any of its versions."""
        by_entrant = np.zeros(len(self._entrants), np.int64)
        np.maximum.at(by_entrant, self._index, np.arange(len(self._index)) // self._places + 1)
        found: dict[int, int] = {}
        for one, table in zip(self._entrants, by_entrant.tolist(), strict=True):
            found[one.bot] = max(table, found.get(one.bot, 0))
        return found


def _field(
    situation: Situation,
    pool: Pool,
    tables: Sequence[SeatedTable],
    *,
    under_way: Mapping[tuple[int, int], int],
    busy: Mapping[str, int],
    without: Collection[int],
) -> Candidates:
    """Return a pool and the bots that play in it.

    Args:
        situation: the ladder as it is.
        pool: an open one.
        tables: the last ones of all pools, the newest last.
        under_way: by pool and entrant, how many blocks it is playing.
        busy: by author, as `_busy` has it.
        without: entrants that are left out.
    """
    roster = situation.roster
    paused = roster.why_paused(pool.pool)
    if paused is None and roster.is_sealed and situation.draw is None:
        paused = "no epoch is under way" if roster.drawing is None else "its secret is not here"
    known = roster.seated(pool.pool) if paused is None else ()
    playing = [one for one in known if one.entrant not in without]
    own = [table.entrants for table in tables if table.pool == pool.pool]
    turns = _Turns(situation.roster, own, pool.places)
    ahead, last = turns.ahead({one.author for one in playing}), turns.last()
    candidates = []
    for one in playing:
        at = (pool.pool, one.entrant)
        standing = situation.standings.get(at) or EntrantTotals()
        candidates.append(
            Candidate(
                entrant=one.entrant,
                bot=one.bot,
                author=one.author,
                partners=one.partners,
                skill=standing.skill,
                blocks=standing.blocks + under_way.get(at, 0),
                ahead=ahead[one.author],
                last=last.get(one.bot, 0),
                busy=busy.get(one.author, 0),
            )
        )
    since = (at for at, table in enumerate(reversed(tables)) if table.pool == pool.pool)
    return Candidates(
        pool=pool.pool,
        places=pool.places,
        sides=pool.sides,
        candidates=tuple(candidates),
        paused=paused,
        name=pool.name,
        blocks=pool.blocks,
        since=next(since, len(tables)) + 1,
    )

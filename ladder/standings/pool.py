"""The standings of a pool: all blocks of all versions fitted at once, those who play shown. Pure.

What counts and how it is fitted is the same as in an event, by the same functions. A deck is dealt
in one match only, so that every match is a unit of its own. Nothing depends on the order in which
matches were stored or bots were taken in.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct

from ladder.core.block_codec import Results
from ladder.core.facts import Pool
from ladder.core.roster import Roster
from ladder.core.tallies import FaultKind
from ladder.standings.rows import BotUsage, MeanValues, mean_values, rows
from ladder.standings.section import FAULTS_SHOWN, cells
from ladder.standings.table import Row, Standings, Time
from ladder.stats.arrays import Flags, Floats, Ints, distinct
from ladder.stats.estimates import rounded
from ladder.stats.means import cross
from ladder.stats.observations import Observed, against, lineups
from ladder.stats.places import Ranking, rank
from ladder.terms import LuckUse
from referee.match.clock import time_text
from referee.match.terms import unusual_options
from referee.text import plural


class Entrant(Struct, frozen=True, kw_only=True):
    """A version of a bot, as its pool knows it.

    Attributes:
        entrant: its number.
        active: whether it plays; the others are shown only where everybody is.
        benched: why it plays no more in this pool; "" if it may.
    """

    entrant: int
    name: str
    author: str
    version: int
    active: bool
    benched: str = ""


def entrants_of(roster: Roster, pool: Pool, found: Results) -> list[Entrant]:
    """Return the versions that a pool's table knows: who has played, and who is to play there."""
    played, is_open = set(distinct(found.seated).tolist()), pool in roster.open_pools
    return [
        Entrant(
            entrant=one.entrant,
            name=one.name,
            author=one.author,
            version=one.version,
            active=roster.is_current(one.entrant),
            benched=roster.benched.get((pool.pool, one.entrant), ""),
        )
        for one in roster.entrants.values()
        if one.entrant in played or (is_open and roster.is_meant(pool.pool, one.entrant))
    ]


def pool_standings(
    pool: Pool,
    entrants: Sequence[Entrant],
    found: Results,
    faults: Sequence[FaultKind[int]] = (),
    *,
    everybody: bool = False,
    left: int = 0,
) -> Standings:
    """Adds up a pool.

    Args:
        pool: the game and how it is played.
        entrants: all that have a result, and all that are to be shown.
        found: the blocks.
        faults: those that are known one by one, in any order.
        everybody: whether those are shown too that do not play; else they only count in the fit,
            and places are those among the others.
        left: how many old versions are left out, with their matches.

    Raises:
        ValueError: there is a result of one who is no entrant.
    """
    every = sorted(entrants, key=lambda one: one.entrant)
    bots, adjusted = len(every), pool.luck is LuckUse.OFFICIAL
    who = numbers([one.entrant for one in every], found.seated)
    seen = (observed(pool, found, who),) if len(found.block) else ()
    compared = cross(seen, bots, adjusted=adjusted)
    ranking = rank(
        seen,
        bots,
        compared.points.tolist(),
        adjusted=adjusted,
        among=[at for at, one in enumerate(every) if one.active or everybody],
    )
    average = mean_values(seen, bots)
    played = _accounts(found, who, every, faults)
    shown = [every[at] for at in ranking.order]
    called = {one.entrant: name for one, name in zip(shown, shown_names(shown), strict=True)}
    return Standings(
        title=pool.label,
        game=pool.terms.game,
        options=" ".join(unusual_options(pool.terms.game, pool.terms.options)),
        format=_played(pool),
        finished=True,
        by_adjusted=adjusted,
        by_format=False,
        two_sided=all(part.two_sided for part in seen),
        rows=_rows(every, called, ranking, average=average, points=compared.points, played=played),
        cross=cells(compared, ranking.order),
        better=ranking.better,
        gain=average.overall,
        rounds=(),
        blocks=len(found.block),
        parts=sum(len(distinct(part.life)) for part in seen),
        unlinked=tuple(
            tuple(called[every[at].entrant] for at in group) for group in ranking.unlinked
        ),
        misfit=ranking.misfit,
        unordered=ranking.unordered,
        deals=len(found.block) * pool.seatings,
        faults=_fault_lines(faults, called),
        missing=(),
        champion="",
        wall_us=int(found.wall_us.sum()),
        matches=len(found.seated),
        left=left,
    )


def _rows(
    every: Sequence[Entrant],
    called: Mapping[int, str],
    ranking: Ranking,
    *,
    average: MeanValues,
    points: Floats,
    played: Sequence[BotUsage],
) -> tuple[Row, ...]:
    """The rows of those who are ranked, by place."""
    return rows(
        [called.get(one.entrant, one.name) for one in every],
        {at: one.benched for at, one in enumerate(every) if one.benched},
        ranking,
        found=average,
        points=points,
        match_points=(),
        played=played,
        versions=[(one.entrant, one.author, one.version) for one in every],
    )


def shown_names(shown: Sequence[Entrant]) -> list[str]:
    """What entrants are called where they stand together: no two alike.

    A bot has its author's name behind it where another author's has the same name, and a version
    its number where there is another one.
    """
    authors, versions = defaultdict(set), Counter((one.name, one.author) for one in shown)
    for one in shown:
        authors[one.name].add(one.author)
    return [
        one.name
        + (f" ({one.author})" if len(authors[one.name]) > 1 else "")
        + (f" v{one.version}" if versions[one.name, one.author] > 1 else "")
        for one in shown
    ]


def numbers(entrants: Sequence[int], seated: Ints) -> Ints:
    """Where each entrant is among all, by number; -1 is not.

    Raises:
        ValueError: one sat at a table who is not among them.
    """
    most = max([int(seated.max(initial=0)), *entrants])
    who = np.full(most + 1, -1)
    who[list(entrants)] = np.arange(len(entrants))
    unknown = distinct(seated[who[seated] < 0]).tolist()
    if unknown:
        raise ValueError(f"results of entrants that are not there: {unknown}")
    return who


def observed(pool: Pool, found: Results, who: Ints) -> Observed:
    """The blocks as the statistics of events want them."""
    sat = who[found.seated]
    at_fault = (found.faults > 0) | (found.unplayed > 0)
    opposed, two_sided = against(pool.places, pool.sides)
    return Observed(
        bots=sat[found.match],
        lineup=lineups(sat, len(who))[found.match],
        block=found.block,
        life=found.match,
        begun=np.zeros(len(found.block), np.int64),
        deals=np.full(len(found.block), pool.seatings),
        values=found.values,
        luck=found.luck,
        lucky=found.lucky,
        at_fault=at_fault,
        met=found.met,
        known=found.known,
        opposed=opposed,
        two_sided=two_sided,
    )


def _accounts(
    found: Results, who: Ints, every: Sequence[Entrant], faults: Sequence[FaultKind[int]]
) -> tuple[BotUsage, ...]:
    """By entrant, over all matches, finished or given up."""
    seats, bots = found.seated.shape[1], len(every)
    sat = who[found.seated]
    in_block = sat[found.match]
    faulty = (found.faults > 0) | (found.unplayed > 0)

    def added(where: Ints, what: Ints | Flags) -> list[int]:
        sums = np.bincount(where.ravel(), what.ravel(), bots)
        return [int(each) for each in sums.tolist()]

    codes: dict[int, Counter[str]] = defaultdict(Counter)
    for one in faults:
        codes[one.bot][str(one.code)] += one.times
    all_faults, unplayed = added(sat, found.all_faults), added(in_block, found.unplayed)
    charged, seated = added(in_block, faulty), added(in_block, np.ones_like(in_block))
    voids, used_us = added(sat, found.voids), added(sat, found.used_us)
    acts = added(sat, np.broadcast_to(found.acts[:, None], sat.shape))
    return tuple(
        BotUsage(
            faults=all_faults[at],
            codes=tuple(sorted(codes[one.entrant].items())),
            unplayed=unplayed[at],
            faulty=charged[at],
            seated=seated[at],
            voids=voids[at],
            time=Time(used_us[at], rounded(acts[at] / seats, 3)),
        )
        for at, one in enumerate(every)
    )


def _fault_lines(
    faults: Sequence[FaultKind[int]], called: dict[int, str]
) -> tuple[FaultKind[str], ...]:
    """The kinds of faults of those who are shown, the most frequent first."""
    shown = (one for one in faults if one.bot in called)
    first = sorted(shown, key=lambda one: (-one.times, one.bot, one.code, one.detail))
    return tuple(
        FaultKind(called[one.bot], one.code, one.detail, one.times, one.first)
        for one in first[:FAULTS_SHOWN]
    )


def _played(pool: Pool) -> str:
    """How the pool is played, in a line."""
    deals = f"{plural(pool.seatings, 'deal')} a block"
    terms, clock = pool.terms, time_text(pool.terms.time)
    clock = f"time {clock}" if clock else ""
    pace = f"pace {terms.pace_ms} ms" if terms.pace_ms else ""
    return ", ".join(text for text in (deals, clock, pace) if text)

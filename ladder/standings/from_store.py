"""What a ladder publishes of a pool: its table and histories, out of the store."""

from itertools import islice
from typing import Final

from msgspec.structs import replace

from ladder.core.facts import Pool
from ladder.standings import cache
from ladder.standings.history import History, Step, history
from ladder.standings.table import Standings
from ladder.store.store import Store

DRAWN: Final = 12
"""So many bots have their rating over time on a page."""

LEFT_AFTER_DAYS: Final = 180
"""A version that plays no more is out of the fit when its last match was so long ago."""

_DAY_MS: Final = 24 * 60 * 60 * 1000


def standings_of(store: Store, pool: Pool, *, everybody: bool = False) -> Standings:
    """Return the published table of a pool; computed from the facts, if there are new ones.

    With it goes what the last proof has found of favours.

    Args:
        store: the ladder.
        pool: one of its pools, open or closed.
        everybody: whether older versions and retired bots have rows, too, and count however long
            ago they played; else the matches of those that left the fit do not count.

    Raises:
        RefereeError: rows of the store are damaged.
    """
    head = store.head().hash
    found = cache.read(store.files, head, pool.pool, everybody=everybody)
    if found is None:
        found = computed(store, pool, everybody=everybody)
        if store.head().hash == head:
            cache.write(store.files, head, pool.pool, found, everybody=everybody)
    return replace(found, favours=cache.read_favours(store.files, pool.pool))


def computed(store: Store, pool: Pool, *, everybody: bool = False) -> Standings:
    """Compute the published table of a pool from the facts; for arguments see `standings_of`."""
    # the fit, with its libraries, takes longer to import than all that a kept table needs
    from ladder.standings.pool import entrants_of, pool_standings  # noqa: PLC0415  # see above

    results = store.results(pool.pool)
    roster = store.refresh()
    left: frozenset[int] = frozenset()
    if not everybody:
        # by the time of the last fact: the same facts have the same table on every day
        idle = store.idle_since(pool.pool, store.head().at_ms - LEFT_AFTER_DAYS * _DAY_MS)
        left = frozenset(one for one in idle if not roster.is_current(one))
    results = results.without(left)
    faults = store.faults(pool.pool, left)
    entrants = entrants_of(roster, pool, results)
    return pool_standings(pool, entrants, results, faults, everybody=everybody, left=len(left))


def histories_of(store: Store, pool: Pool, found: Standings) -> list[History]:
    """The ratings of the best bots of a pool's table over time, at most `DRAWN`."""
    roster = store.roster
    bots = dict.fromkeys(roster.entrants[row.bot].bot for row in found.rows)  # versions are one bot
    return [history_of(store, pool, bot) for bot in islice(bots, DRAWN)]


def history_of(store: Store, pool: Pool, bot: int) -> History:
    """The rating of a bot in a pool over time, of all its versions."""
    roster = store.roster
    versions = {one.entrant: one.version for one in roster.versions(bot)}
    steps = [
        Step(one.match, one.at_ms, versions[one.entrant], one.mu, one.sigma)
        for one in store.steps(versions)
        if one.pool == pool.pool
    ]
    sides = len(pool.partners)
    return history(pool.label, roster.labels()[bot], steps, sides=sides)

"""What a ladder publishes of a pool: its table and histories, out of the store. Writes nothing."""

from itertools import islice
from typing import Final

from ladder.facts import Pool
from ladder.history import History, Step, history
from ladder.numbering import distinct
from ladder.pool_standings import Entrant, Faults, pool_standings
from ladder.scoreboard import Standings
from ladder.store.store import Store

DRAWN: Final = 12
"""So many bots have their rating over time on a page."""


def standings_of(store: Store, pool: Pool, *, everybody: bool = False) -> Standings:
    """The published table of a pool, computed from the facts.

    Args:
        store: the ladder.
        pool: one of its pools, open or closed.
        everybody: whether older versions and retired bots have rows, too.

    Raises:
        RefereeError: rows of the store are damaged.
    """
    results = store.results(pool.pool)
    roster = store.refresh()
    played = set(distinct(results.seated).tolist())
    faults = [
        Faults(one.entrant, str(one.code), one.detail, one.times)
        for one in store.verdicts(pool.pool)
    ]
    entrants = [
        Entrant(
            entrant=one.entrant,
            name=one.name,
            author=one.author,
            version=one.version,
            active=roster.is_current(one.entrant),
            benched=roster.benched.get((pool.pool, one.entrant), ""),
        )
        for one in roster.entrants.values()
        if one.entrant in played or roster.is_meant(pool.pool, one.entrant)
    ]
    return pool_standings(pool, entrants, results, faults, everybody=everybody)


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
    return history(pool.name, roster.labels()[bot], steps, sides=sides)

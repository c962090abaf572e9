"""Who goes up and who goes down at the end of a season, as the facts of a ladder have it. Pure.

Up goes who is certainly among the first of its division, down who is certainly among the last
(`ladder.stats.promotion`). Where a division has fewer bots than it has room for then, the best of
the next one by its table fill it: they take no other bot's place.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from ladder.core.block_codec import Results
from ladder.core.facts import Decision, Deed, Fact, Pool
from ladder.core.roster import Roster
from ladder.standings.pool import entrants_of, numbers, observed, pool_standings
from ladder.stats.arrays import distinct
from ladder.stats.promotion import certainly_ahead, movers
from referee.games import find
from referee.rules.game import best_value

ResultsOf = Callable[[Pool], Results]


class _Ended(Struct):
    """A division at the end of a season; entrants, by their numbers.

    Attributes:
        ranked: those that stay and have played, the best by the table first.
        others: those that stay and have not.
        up: those that are certainly among the first.
        down: those that are certainly among the last.
    """

    ranked: list[int]
    others: list[int]
    up: list[int]
    down: list[int]


def season_facts(
    roster: Roster, pools: Sequence[Pool], name: str, results: ResultsOf, now_ms: int
) -> list[Fact]:
    """Return the facts that end a season of some games and begin the next.

    Args:
        roster: who there is.
        pools: the games, with all divisions of each; they are open.
        name: what people call the next season.
        results: of a pool, up to now.
        now_ms: the time.
    """
    after = max(roster.pools) + 1
    begun = [
        replace(pool, pool=number, season=name, at_ms=now_ms)
        for number, pool in enumerate(pools, after)
    ]
    return [*placements(roster, pools, results, now_ms), *begun]


def placements(
    roster: Roster, pools: Sequence[Pool], results: ResultsOf, now_ms: int
) -> list[Decision]:
    """Return which bots go to which division; for arguments see `season_facts`."""
    found = []
    for league in sorted({pool.league for pool in pools if pool.league}):
        own = [pool for pool in pools if pool.league == league]
        divisions = sorted(own, key=lambda pool: pool.division)
        for entrant, to, why in _moves(
            divisions, [_ended(roster, own, results) for own in divisions]
        ):
            found.append(
                Decision(
                    deed=Deed.PLACED,
                    entrant=roster.entrants[entrant].bot,
                    pool=divisions[to].pool,
                    reason=why,
                    at_ms=now_ms,
                )
            )
    return found


def _moves(divisions: Sequence[Pool], ended: Sequence[_Ended]) -> list[tuple[int, int, str]]:
    """Return who goes to which division, counted from 0, the highest first; and why, in words."""
    found = []
    for at, (upper, lower) in enumerate(pairwise(ended)):
        comes = lower.up + (ended[at - 1].down if at else [])
        room = divisions[at].size - len(upper.ranked) - len(upper.others) - len(comes)
        fill, lower.ranked = lower.ranked[: max(room, 0)], lower.ranked[max(room, 0) :]
        found += [(one, at, "up, certainly among the first") for one in lower.up]
        found += [(one, at, "up, where there was room") for one in fill]
        found += [(one, at + 1, "down, certainly among the last") for one in upper.down]
    return found


def _ended(roster: Roster, pool: Pool, results: ResultsOf) -> _Ended:
    """Return how a division has ended; from the highest none goes up, from the lowest none down."""
    found = results(pool)
    entrants = entrants_of(roster, pool, found)
    table = pool_standings(pool, entrants, found)
    plays = {one.entrant for one in roster.playing(pool.pool)}
    played = set(distinct(found.seated).tolist())
    up, down = _certain(pool, sorted(plays & played), found)
    lowest = max(one.division for one in roster.open_pools if one.league == pool.league)
    up, down = up if pool.division > 1 else [], down if pool.division < lowest else []
    stay = [row.bot for row in table.rows if row.bot in plays and row.bot not in up + down]
    return _Ended(
        ranked=[one for one in stay if one in played],
        others=[one for one in stay if one not in played],
        up=up,
        down=down,
    )


def _certain(pool: Pool, bots: Sequence[int], found: Results) -> tuple[list[int], list[int]]:
    """Return who is certainly among the first of a division, and who among the last."""
    if not len(found.block):
        return [], []
    who = numbers(sorted({*bots, *distinct(found.seated).tolist()}), found.seated)
    seen = observed(pool, found, who)
    game = find(pool.terms.game).rules_of(pool.terms.options)[0].game
    worst = game.stakes.worst_value
    bound = -worst if seen.two_sided else best_value(game) - worst
    up, down = movers(certainly_ahead(seen, who[list(bots)].tolist(), bound), pool.moves)
    return [bots[at] for at in up], [bots[at] for at in down]

"""Decide after each match of a ladder which of its bots are benched. Pure."""

from collections.abc import Callable, Iterable, Mapping

from ladder.benching import Misconduct, reason, recent
from ladder.core.facts import Decision, Deed, Match
from ladder.core.roster import Roster
from ladder.core.tallies import EntrantTotals, StandingTable


def benchings(
    roster: Roster,
    match: Match,
    *,
    standings: Callable[[], StandingTable],
    last: Callable[[int], Iterable[Misconduct]],
) -> list[Decision]:
    """Who of a match plays no more in its pool.

    Args:
        roster: who there is.
        match: the last one that was counted.
        standings: of its pool, this match included; asked for where they matter.
        last: what an entrant's matches there count against it, this one first; some 4 times as
            many as bench a bot will do.
    """
    pool, outcome = roster.pools[match.job.pool], match.outcome
    suspects = [
        entrant
        for place, entrant in enumerate(match.job.entrants)
        if outcome.voids[place] or any(block.at_fault[place] for block in outcome.blocks)
    ]
    if not suspects or not pool.bench:
        return []
    counts = {entrant: _count(one) for (_, entrant), one in standings().items()}
    seated = {one.entrant for one in roster.seated(pool.pool)}
    found = []
    for entrant in suspects:
        own = recent(last(entrant), pool.bench)
        why = reason(own, _others(counts, entrant), pool.bench, last=True)
        if why is not None and entrant in seated:
            found.append(
                Decision(
                    deed=Deed.BENCHED,
                    entrant=entrant,
                    pool=pool.pool,
                    reason=why,
                    at_ms=match.at_ms,
                )
            )
    return found


def _count(one: EntrantTotals) -> Misconduct:
    return Misconduct(one.blocks, one.faulty, one.deals, one.voids)


def _others(counts: Mapping[int, Misconduct], entrant: int) -> list[Misconduct]:
    return [count for other, count in counts.items() if other != entrant]

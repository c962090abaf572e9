"""How long a machine may have a match before it must be one that hangs. Pure.

A bot's clock bounds its acts, and a game how many there are: what they come to is more than matches
take, and still has an end.
"""

from functools import lru_cache
from typing import Final

from referee.games import find
from referee.match.seating import Seating, holders, legs
from referee.match.verdict import FAULTS_BEFORE_BENCH
from referee.workers.jobs import Job

_TIMES: Final = 4
"""So many times what clocks allow: a bot that others keep from the processor is waited for, and a
deal that is void is dealt again."""

_A_BOT_S: Final = 600
"""So long a bot may take to travel and to be built."""

_KEPT: Final = 256
"""Sizes of matches that are kept at hand: an event has few."""


def clocks_s(job: Job) -> float:
    """Return how long a match may take by the clocks of its bots, their starts included.

    Raises:
        RefereeError: there is no such match.
    """
    terms, time = job.terms, job.terms.time
    options = tuple(sorted(terms.options.items()))
    acts, seats, in_turn = _size(terms.game, options, terms.seating, len(job.bots))
    starts = seats * (in_turn + FAULTS_BEFORE_BENCH - 1)  # again after each fault but the last
    act_ms = time.move_ms + time.soft_ms + time.inc_ms + terms.pace_ms
    deal_ms = acts * act_ms + seats * time.bank_ms
    return (starts * time.start_ms + in_turn * job.blocks * deal_ms) / 1000


def patience_s(job: Job) -> float:
    """Return how long a machine may have a match that it plays at once.

    Raises:
        RefereeError: there is no such match.
    """
    return _TIMES * clocks_s(job) + _A_BOT_S * len(job.bots)


@lru_cache(maxsize=_KEPT)
def _size(
    game: str, options: tuple[tuple[str, str], ...], seating: Seating, bots: int
) -> tuple[int, int, int]:
    """Return how many acts a deal has at most, how many seats, and how many legs a match has."""
    rules, _ = find(game).rules_of(dict(options))
    seats, partners = rules.game.seats, rules.game.partners
    held = holders(bots, seats, partners, game)
    return rules.game.max_acts, seats, len(legs(seating, held, partners))

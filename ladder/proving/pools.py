"""Whether the pools of a ladder are of games as this referee has them. Pure."""

from collections.abc import Iterator

from ladder.facts import Pool
from ladder.pool_file import seatings_of
from referee.config import read_options
from referee.errors import RefereeError
from referee.games import find
from referee.variants import REVISION


def misfits(pool: Pool) -> Iterator[str]:
    """What is wrong with a pool, in words."""
    try:
        yield from _misfits(pool)
    except RefereeError as error:
        yield str(error)


def _misfits(pool: Pool) -> Iterator[str]:
    variant = find(pool.game)
    chosen = read_options(pool.options)
    if len(variant.seats) > 1:
        chosen = {"seats": str(pool.seats), **chosen}
    rules, named = variant.rules_of(chosen, pool.rules.revision)
    if named.revision == REVISION and named != pool.rules:  # of older ones nobody has the digest
        yield f"its rules have the digest {pool.rules.digest[:16]}, and here {named.digest[:16]}"
    if (rules.game.seats, rules.game.partners) != (pool.seats, pool.partners):
        yield f"its game has {rules.game.seats} seats, or other sides"
    seatings = seatings_of(pool)
    if seatings != pool.seatings:
        yield f"each deck is played in {pool.seatings} seatings, and here in {seatings}"

"""Whether the pools of a ladder are of games as this referee has them. Pure."""

from ladder.core.facts import Pool
from ladder.game_files.game_table import seatings_of
from referee.errors import RefereeError
from referee.games import find
from referee.rules.variants import MatchRules


def rules_of(pool: Pool) -> MatchRules:
    """Return the rules of a pool.

    Raises:
        RefereeError: there is no such game or option here, or they are not what the pool says.
    """
    terms = pool.terms
    rules, named = find(terms.game).rules_of(terms.options)
    if named.revision != pool.rules.revision:
        raise RefereeError(
            f"its rules have revision {pool.rules.revision}, and here {named.revision}"
        )
    if named != pool.rules:
        raise RefereeError(
            f"its rules have the digest {pool.rules.digest[:16]}, and here {named.digest[:16]}"
        )
    if (rules.game.seats, rules.game.partners) != (pool.seats, pool.partners):
        raise RefereeError(f"its game has {rules.game.seats} seats, or other sides")
    if dict(rules.options) != terms.options:
        raise RefereeError("it does not say all options of its game")
    return rules


def pool_misfit(pool: Pool) -> str | None:
    """What is wrong with a pool, in words; None if nothing is."""
    try:
        rules_of(pool)
        seatings = seatings_of(pool.terms, pool.places, pool.blocks)
    except RefereeError as error:
        return str(error)
    if seatings != pool.seatings:
        return f"each deck is played in {pool.seatings} seatings, and here in {seatings}"
    return None

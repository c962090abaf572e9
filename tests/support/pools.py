"""Pools for tests: a game of a ladder, as quick as can be."""

from typing import Any, TypeVar

from msgspec.structs import replace

from ladder.core.facts import Match, Pool
from ladder.event.log_lines import MatchLine
from ladder.terms import LuckUse
from referee.games import find
from referee.match.seating import Seating, holders, legs
from support.terms import OF_TERMS, terms_of

T = TypeVar("T", Match, MatchLine)


def brought(match: T, **changes: Any) -> T:  # of fields of any type
    """A match that brought something else."""
    return replace(match, outcome=replace(match.outcome, **changes))


def pool_of(game: str = "briscola-2", places: int | None = None, **more: Any) -> Pool:
    """A pool of a game, a block a match, without pace or luck; nobody is ever benched.

    Args:
        game: its id.
        places: how many bots sit at a table, one a seat if nothing is said.
        more: other fields of `Pool`, or what `terms_of` takes.
    """
    said = {name: more.pop(name) for name in OF_TERMS if name in more}
    terms = terms_of(game, **{"seating": Seating.ROTATE, "time": "start=10s,move=2s", **said})
    rules, name = find(game).rules_of(terms.options)
    seats, partners = rules.game.seats, rules.game.partners
    places = places or seats
    usual: dict[str, Any] = {
        "pool": 1,
        "name": game,
        "terms": terms,
        "rules": name,
        "seats": seats,
        "partners": partners,
        "places": places,
        "seatings": len(legs(terms.seating, holders(places, seats, partners, game), partners)),
        "blocks": 1,
        "luck": LuckUse.OFF,
        "luck_values": "",
        "bench": 0,
        "at_ms": 0,
    }
    return Pool(**{**usual, **more})

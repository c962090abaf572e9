"""Pools for tests: a game of a ladder, as quick as can be."""

from typing import Any

from ladder.core.facts import Pool
from ladder.terms import LuckUse
from referee.games import find
from referee.match.plan import read_options
from referee.match.seating import Seating, holders, legs
from referee.match.verdict import Freeze


def pool_of(game: str = "briscola-2", places: int | None = None, **more: Any) -> Pool:
    """A pool of a game, a block a match, without pace or luck; nobody is ever benched.

    Args:
        game: its id.
        places: how many bots sit at a table, one a seat if nothing is said.
        more: other fields of `Pool`; `options` and `seating` are seen by those that follow from it.
    """
    rules, name = find(game).rules_of(read_options(more.get("options", ())))
    seats, partners = rules.game.seats, rules.game.partners
    places = places or seats
    seating = more.get("seating", Seating.ROTATE)
    usual: dict[str, Any] = {
        "pool": 1,
        "name": game,
        "game": game,
        "options": (),
        "rules": name,
        "seats": seats,
        "partners": partners,
        "places": places,
        "seating": seating,
        "seatings": len(legs(seating, holders(places, seats, partners, game), partners)),
        "time": "start=10s,move=2s",
        "pace": 0,
        "blocks": 1,
        "on_fault": None,
        "freeze": Freeze.AUTO,
        "luck": LuckUse.OFF,
        "luck_values": "",
        "bench": 0,
        "at_ms": 0,
    }
    return Pool(**{**usual, **more})

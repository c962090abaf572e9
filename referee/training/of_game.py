"""The encoding of a game: which parts its observations have, and how large each can be. Pure."""

from collections.abc import Mapping
from functools import lru_cache

from referee.games import find
from referee.rules.game import Game
from referee.rules.variants import MatchRules
from referee.training.encoding import PHASES, SIGNALS, SUITS, Encoding, Field

_BYTE = 255


def rules_of(game: str, options: Mapping[str, str] | None = None) -> MatchRules:
    """Return the rules of a game.

    Raises:
        RefereeError: there is no such game or option, or the options do not go together.
    """
    return find(game).rules_of(dict(options or {}))[0]


def encoding_of(game: str, options: Mapping[str, str] | None = None) -> Encoding:
    """Return how the views of a game become numbers.

    Raises:
        RefereeError: as `rules_of`.
    """
    rules = rules_of(game, options)
    return _made(game, tuple(sorted(rules.options.items())))


@lru_cache(maxsize=64)
def _made(game: str, options: tuple[tuple[str, str], ...]) -> Encoding:
    rules = rules_of(game, dict(options))
    return Encoding(
        {
            "game": game,
            "options": rules.options,
            "seats": rules.game.seats,
            "cards": tuple(dict.fromkeys(rules.game.pack)),
            "actions": rules.game.actions,
            "fields": _fields(rules.game),
        }
    )


def _fields(game: Game[object]) -> list[Field]:
    """Return the parts of an observation; what a game cannot have is not there."""
    seats, cards, actions = game.seats, len(set(game.pack)), game.actions
    copies, first = len(game.pack) // cards, {action.split()[0] for action in actions}
    opening = game.opening(0, 0)
    auction = "pass" in first
    bids = sum(action.split()[0] in ("pass", "bid", "force") for action in actions)
    parts: list[tuple[bool, Field]] = [
        (True, ("hand", cards, copies)),
        (True, ("table", seats * cards, copies)),
        ("blind" in first, ("covered", seats, 1)),
        (True, ("played", seats * cards, copies)),
        (True, ("trump", len(SUITS), 1)),
        (True, ("leader", seats, 1)),
        (True, ("dealer", seats, 1)),
        (True, ("points", seats, _BYTE)),
        (True, ("tricks", 1, len(game.pack) // seats)),
        (opening.talon > 0, ("talon", 1, len(game.pack))),
        (not auction, ("turn_up", cards, 1)),
        (not auction, ("known", seats * cards, copies)),
        (not auction, ("next_card", cards, 1)),
        (not auction, ("removed", cards, 1)),
        ("exchange" in first, ("exchanges", seats, 4)),
        ("marry" in first, ("marriages", seats * len(SUITS), 1)),
        ("signal" in first, ("signals", seats * len(SIGNALS), len(game.pack) // seats)),
        (auction, ("phase", len(PHASES), 1)),
        (auction, ("bids", seats * bids, 1)),
        (auction, ("caller", seats, 1)),
        (auction, ("pledge", 1, _BYTE)),
        (auction, ("called", cards, 1)),
    ]
    return [field for there, field in parts if there]

"""The names that programs of others may import: they change only as semantic versioning says.

From version 0.2 on, what stands in `__all__` here and in the modules of `referee.training` keeps
its name, its arguments and its meaning through all versions with the same first two numbers (the
same first number from 1.0 on). Everything else may change at any time.
"""

from protocol.events import Event
from protocol.messages import View
from referee.errors import RefereeError
from referee.games import catalogue, find
from referee.match.table import IllegalAction, Table
from referee.match.worlds import NoWorld, World, Worlds
from referee.rules.cards import Card, card, cards
from referee.rules.game import DealAccount, Game, Tally, Trick
from referee.rules.variants import MatchRules, Variant
from referee.rules.views import apply_events

__all__ = [
    "Card",
    "DealAccount",
    "Event",
    "Game",
    "IllegalAction",
    "MatchRules",
    "NoWorld",
    "RefereeError",
    "Table",
    "Tally",
    "Trick",
    "Variant",
    "View",
    "World",
    "Worlds",
    "apply_events",
    "card",
    "cards",
    "catalogue",
    "find",
]

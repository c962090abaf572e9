"""Variants and their options: a game id, what can be chosen, and how that becomes rules."""

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Rules
from referee.errors import RefereeError
from referee.rules.game import Game
from referee.rules.match_end import MatchEnd

Options = Mapping[str, str]

_KEPT: Final = 64
"""How many rules are kept at hand: a match asks for its own several times, a ladder for few."""

REVISION = 2
"""Of the rules as a whole; grows when the same variant is played differently.

1: plain games only. 2: exchanges, partners' views, signals and the black hand; briscola has the
deuce exchange and the partners' view on unless it is told otherwise.
"""


class Option(Struct, frozen=True):
    """One thing that can be chosen.

    Attributes:
        values: what it can be; an N stands for a whole number from 1 to 9999.
        default: None for "follows from the other options".
        source: where the choice comes from.
    """

    name: str
    values: tuple[str, ...]
    default: str | None
    meaning: str
    source: str

    def read(self, text: str) -> str:
        """Checks a value.

        Raises:
            RefereeError: naming the option and what it can be.
        """
        for value in self.values:
            if re.fullmatch(re.escape(value).replace("N", "[1-9][0-9]{0,3}"), text):
                return text
        can_be = ", ".join(self.values)
        if "N" in can_be:
            can_be += " (N is a whole number from 1 to 9999)"
        raise RefereeError(f"option {self.name}={text}: it can be {can_be}")


class PairGame(Struct, frozen=True):
    """The game of the two who are left after the third has dropped out, as `deal` names it."""

    id: str
    options: Options
    game: Game[Any]  # every game has a state type of its own


class Raise(Struct, frozen=True):
    """What the next deal is worth after a void one.

    Attributes:
        times: its game points count so many times.
        plus: so much is added to the score of whoever wins it, for each void deal before it.
    """

    times: int = 1
    plus: int = 0


class MatchRules(Struct, frozen=True):
    """The rules of a whole match.

    Attributes:
        options: what was chosen, with everything that followed from it filled in.
        data: everything that the rules are made of, as plain values; its digest names them.
        void_keeps_dealer: after a void deal the same dealer deals again.
        after_void: what a void deal makes the next one worth.
        pair: how two go on after the third has dropped out, where that can happen.
    """

    game: Game[Any]  # every game has a state type of its own
    ending: MatchEnd
    options: Options
    data: Mapping[str, Any]  # JSON values
    void_keeps_dealer: bool = False
    after_void: Raise = Raise()
    pair: PairGame | None = None


class Variant(Struct, frozen=True, eq=False):
    """A game as the catalogue knows it.

    Attributes:
        seats: how many can play; where that is more than one number, the option `seats` says.
        build: makes the rules from a full set of options.
        rules: what is played, as rows of (point, rule, source).
    """

    id: str
    title: str
    seats: tuple[int, ...]
    options: tuple[Option, ...]
    build: Callable[[Options], MatchRules]
    rules: tuple[tuple[str, str, str], ...]

    def choose(self, chosen: Options) -> dict[str, str]:
        """Fill in the defaults.

        Raises:
            RefereeError: an option that this variant does not have, or a value that it cannot be.
        """
        known = {option.name: option for option in self.options}
        for name in chosen:
            if name not in known:
                has = ", ".join(known) or "no options"
                raise RefereeError(f"{self.id} has no option {name!r}; it has {has}")
        full = {}
        for name, option in known.items():
            value = option.read(chosen[name]) if name in chosen else option.default
            if value is not None:
                full[name] = value
        return full

    def rules_of(self, chosen: Options) -> tuple[MatchRules, Rules]:
        """Return the rules for these options, and the name that messages and records give them.

        Raises:
            RefereeError: the options do not go together.
        """
        return _made(self, tuple(sorted(chosen.items())))


@lru_cache(maxsize=_KEPT)
def _made(variant: Variant, chosen: tuple[tuple[str, str], ...]) -> tuple[MatchRules, Rules]:
    made = variant.build(variant.choose(dict(chosen)))
    names = [option.name for option in variant.options if option.name in made.options]
    made = replace(made, options={name: made.options[name] for name in names})
    text = msgspec.json.encode(
        {"id": variant.id, "revision": REVISION, **made.data}, order="sorted"
    )
    return made, Rules(variant.id, REVISION, hashlib.sha256(text).hexdigest())

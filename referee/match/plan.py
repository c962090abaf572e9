"""What a person asked for, checked and turned into a plan before anything is played. Pure."""

from typing import Final

from msgspec import Struct

from protocol.messages import Rules, TimeControl
from referee.errors import RefereeError
from referee.games import find
from referee.match.chance import (
    BlockKey,
    block_key,
    event_key,
    first_dealer,
    leg_order,
)
from referee.match.clock import parse_time
from referee.match.leg import Block, LegPlan
from referee.match.leg_state import LegStatePlan
from referee.match.seating import Seating, holders, legs
from referee.match.verdict import Freeze, OnFault
from referee.rules.cards import Card, cards, check_deck
from referee.rules.game import Sides
from referee.rules.variants import MatchRules, Variant

Deck = tuple[Card, ...]

_MOST_DEALS: Final = 1_000_000
_LONGEST_PACE_MS: Final = 60_000


class MatchConfig(Struct, frozen=True, kw_only=True):
    """A match as it was asked for on the command line; texts are still unread.

    Attributes:
        dealer: who deals first in this match; None: follows from the key and from `first`.
        first: the index of the first block, where decks stand alone.
        key: what cards, ids and seeds come from.
        deck: decks given by hand, one a line; None: they follow from the key.
        deck_file: the file that they stand in, for errors.
    """

    game: str
    options: tuple[str, ...] = ()
    bots: int
    deals: int | None = None
    first: int = 0
    key: str
    deck: str | None = None
    deck_file: str = ""
    dealer: int | None = None
    seating: Seating = Seating.ONE
    time: str = ""
    on_fault: OnFault | None = None
    freeze: Freeze = Freeze.AUTO
    pace: int = 0


class MatchPlan(Struct, frozen=True):
    """A match as it will be played.

    Attributes:
        key: the text that the event key is made of; never in the record.
        decks: how many decks stand alone, or None for a match to the game's own end.
        given: the decks that were given by hand, if any.
        seatings: the bot at each place, leg by leg; the order follows from the key, so that no
            bot can tell by its place in which leg it is.
        freeze: when bots are stopped between their acts.
        pace_ms: how long after its act an answer is let through; 0 is at once.
        first: the index of the first deal's block.
    """

    game: str
    options: dict[str, str]
    name: Rules
    rules: MatchRules
    key: str
    decks: int | None
    given: tuple[Deck, ...]
    seating: Seating
    seatings: tuple[tuple[int, ...], ...]
    dealer: int
    control: TimeControl
    on_fault: OnFault | None
    freeze: Freeze
    pace_ms: int
    first: int = 0

    def leg(self, number: int) -> LegPlan:
        """The plan of one leg."""
        secret = event_key(self.key)

        def block(deal: int) -> Block:
            return block_key(secret, self.first + deal), self.given[deal] if self.given else None

        course = LegStatePlan(
            rules=self.rules,
            seating=self.seatings[number],
            decks=self.decks,
            dealer=self.dealer,
            on_fault=self.on_fault,
        )
        return LegPlan(
            game=self.game,
            name=self.name,
            options=self.options,
            course=course,
            control=self.control,
            block=block,
        )


def make_plan(asked: MatchConfig) -> MatchPlan:
    """Checks what was asked for.

    Raises:
        RefereeError: naming the first thing that is wrong, and what would be right.
    """
    variant = find(asked.game)
    rules, name = variant.rules_of(_with_seats(variant, read_options(asked.options), asked.bots))
    seats, partners = rules.game.seats, rules.game.partners
    held = holders(asked.bots, seats, partners, asked.game)
    given = _read_decks(asked.deck, asked.deck_file, rules.game.pack)
    key = asked.key
    if not key:
        raise RefereeError("key: it must not be empty")
    first = _first(asked)
    return MatchPlan(
        game=asked.game,
        options=dict(rules.options),
        name=name,
        rules=rules,
        key=key,
        decks=_count_decks(asked.deals, given),
        given=given,
        seating=asked.seating,
        seatings=leg_order(_seatings(asked, held, partners, given), _key_of(key, first)),
        dealer=_dealer(asked.dealer, seats, key, first),
        control=parse_time(asked.time),
        on_fault=asked.on_fault,
        freeze=asked.freeze,
        pace_ms=_pace(asked.pace),
        first=first,
    )


def _pace(milliseconds: int) -> int:
    if not 0 <= milliseconds <= _LONGEST_PACE_MS:
        raise RefereeError(f"pace {milliseconds}: from 0 to {_LONGEST_PACE_MS} milliseconds")
    return milliseconds


def _with_seats(variant: Variant, options: dict[str, str], bots: int) -> dict[str, str]:
    """As many seats as bots, where the game leaves that open and nobody said otherwise."""
    if len(variant.seats) == 1 or "seats" in options:
        return options
    if bots not in variant.seats:
        *some, last = map(str, variant.seats)
        raise RefereeError(f"{variant.id} wants {', '.join(some)} or {last} bots; got {bots}")
    return {"seats": str(bots), **options}


def read_options(texts: tuple[str, ...]) -> dict[str, str]:
    """Options from texts like NAME=VALUE.

    Raises:
        RefereeError: one is not written so, or says something else than another.
    """
    found: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name:
            raise RefereeError(f"option {text!r}: write it NAME=VALUE")
        if found.setdefault(name, value) != value:
            raise RefereeError(f"option {name} is given twice: {found[name]} and {value}")
    return found


def _read_decks(text: str | None, file: str, pack: Deck) -> tuple[Deck, ...]:
    """Return the decks of a text, one a line."""
    if text is None:
        return ()
    rows = text.splitlines()
    decks = []
    for number, row in enumerate(rows, 1):
        if not row.strip():
            continue
        try:
            deck = cards(row)
            check_deck(deck, pack)
        except RefereeError as error:
            where = f"deck file {file!r}, line {number}: " if len(rows) > 1 else ""
            raise RefereeError(f"{where}{error}") from error
        decks.append(deck)
    if not decks:
        raise RefereeError(f"deck {file or text!r}: there is no deck in it")
    return tuple(decks)


def _count_decks(deals: int | None, given: tuple[Deck, ...]) -> int | None:
    if deals is not None and deals < 1:
        raise RefereeError(f"deals={deals}: at least one")
    if deals is not None and deals > _MOST_DEALS:
        raise RefereeError(f"deals={deals}: at most {_MOST_DEALS}")
    if given and deals is not None and deals > len(given):
        decks = "deck" if len(given) == 1 else "decks"
        raise RefereeError(f"deals={deals}: there are only {len(given)} {decks}")
    return len(given) if given and deals is None else deals


def _seatings(
    asked: MatchConfig, held: Sides, partners: Sides, given: tuple[Deck, ...]
) -> tuple[tuple[int, ...], ...]:
    if asked.seating is not Seating.ONE and asked.deals is None and not given:
        raise RefereeError(f"seating {asked.seating}: it needs --deals, so that decks are counted")
    return legs(asked.seating, held, partners)


def _key_of(key: str, block: int) -> BlockKey:
    return block_key(event_key(key), block)


def _first(asked: MatchConfig) -> int:
    if asked.first < 0:
        raise RefereeError(f"first={asked.first}: blocks are counted from 0")
    if asked.first and asked.deals is None:
        raise RefereeError(f"first={asked.first}: it needs deals, so that each deal is a block")
    return asked.first


def _dealer(asked: int | None, seats: int, key: str, first: int) -> int:
    """Who deals first; not asked for, it is as if all blocks had been played one after another."""
    if asked is None:
        return (first_dealer(_key_of(key, 0), seats) + first) % seats
    if not 0 <= asked < seats:
        raise RefereeError(f"dealer {asked}: the seats are 0 to {seats - 1}")
    return asked

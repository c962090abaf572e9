"""What a person asked for, checked and turned into a plan before anything is played. Pure."""

from collections.abc import Callable, Mapping
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
from referee.match.leg_state import Block, LegPlan
from referee.match.seating import Seating, holders, legs
from referee.match.terms import Terms
from referee.rules.cards import Card, cards, check_deck
from referee.rules.game import Sides
from referee.rules.variants import MatchRules

Deck = tuple[Card, ...]

_MOST_DEALS: Final = 1_000_000
_LONGEST_PACE_MS: Final = 60_000


class MatchConfig(Struct, frozen=True, kw_only=True):
    """A match as it was asked for.

    Attributes:
        dealer: who deals first in this match; None: follows from the key and from `first`.
        first: the index of the first block, where decks stand alone.
        key: the text that cards, ids and seeds come from.
        deck: decks given by hand, one a line; None: they follow from the key.
        deck_file: the file that they stand in, for errors.
        benched: bots that play no more before the first card, as after their third fault.
        clocks: of the bots that have another one than the terms say, as people do.
    """

    terms: Terms
    bots: int
    deals: int | None = None
    first: int = 0
    key: str
    deck: str | None = None
    deck_file: str = ""
    dealer: int | None = None
    benched: tuple[int, ...] = ()
    clocks: Mapping[int, TimeControl] = {}


class MatchPlan(Struct, frozen=True):
    """A match as it will be played.

    Attributes:
        name: the name of the rules.
        key: the text that the event key is made of, never in the record; "" where that
            is all there is.
        bots: how many there are.
        decks: how many decks stand alone, or None for a match to the game's own end.
        given: whether the decks were given by hand instead of derived from the block keys.
        seatings: the bot at each place, leg by leg; the order follows from the key, so that no
            bot can tell by its place in which leg it is.
        dealer: the place that deals first in every leg.
        block: returns the block of the deal of a leg with this number, counted from 0.
        benched: bots that play no more before the first card, as after their third fault.
        clocks: of the bots that have another one than the terms say.
    """

    terms: Terms
    name: Rules
    rules: MatchRules
    key: str
    bots: int
    decks: int | None
    given: bool
    seatings: tuple[tuple[int, ...], ...]
    dealer: int
    block: Callable[[int], Block]
    benched: tuple[int, ...] = ()
    clocks: Mapping[int, TimeControl] = {}

    def leg(self, number: int) -> LegPlan:
        """Return the plan of one leg."""
        return LegPlan(
            number=number,
            terms=self.terms,
            name=self.name,
            rules=self.rules,
            seating=self.seatings[number],
            decks=self.decks,
            dealer=self.dealer,
            block=self.block,
            clocks=self.clocks,
        )


def make_plan(asked: MatchConfig) -> MatchPlan:
    """Checks what was asked for.

    Raises:
        RefereeError: naming the first thing that is wrong, and what would be right.
    """
    terms = asked.terms
    rules, name = find(terms.game).rules_of(terms.options)
    seats, partners = rules.game.seats, rules.game.partners
    held = holders(asked.bots, seats, partners, terms.game)
    given = _read_decks(asked.deck, asked.deck_file, rules.game.pack)
    if not asked.key:
        raise RefereeError("key: it must not be empty")
    decks = _count_decks(asked.deals, given)
    check_benched(asked.benched, asked.bots, decks)
    check_clocks(asked.clocks, asked.bots)
    secret, first = event_key(asked.key), _first(asked)
    if not 0 <= terms.pace_ms <= _LONGEST_PACE_MS:
        raise RefereeError(f"pace {terms.pace_ms}: from 0 to {_LONGEST_PACE_MS} milliseconds")

    def block(deal: int) -> Block:
        return block_key(secret, first + deal), given[deal] if given else None

    return MatchPlan(
        terms=terms,
        name=name,
        rules=rules,
        key=asked.key,
        bots=asked.bots,
        decks=decks,
        given=bool(given),
        seatings=leg_order(_seatings(asked, held, partners), block_key(secret, first)),
        dealer=_dealer(asked.dealer, seats, block_key(secret, 0), first),
        block=block,
        benched=asked.benched,
        clocks=asked.clocks,
    )


def check_benched(benched: tuple[int, ...], bots: int, decks: int | None) -> None:
    """Refuse what bots cannot be that play no more before the first card.

    Raises:
        RefereeError: they are not in order, not there, or decks do not stand alone.
    """
    if benched and (decks is None or benched != tuple(sorted({*benched} & {*range(bots)}))):
        raise RefereeError(f"the bots {list(benched)} cannot be benched before the first card")


def check_clocks(clocks: Mapping[int, TimeControl], bots: int) -> None:
    """Refuse clocks of bots that do not play.

    Raises:
        RefereeError: naming one.
    """
    for bot in clocks:
        if not 0 <= bot < bots:
            raise RefereeError(f"bot {bot} has a clock and does not play")


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


def _seatings(asked: MatchConfig, held: Sides, partners: Sides) -> tuple[tuple[int, ...], ...]:
    seating = asked.terms.seating
    if seating is not Seating.ONE and asked.deals is None and asked.deck is None:
        raise RefereeError(f"seating {seating}: it needs --deals, so that decks are counted")
    return legs(seating, held, partners)


def _first(asked: MatchConfig) -> int:
    if asked.first < 0:
        raise RefereeError(f"first={asked.first}: blocks are counted from 0")
    if asked.first and asked.deals is None:
        raise RefereeError(f"first={asked.first}: it needs deals, so that each deal is a block")
    return asked.first


def _dealer(asked: int | None, seats: int, key: BlockKey, first: int) -> int:
    """Return who deals first; not asked for, it is as if all blocks had been played in turn.

    Args:
        asked: the seat that was asked for.
        seats: how many there are.
        key: of the block with index 0.
        first: the index of the first block.
    """
    if asked is None:
        return (first_dealer(key, seats) + first) % seats
    if not 0 <= asked < seats:
        raise RefereeError(f"dealer {asked}: the seats are 0 to {seats - 1}")
    return asked

"""Where in the deck a deal takes its cards from, found out by dealing. Pure."""

from typing import Any

from msgspec import Struct

from protocol.events import HandDealt, TurnUp
from referee.match.chance import BlockKey, shuffled
from referee.rules.cards import Card
from referee.rules.game import Game


class DealtPlaces(Struct, frozen=True):
    """Where in the deck a deal takes its cards from: of each hand in its order, and the turn-up."""

    hands: tuple[tuple[int, ...], ...]
    turn_up: int | None


def dealt_places(
    game: Game[Any],  # every game has a state type of its own
    dealer: int,
    removed: tuple[Card, ...] = (),
) -> DealtPlaces:
    """Return where a deal takes its cards from.

    Cards are dealt until each place is certain: in two packs a card alone does not say which of
    both it is.

    Args:
        game: the rules of the deal.
        dealer: who deals.
        removed: the card that left the pack by chance, if one did; it lies at the bottom.
    """
    found: list[set[int]] | None = None
    probe, sizes, turned = 0, [0] * game.seats, False
    while found is None or any(len(places) > 1 for places in found):
        rest = tuple(card for card in game.pack if card not in removed)
        deck = (*shuffled(rest, BlockKey(f"probe {probe}")), *removed)
        _, shown = game.deal(deck, dealer)
        cards: list[str] = []
        for seat in range(game.seats):
            hand = next(event.cards for event in shown[seat] if isinstance(event, HandDealt))
            sizes[seat] = len(hand)
            cards += hand
        turn_up = [event.card for event in shown[dealer] if isinstance(event, TurnUp)]
        turned = bool(turn_up)
        seen = [{at for at, one in enumerate(deck) if one == card} for card in cards + turn_up]
        found = seen if found is None else [a & b for a, b in zip(found, seen, strict=True)]
        probe += 1
    places = [place for (place,) in map(tuple, found)]
    hands, at = [], 0
    for size in sizes:
        hands.append(tuple(places[at : at + size]))
        at += size
    return DealtPlaces(tuple(hands), places[-1] if turned else None)

"""What a seat knows, added up from the events that it was shown. Pure; the same for every game.

There is no other way into a view: it cannot leak what no event told.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from protocol.events import (
    Bade,
    Called,
    Declared,
    Drew,
    Event,
    Exchanged,
    HandDealt,
    HandShown,
    Married,
    NextCard,
    PhaseBegan,
    Played,
    Removed,
    Signalled,
    TrickWon,
    TurnUp,
    Uncovered,
)
from protocol.messages import View
from referee.rules.tricks import without


def apply_events(view: View, events: Iterable[Event]) -> None:
    """Adds to what a seat knows that it was shown `events`."""
    for event in events:
        if type(event) is Played:
            view.trick.append(event.card)
            if event.seat == view.seat:
                view.hand.remove(event.card)
            elif view.known and event.card in view.known[event.seat]:
                _lose(view, event.seat, event.card)
        elif type(event) is TrickWon:
            view.leaders.append(view.leader)
            view.tricks.append(view.trick)
            view.trick = []
            view.leader = event.winner
            view.points[event.winner] += event.points
        elif type(event) is Drew:
            view.talon -= 1
            if not view.talon:
                view.next_card = None
            if event.card is not None:
                if event.seat == view.seat:
                    view.hand.append(event.card)
                else:
                    _gain(view, event.seat, (event.card,))
        else:
            _CHANGES[type(event)](view, event)


def _gain(view: View, seat: int, cards: Iterable[str]) -> None:
    """Adds cards to those that are known to be in a hand."""
    before = view.known or ((),) * len(view.points)
    view.known = (*before[:seat], (*before[seat], *cards), *before[seat + 1 :])


def _lose(view: View, seat: int, card: str) -> None:
    """Takes a card from those that are known to be in a hand; knowing none is the empty tuple."""
    known = view.known
    after = (*known[:seat], without(known[seat], card), *known[seat + 1 :])
    view.known = after if any(after) else ()


def _dealt(view: View, event: HandDealt) -> None:
    view.hand = list(event.cards)


def _removed(view: View, event: Removed) -> None:
    view.removed = (*view.removed, event.card)


def _turned_up(view: View, event: TurnUp) -> None:
    view.turn_up, view.trump = event.card, event.card[1]


def _next_card(view: View, event: NextCard) -> None:
    view.next_card = event.card


def _shown(view: View, event: HandShown) -> None:
    """Cards of a hand: they replace what was known of it."""
    before = view.known or ((),) * len(view.points)
    view.known = (*before[: event.seat], event.cards, *before[event.seat + 1 :])


def _exchanged(view: View, event: Exchanged) -> None:
    if event.seat == view.seat:
        view.hand.remove(event.gives)
        view.hand.append(event.takes)
    else:
        if view.known and event.gives in view.known[event.seat]:
            _lose(view, event.seat, event.gives)
        _gain(view, event.seat, (event.takes,))
    view.turn_up = event.gives
    view.exchanges = (*view.exchanges, (event.seat, event.gives, event.takes))


def _married(view: View, event: Married) -> None:
    if event.seat != view.seat:
        held = view.known[event.seat] if view.known else ()
        new = [rank + event.suit for rank in "KQ" if rank + event.suit not in held]
        if new:
            _gain(view, event.seat, new)
    view.marriages = (*view.marriages, (event.seat, event.suit))
    view.points[event.seat] += event.points


def _signalled(view: View, event: Signalled) -> None:
    view.signals = (*view.signals, (len(view.tricks), event.seat, event.signal))


def _declared(view: View, event: Declared) -> None:
    if event.seat != view.seat:
        held = view.known[event.seat] if view.known else ()
        _gain(view, event.seat, [card for card in event.cards if card not in held])


def _bade(view: View, event: Bade) -> None:
    view.auction = (*view.auction, (event.seat, event.action))


def _called(view: View, event: Called) -> None:
    view.caller, view.called, view.pledge = event.seat, event.cards, event.pledge
    view.leader = event.leader
    view.trump = event.cards[0][1] if event.cards else None


def _uncovered(view: View, event: Uncovered) -> None:
    view.trick[(event.seat - view.leader) % len(view.points)] = event.card


def _phase(view: View, event: PhaseBegan) -> None:
    view.phase = event.phase


_CHANGES: Final[Mapping[type[Event], Callable[[View, Any], None]]] = {
    HandDealt: _dealt,
    Removed: _removed,
    TurnUp: _turned_up,
    NextCard: _next_card,
    HandShown: _shown,
    Exchanged: _exchanged,
    Married: _married,
    Signalled: _signalled,
    Declared: _declared,
    Bade: _bade,
    Called: _called,
    Uncovered: _uncovered,
    PhaseBegan: _phase,
}

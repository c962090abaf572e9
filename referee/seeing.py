"""What a seat knows, added up from the events that it was shown. Pure; the same for every game.

There is no other way into a view: it cannot leak what no event told.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

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
from referee.tricks import added, without

Known = tuple[tuple[str, ...], ...]


def see(view: View, events: Iterable[Event]) -> View:
    """What a seat knows after it was shown `events`."""
    hand, trick, talon, me = view.hand, view.trick, view.talon, view.seat
    leader, leaders, tricks = view.leader, view.leaders, view.tricks
    points, known, rare = view.points, view.known, None
    todo = iter(events)
    for event in todo:
        if type(event) is Played:
            trick = (*trick, event.card)
            if event.seat == me:
                hand = without(hand, event.card)
            elif known and event.card in known[event.seat]:
                known = _less(known, event.seat, event.card)
        elif type(event) is TrickWon:
            leaders, tricks = (*leaders, leader), (*tricks, trick)
            leader, trick = event.winner, ()
            points = added(points, leader, event.points)
        elif type(event) is Drew:
            talon -= 1
            if event.card is not None:
                if event.seat == me:
                    hand = (*hand, event.card)
                else:
                    known = _more(known, event.seat, (event.card,), len(points))
        else:
            rare = event
            break
    seen = View(
        view.phase,
        me,
        view.dealer,
        hand,
        view.trump,
        view.turn_up,
        talon,
        leader,
        trick,
        points,
        leaders,
        tricks,
        known,
        view.next_card if talon else None,
        view.removed,
        view.exchanges,
        view.marriages,
        view.signals,
        view.auction,
        view.caller,
        view.pledge,
        view.called,
    )
    return seen if rare is None else see(_CHANGES[type(rare)](seen, rare), todo)


def _more(known: Known, seat: int, cards: Iterable[str], seats: int) -> Known:
    """Adds cards to those that are known to be in a hand."""
    before = known or ((),) * seats
    return (*before[:seat], (*before[seat], *cards), *before[seat + 1 :])


def _less(known: Known, seat: int, card: str) -> Known:
    """Takes a card from those that are known to be in a hand; knowing none is the empty tuple."""
    after = (*known[:seat], without(known[seat], card), *known[seat + 1 :])
    return after if any(after) else ()


def _dealt(view: View, event: HandDealt) -> View:
    return replace(view, hand=event.cards)


def _removed(view: View, event: Removed) -> View:
    return replace(view, removed=(*view.removed, event.card))


def _turned_up(view: View, event: TurnUp) -> View:
    return replace(view, turn_up=event.card, trump=event.card[1])


def _next_card(view: View, event: NextCard) -> View:
    return replace(view, next_card=event.card)


def _shown(view: View, event: HandShown) -> View:
    """Cards of a hand: they replace what was known of it."""
    before = view.known or ((),) * len(view.points)
    known = (*before[: event.seat], event.cards, *before[event.seat + 1 :])
    return replace(view, known=known)


def _exchanged(view: View, event: Exchanged) -> View:
    hand, known = view.hand, view.known
    if event.seat == view.seat:
        hand = (*without(hand, event.gives), event.takes)
    else:
        if known and event.gives in known[event.seat]:
            known = _less(known, event.seat, event.gives)
        known = _more(known, event.seat, (event.takes,), len(view.points))
    done = (*view.exchanges, (event.seat, event.gives, event.takes))
    return replace(view, hand=hand, known=known, turn_up=event.gives, exchanges=done)


def _married(view: View, event: Married) -> View:
    known = view.known
    if event.seat != view.seat:
        held = known[event.seat] if known else ()
        new = [rank + event.suit for rank in "KQ" if rank + event.suit not in held]
        known = _more(known, event.seat, new, len(view.points)) if new else known
    done = (*view.marriages, (event.seat, event.suit))
    points = added(view.points, event.seat, event.points)
    return replace(view, marriages=done, points=points, known=known)


def _signalled(view: View, event: Signalled) -> View:
    return replace(view, signals=(*view.signals, (len(view.tricks), event.seat, event.signal)))


def _declared(view: View, event: Declared) -> View:
    if event.seat == view.seat:
        return view
    held = view.known[event.seat] if view.known else ()
    new = [card for card in event.cards if card not in held]
    return replace(view, known=_more(view.known, event.seat, new, len(view.points)))


def _bade(view: View, event: Bade) -> View:
    return replace(view, auction=(*view.auction, (event.seat, event.action)))


def _called(view: View, event: Called) -> View:
    return replace(
        view,
        caller=event.seat,
        called=event.cards,
        pledge=event.pledge,
        leader=event.leader,
        trump=event.cards[0][1] if event.cards else None,
    )


def _uncovered(view: View, event: Uncovered) -> View:
    at = (event.seat - view.leader) % len(view.points)
    return replace(view, trick=(*view.trick[:at], event.card, *view.trick[at + 1 :]))


def _phase(view: View, event: PhaseBegan) -> View:
    return replace(view, phase=event.phase)


_CHANGES: Final[Mapping[type[Event], Callable[[View, Any], View]]] = {
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

"""The trick that was taken last, so that a person sees it after it has left the table."""

from collections.abc import Iterable

from msgspec import Struct

from protocol.events import Event, Played, TrickWon, Uncovered
from referee.people.event_text import Who


class LastTrick(Struct, frozen=True):
    """A trick that is over.

    Attributes:
        cards: the name of who played it, and the card, in the order of play.
        winner: the name of who took it.
        points: the card points in it.
    """

    cards: tuple[tuple[str, str], ...]
    winner: str
    points: int


def last_trick(events: Iterable[Event], who: Who) -> LastTrick | None:
    """Return the last trick of a deal that is over; None before the first.

    Args:
        events: of the deal from its beginning, as one seat is shown them.
        who: names the seats.
    """
    found = None
    trick: dict[int, str] = {}
    for event in events:
        match event:
            case Played() | Uncovered():
                trick[event.seat] = event.card
            case TrickWon():
                cards = tuple((who(seat), card) for seat, card in trick.items())
                found = LastTrick(cards, who(event.winner), event.points)
                trick = {}
    return found

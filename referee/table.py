"""One deal without I/O: questions out, actions in. Knows no bots, bytes or clocks."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from protocol.events import Bade, Called, Event, Played
from protocol.messages import View
from referee.cards import Card
from referee.rules import Account, Game, Shown, Tally
from referee.seeing import see

REFEREE = "referee"
"""Who played, where it was not the seat itself."""


class IllegalAction(Exception):
    """An action that is not one of `legal`. Caught by whoever asked the seat."""


class Table:
    """A deal under way.

    The seat to move is asked with `view(seat)`, `legal` and `news(seat)`; `play` takes its answer.
    """

    def __init__(self, game: Game[Any], deck: Sequence[Card], dealer: int) -> None:
        """Deals the cards; `deck` holds exactly the cards of `game.pack`."""
        self._game = game
        self._state, shown = game.deal(deck, dealer)
        self._views = [game.opening(seat, dealer) for seat in range(game.seats)]
        self._news: list[tuple[Event, ...]] = [()] * game.seats
        self._show(shown)
        self.acts: list[tuple[int, str]] = []
        self._look()

    def _look(self) -> None:
        self.to_move = self._game.to_move(self._state)
        self.legal = () if self.to_move is None else self._game.legal(self._state)

    def _show(self, shown: Shown) -> None:
        news = self._news
        for seat, events in enumerate(shown):
            news[seat] += events

    def view(self, seat: int) -> tuple[View, tuple[Event, ...]]:
        """All that a seat knows now, and what of it is new since this was last asked."""
        news = self._news[seat]
        if news:
            self._news[seat] = ()
            self._views[seat] = see(self._views[seat], news)
        return self._views[seat], news

    def play(self, action: str) -> None:
        """Carries out the action of the seat to move.

        Raises:
            IllegalAction: it is not one of `legal`; nothing has changed.
        """
        if self.to_move is None or action not in self.legal:
            raise IllegalAction(action)
        self.acts.append((self.to_move, action))
        self._state, shown = self._game.apply(self._state, action)
        self._show(shown)
        self._look()

    def play_default(self) -> None:
        """Plays for a seat at fault; everybody sees that the referee did."""
        if self.to_move is None:
            raise IllegalAction("the deal is over")
        action = self._game.default(self._state)
        self.acts.append((self.to_move, action))
        self._state, shown = self._game.apply(self._state, action)
        self._show(tuple(tuple(map(_by_referee, events)) for events in shown))
        self._look()

    def tally(self) -> Tally:
        """What the finished deal brings."""
        return self._game.tally(self._state)

    def forfeit(self, seat: int) -> Tally:
        """What the deal brings when it ends here by a fault of `seat`."""
        return self._game.forfeit(self._state, seat)

    def account(self) -> Account:
        """The deal so far, all-seeing."""
        return self._game.account(self._state)


def _by_referee(event: Event) -> Event:
    return replace(event, by=REFEREE) if isinstance(event, Played | Bade | Called) else event

"""One deal without I/O: questions out, actions in. Knows no bots, bytes or clocks."""

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from protocol.events import Bade, Called, Event, Played
from protocol.messages import View
from referee.rules.cards import Card
from referee.rules.game import DealAccount, EventsBySeat, Game, Tally
from referee.rules.views import apply_events

REFEREE = "referee"
"""Who played, where it was not the seat itself."""


class IllegalAction(Exception):
    """An action that is not one of `legal`. Caught where the seat was asked."""


class Table:
    """A deal under way.

    The seat to move is asked with `view(seat)`, `legal` and `news(seat)`; `play` takes its answer.
    """

    def __init__(self, game: Game[Any], deck: Sequence[Card], dealer: int) -> None:
        """Deals the cards; `deck` holds exactly the cards of `game.pack`."""
        self._game = game
        self.deck = tuple(deck)
        self.dealer = dealer
        self._views = [game.opening(seat, dealer) for seat in range(game.seats)]
        self._news: list[tuple[Event, ...]] = [()] * game.seats
        self.acts: list[tuple[int, str]] = []
        self.to_move: int | None
        self.legal: tuple[str, ...]
        self._state, shown = game.deal(deck, dealer)
        self._move_on(shown)

    def _move_on(self, shown: EventsBySeat) -> None:
        """Looks whose turn it is, and keeps for each seat what it is shown until it is asked."""
        news, state = self._news, self._state
        for seat, events in enumerate(shown):
            news[seat] += events
        self.to_move = to_move = self._game.to_move(state)
        self.legal = () if to_move is None else self._game.legal(state)

    def view(self, seat: int) -> tuple[View, tuple[Event, ...]]:
        """All that a seat knows now, and what of it is new since this was last asked.

        The view is the table's own: it changes when this is asked again.
        """
        view, news = self._views[seat], self._news[seat]
        if news:
            self._news[seat] = ()
            apply_events(view, news)
        return view, news

    def play(self, action: str) -> None:
        """Carries out the action of the seat to move.

        Raises:
            IllegalAction: it is not one of `legal`; nothing has changed.
        """
        if self.to_move is None or action not in self.legal:
            raise IllegalAction(action)
        self.acts.append((self.to_move, action))
        self._move_on(self._game.apply(self._state, action))

    def play_default(self) -> None:
        """Plays for a seat at fault; everybody sees that the referee did."""
        if self.to_move is None:
            raise IllegalAction("the deal is over")
        action = self._game.default(self._state)
        self.acts.append((self.to_move, action))
        shown = self._game.apply(self._state, action)
        self._move_on(tuple(tuple(map(_by_referee, events)) for events in shown))

    def tally(self) -> Tally:
        """What the finished deal brings."""
        return self._game.tally(self._state)

    def forfeit(self, seat: int) -> Tally:
        """What the deal brings when it ends here by a fault of `seat`."""
        return self._game.forfeit(self._state, seat)

    def account(self) -> DealAccount:
        """The deal so far, all-seeing."""
        return self._game.account(self._state)


def _by_referee(event: Event) -> Event:
    return replace(event, by=REFEREE) if isinstance(event, Played | Bade | Called) else event

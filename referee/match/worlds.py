"""Other decks that agree with all that a seat knows of a deal: its possible worlds. Pure.

Every deal of the cards that the seat has not seen, over the places of the deck that it has not seen
into, is as likely as any other. How the others play is not guessed at, but for what the rules make
certain: a seat that did not follow a suit that must be followed had none of it. Cards are spread
over the places by suits where that happened; anything else that the rules forbid (a called card in
the caller's own hand, say) shows when the acts are played again, and another deck is drawn.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

from msgspec import Struct

from protocol.events import Event, Removed
from referee.match.chance import BlockKey, mixed, words
from referee.match.dealt_places import dealt_places
from referee.match.deck_knowledge import DeckKnowledge
from referee.match.spread import spread
from referee.rules.cards import Card
from referee.rules.game import Game

_TRIES: Final = 2_000
"""How many decks are drawn for one world, at most."""


class NoWorld(Exception):
    """No deck was found that agrees with what a seat knows. Caught where worlds are asked for."""


class World(Struct, frozen=True):
    """A deck, and what was played on it: a two that lies covered may be another one there."""

    deck: tuple[Card, ...]
    acts: tuple[str, ...]


class Worlds:
    """A deal up to a moment, as one seat knows it."""

    def __init__(
        self,
        game: Game[Any],  # every game has a state type of its own
        deck: Sequence[Card],
        dealer: int,
        acts: Sequence[str],
        seat: int,
    ) -> None:
        """Play the deal again, and keep what the seat was shown of it."""
        self._game, self._dealer, self._seat, self._acts = game, dealer, seat, tuple(acts)
        state, shown = game.deal(deck, dealer)
        removed = tuple(Card(event.card) for event in shown[seat] if isinstance(event, Removed))
        if removed and removed[0] != deck[-1]:  # the bottom card took its place
            deck = (*(deck[-1] if card in removed else card for card in deck[:-1]), *removed)
        self._deck = tuple(deck)
        places = dealt_places(game, dealer, removed)
        self._knowledge = DeckKnowledge(self._deck, places, len(removed), seat)
        self._knowledge.see(shown, 0, "")
        self._shown: list[tuple[Event, ...]] = [shown[seat]]
        self._movers: list[int] = []
        for number, action in enumerate(acts):
            self._movers.append(self._look(state, number, action))
            shown = game.apply(state, action)
            self._shown.append(shown[seat])
            self._knowledge.see(shown, number + 1, action)
        self._to_move = game.to_move(state)

    def _look(
        self,
        state: Any,  # the game's own
        number: int,
        action: str,
    ) -> int:
        """Keep what an act that is about to be played says of a hand; return whose it is."""
        mover = self._game.to_move(state)
        assert mover is not None  # noqa: S101  # the acts are of this deal
        led = self._game.suit_to_follow(state)
        if led is not None and len(action) == 2 and action[1] != led:
            self._knowledge.did_not_follow(mover, led, number)
        return mover

    @property
    def hidden(self) -> list[int]:
        """The places of the deck whose cards the seat has not seen, in order."""
        return self._knowledge.hidden

    def draw(self, key: BlockKey) -> Iterator[World]:
        """Yield worlds without end, each drawn afresh.

        Args:
            key: what all of them follow from.

        Raises:
            NoWorld: none was found in many tries.
        """
        numbers = words(key, "worlds")
        while True:
            for _ in range(_TRIES):
                world = self._drawn(numbers)
                if self._agrees(world):
                    yield world
                    break
            else:
                raise NoWorld(f"no other deck was found that agrees, in {_TRIES:,} tries")

    def _drawn(self, numbers: Iterator[int]) -> World:
        """Return a deck in which what is hidden lies anywhere that its suit may be."""
        deck, acts = list(self._deck), list(self._acts)
        free = self.hidden
        cards = [deck[place] for place in free]
        twos = mixed([card for card in cards if card[0] == "2"], numbers)
        for (place, act), two in zip(self._knowledge.covered.items(), twos, strict=False):
            deck[place] = two
            acts[act] = two
            free.remove(place)
            cards.remove(two)
        groups: dict[frozenset[str], list[int]] = {}
        for place in free:
            groups.setdefault(self._knowledge.excluded_suits(place), []).append(place)
        for places, some in zip(groups.values(), spread(groups, cards, numbers), strict=True):
            for place, card in zip(places, some, strict=True):
                deck[place] = card
        return World(tuple(deck), tuple(acts))

    def _agrees(self, world: World) -> bool:
        """Return whether the same acts are legal there, and show the seat the same."""
        game = self._game
        state, shown = game.deal(world.deck, self._dealer)
        told = iter(self._shown)
        if shown[self._seat] != next(told):
            return False
        for mover, action in zip(self._movers, world.acts, strict=True):
            if game.to_move(state) != mover or action not in game.legal(state):
                return False
            if game.apply(state, action)[self._seat] != next(told):
                return False
        return game.to_move(state) == self._to_move

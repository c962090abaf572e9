"""Deals one after the other, all of whose chance follows from a seed."""

import secrets
from collections.abc import Mapping
from typing import Any

from referee.errors import RefereeError
from referee.match.chance import KEY_BITS, block_key, event_key, first_dealer, shuffled
from referee.match.table import Table
from referee.rules.cards import cards, check_deck
from referee.rules.game import Game


class Deals:
    """A stream of deals of a game, as SPEC 8 derives them from a key."""

    def __init__(
        self,
        game: Game[Any],  # every game has a state type of its own
        seed: int | None = None,
    ) -> None:
        """Begin a stream; without a seed, one that was never played before."""
        self._game = game
        self.restart(seed)

    def restart(self, seed: int | None) -> None:
        """Begin another stream."""
        text = secrets.token_hex(KEY_BITS // 8) if seed is None else f"seed {seed}"
        self._key = event_key(text)
        self._dealt = 0

    def next(
        self,
        options: Mapping[str, Any] | None = None,  # as environments are given them
    ) -> Table:
        """Deal the next deck.

        Args:
            options: of `reset`: `deck`, the cards with the top one first, and `dealer`, a seat,
                stand in for what the stream says; anything else is ignored.

        Raises:
            RefereeError: the deck does not hold the cards of the game, or there is no such seat.
        """
        key = block_key(self._key, self._dealt)
        self._dealt += 1
        given = options or {}
        deck = shuffled(self._game.pack, key)
        if "deck" in given:
            wanted = given["deck"]
            deck = cards(wanted if isinstance(wanted, str) else " ".join(wanted))
            check_deck(deck, self._game.pack)
        dealer = given.get("dealer")
        if dealer is None:
            dealer = first_dealer(key, self._game.seats)
        elif dealer not in range(self._game.seats):
            raise RefereeError(f"dealer {dealer!r}: a seat from 0 to {self._game.seats - 1}")
        return Table(self._game, deck, dealer)

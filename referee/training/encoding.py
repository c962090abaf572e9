"""A view as a row of small numbers, and the actions by their number: what a learner works with.

This file needs nothing but Python, knows no rules and imports nothing of ours: `write_bot` copies
it beside a trained bot, where it reads the views of the protocol just as it did in training.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from types import SimpleNamespace
from typing import Any

SUITS = "HDCS"
PHASES = ("auction", "call", "play", "suit", "void")
SIGNALS = ("ace", "three", "king", "knight", "knave", "load")

View = Any  # in training our own, in a bot an object with the same attributes: neither is here
Json = Mapping[str, Any]  # values of JSON

Field = tuple[str, int, int]
"""A part of an observation: its name, how many numbers it has, and how large each can be."""

_ABSENT: Json = {
    "known": (),
    "next_card": None,
    "removed": (),
    "exchanges": (),
    "marriages": (),
    "signals": (),
    "auction": (),
    "caller": None,
    "pledge": None,
    "called": (),
}
"""What a view leaves out while there is nothing to say (SPEC 4.1)."""


def read_view(message: Json) -> View:
    """Return the view of an `act` message as an object with the attributes of SPEC 4.1."""
    return SimpleNamespace(**{**_ABSENT, **message})


class Encoding:
    """How the views of one game, under certain options, become numbers of one byte each.

    Seats are counted from the one that looks: 0 is its own, 1 the next to play after it.

    Attributes:
        game: the id of the game; `options` likewise, with everything that follows filled in.
        actions: every action that can be legal; an action's number is its index.
        fields: the parts of an observation, in their order.
        size: how many numbers an observation has.
        high: the largest that each can be; the least is zero.
    """

    def __init__(self, facts: Json) -> None:
        """Make it from what `facts` gives."""
        self.game: str = facts["game"]
        self.options: dict[str, str] = dict(facts["options"])
        self.seats: int = facts["seats"]
        self.cards: tuple[str, ...] = tuple(facts["cards"])
        self.actions: tuple[str, ...] = tuple(facts["actions"])
        self.fields: tuple[Field, ...] = tuple(
            (str(n), int(s), int(h)) for n, s, h in facts["fields"]
        )
        self.size = sum(size for _, size, _ in self.fields)
        self.high = bytes(chain.from_iterable([high] * size for _, size, high in self.fields))
        self.number = {action: number for number, action in enumerate(self.actions)}
        self._card = {card: number for number, card in enumerate(self.cards)}
        bids = [action for action in self.actions if action.split()[0] in ("pass", "bid", "force")]
        self._bid = {action: number for number, action in enumerate(bids)}
        self._at: dict[str, int] = {}
        at = 0
        for name, size, _ in self.fields:
            self._at[name] = at
            at += size

    def facts(self) -> Json:
        """Return all that it is made of, as JSON values."""
        return {
            "game": self.game,
            "options": self.options,
            "seats": self.seats,
            "cards": list(self.cards),
            "actions": list(self.actions),
            "fields": [list(field) for field in self.fields],
        }

    def field(self, name: str) -> slice:
        """Return where a part stands in an observation.

        Raises:
            KeyError: this game has no such part.
        """
        begin = self._at[name]
        return slice(begin, begin + next(size for field, size, _ in self.fields if field == name))

    def mask(self, legal: Iterable[str]) -> bytearray:
        """Return a one for each action that is legal, and a zero for each other."""
        mask, number = bytearray(len(self.actions)), self.number
        for action in legal:
            mask[number[action]] = 1
        return mask

    def observe(self, view: View) -> bytearray:
        """Return the numbers of a view: an object with the attributes of SPEC 4.1."""
        row, at, card, seats, me = bytearray(self.size), self._at, self._card, self.seats, view.seat
        hand, played, count = at["hand"], at["played"], len(self.cards)
        for mine in view.hand:
            row[hand + card[mine]] += 1
        for leader, trick in zip(view.leaders, view.tricks):  # noqa: B905  # as long as each other
            seat = leader - me
            for one in trick:
                row[played + seat % seats * count + card[one]] += 1
                seat += 1
        self._observe_table(row, view)
        for name, seat in (("dealer", view.dealer), ("leader", view.leader)):
            row[at[name] + (seat - me) % seats] = 1
        points = at["points"]
        for seat, taken in enumerate(view.points):
            row[points + (seat - me) % seats] = taken
        if view.trump is not None:
            row[at["trump"] + SUITS.index(view.trump)] = 1
        row[at["tricks"]] = len(view.tricks)
        for name in self._at:
            if name in _RARE:
                _RARE[name](self, row, view)
        return row

    def _observe_table(self, row: bytearray, view: View) -> None:
        """Lay down the trick on the table, by seat; a two that lies covered has no suit."""
        table, count, seat = self._at["table"], len(self.cards), view.leader - view.seat
        for one in view.trick:
            if len(one) == 2:
                row[table + seat % self.seats * count + self._card[one]] += 1
            else:
                row[self._at["covered"] + seat % self.seats] = 1
            seat += 1

    def _talon(self, row: bytearray, view: View) -> None:
        row[self._at["talon"]] = view.talon

    def _one_card(self, name: str, row: bytearray, cards: Sequence[str | None]) -> None:
        for card in cards:
            if card is not None:
                row[self._at[name] + self._card[card]] = 1

    def _known(self, row: bytearray, view: View) -> None:
        for seat, cards in enumerate(view.known):
            for card in cards:
                place = (seat - view.seat) % self.seats * len(self.cards) + self._card[card]
                row[self._at["known"] + place] += 1

    def _exchanges(self, row: bytearray, view: View) -> None:
        for seat, _, _ in view.exchanges:
            row[self._at["exchanges"] + (seat - view.seat) % self.seats] += 1

    def _marriages(self, row: bytearray, view: View) -> None:
        for seat, suit in view.marriages:
            place = (seat - view.seat) % self.seats * len(SUITS) + SUITS.index(suit)
            row[self._at["marriages"] + place] = 1

    def _signals(self, row: bytearray, view: View) -> None:
        """Write each seat's last signal as the number of its trick, so that the latest shows."""
        for trick, seat, signal in view.signals:
            begin = self._at["signals"] + (seat - view.seat) % self.seats * len(SIGNALS)
            row[begin : begin + len(SIGNALS)] = bytes(len(SIGNALS))
            row[begin + SIGNALS.index(signal)] = trick

    def _phase(self, row: bytearray, view: View) -> None:
        row[self._at["phase"] + PHASES.index(view.phase)] = 1

    def _bids(self, row: bytearray, view: View) -> None:
        """Mark all that was said in the auction, by seat; and who called, for how much, what."""
        for seat, action in view.auction:
            place = (seat - view.seat) % self.seats * len(self._bid) + self._bid[action]
            row[self._at["bids"] + place] = 1
        if view.caller is not None:
            row[self._at["caller"] + (view.caller - view.seat) % self.seats] = 1
            row[self._at["pledge"]] = view.pledge
        self._one_card("called", row, view.called)


_RARE: Mapping[
    str, Callable[[Encoding, bytearray, View], None]
] = {  # methods of Encoding that write what only some games have
    "talon": Encoding._talon,
    "turn_up": lambda of, row, view: of._one_card("turn_up", row, [view.turn_up]),
    "known": Encoding._known,
    "next_card": lambda of, row, view: of._one_card("next_card", row, [view.next_card]),
    "removed": lambda of, row, view: of._one_card("removed", row, view.removed),
    "exchanges": Encoding._exchanges,
    "marriages": Encoding._marriages,
    "signals": Encoding._signals,
    "phase": Encoding._phase,
    "bids": Encoding._bids,
}

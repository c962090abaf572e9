"""Plays briscola for two (`exchange_two=off`) as greedy does, but knows the cards of second legs.

It is given the key, as if it had remembered what it saw: `cardsharp.py KEY`. Where it does not sit
as in the first leg, which the key says too, it knows both hands and the talon, looks some cards
ahead, and plays the rest out by a rule for both. `cardsharp.py` without a key is greedy.
"""

import json
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[3]))

from referee.match.chance import block_key, event_key, leg_order, shuffled
from referee.rules.cards import Card
from sample_bots.greedy_bot import RANKS, Table, choose, say

AHEAD = 5
PACK = [Card(rank + suit) for suit in "HDCS" for rank in "A234567JQK"]
ORDER, WORTH = RANKS["it3"]
HEIGHT = {rank: -at for at, rank in enumerate(ORDER)}


class Position:
    """Hands by seat, what is still to be drawn, the trick and its leader, and points by seat."""

    def __init__(
        self, hands: tuple[list[str], list[str]], talon: list[str], trump: str, leader: int
    ) -> None:
        self.hands, self.talon, self.trump = hands, talon, trump
        self.leader, self.trick, self.points = leader, "", [0, 0]

    def copy(self) -> "Position":
        """Another one, which is changed alone."""
        found = Position((self.hands[0][:], self.hands[1][:]), self.talon, self.trump, self.leader)
        found.trick, found.points = self.trick, self.points[:]
        return found

    @property
    def turn(self) -> int:
        """Whose turn it is."""
        return 1 - self.leader if self.trick else self.leader

    def takes(self, card: str, led: str) -> bool:
        """Whether the second card takes the trick."""
        if card[1] == led[1]:
            return HEIGHT[card[0]] > HEIGHT[led[0]]
        return card[1] == self.trump

    def play(self, card: str) -> None:
        """Plays a card of whose turn it is."""
        self.hands[self.turn].remove(card)
        if not self.trick:
            self.trick = card
            return
        winner = 1 - self.leader if self.takes(card, self.trick) else self.leader
        self.points[winner] += WORTH.get(card[0], 0) + WORTH.get(self.trick[0], 0)
        self.leader, self.trick = winner, ""
        if self.talon:
            self.hands[winner].append(self.talon[0])
            self.hands[1 - winner].append(self.talon[1])
            self.talon = self.talon[2:]

    def cost(self, card: str) -> int:
        """What it costs to part with a card."""
        return WORTH.get(card[0], 0) + 6 * (card[1] == self.trump)

    def usual(self) -> str:
        """What either plays where nobody looks ahead."""
        hand, led = self.hands[self.turn], self.trick
        if not led:
            return min(hand, key=self.cost)

        def outcome(card: str) -> float:
            points = WORTH.get(card[0], 0) + WORTH.get(led[0], 0)
            return (points if self.takes(card, led) else -points) - 0.6 * self.cost(card)

        return max(hand, key=outcome)


def value(position: Position, depth: int, low: float, high: float) -> float:
    """By how many points whose turn it is will be ahead of the other, from here to the end."""
    mine = position.turn
    if depth == 0:
        rest = position.copy()
        while rest.hands[rest.turn]:
            rest.play(rest.usual())
        return rest.points[mine] - rest.points[1 - mine]
    if not position.hands[mine]:
        return position.points[mine] - position.points[1 - mine]
    for card in position.hands[mine]:
        after = position.copy()
        after.play(card)
        if after.turn == mine:
            found = value(after, depth - 1, low, high)
        else:
            found = -value(after, depth - 1, -high, -low)
        low = max(low, found)
        if low >= high:
            break
    return low


def best(position: Position) -> str:
    """The card that is best if all are known."""
    mine = position.turn

    def outcome(card: str) -> float:
        after = position.copy()
        after.play(card)
        found = value(after, AHEAD, -999, 999)
        return found if after.turn == mine else -found

    return max(position.hands[mine], key=outcome)


def position_of(deck: list[str], view: dict[str, Any]) -> Position:
    """What lies where, of the deck and all that was played."""
    leader = (view["dealer"] + 1) % 2
    dealt = (deck[0:6:2], deck[1:6:2])
    hands = dealt if leader == 0 else dealt[::-1]
    position = Position(hands, [*deck[7:], deck[6]], deck[6][1], leader)
    for trick in view["tricks"]:
        for card in trick:
            position.play(card)
    for card in view["trick"]:
        position.play(card)
    return position


def main() -> None:
    """Answers the referee."""
    key = event_key(sys.argv[1]) if sys.argv[1:] else None
    table, deal, bot = Table({"game": "", "options": {}, "seats": [0, 1]}), 0, 0
    bots = (0, 1)
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            bot = message["bot"]
            if key is not None:  # by seat, the bots of the first leg
                bots = leg_order([(0, 1), (1, 0)], block_key(key, 0))[0]
            say({"type": "ready", "protocol": 1, "name": "cardsharp"})
        elif message["type"] == "deal":
            table, deal = Table(message), message["deal"]
        elif message["type"] == "act":
            view = message["view"]
            if key is not None and bots[view["seat"]] != bot:
                deck = shuffled(PACK, block_key(key, deal - 1))
                action = best(position_of(list(deck), view))
            else:
                action = choose(message["legal"], view, table)
            say({"id": message["id"], "action": action})
        elif message["type"] == "end":
            break


if __name__ == "__main__":
    main()

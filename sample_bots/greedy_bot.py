#!/usr/bin/env python3
"""Takes points when they are cheap, saves trumps, leads what it can spare. Looks one card ahead.

It reads only the view, so it keeps nothing between acts and can be asked anything at any time.
"""

import json
import sys
from collections import Counter
from typing import Any

View = dict[str, Any]

RANKS = {
    "it3": ("A3KQJ76542", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
    "gen7": ("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "pt7": ("A7KJQ65432", {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}),
    "pt7_qj": ("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "pt10": ("ATKJQ65432", {"A": 11, "T": 10, "K": 4, "J": 3, "Q": 2}),
    "it3_low3": ("AKQJ765432", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
    "it7": ("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "es48": ("A3KQJ9876542", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
}
SUITS = "HDCS"


class Table:
    """The cards, seats and sides of the game that is played."""

    def __init__(self, deal: View) -> None:
        self.options: dict[str, str] = deal["options"]
        self.order, self.worth = RANKS[self.options.get("rank_profile", "it3")]
        self.seats = len(deal["seats"])
        self.packs = 2 if self.seats > 4 and deal["game"].startswith("bisca-") else 1
        self.full = self.seats * (2 if deal["game"] == "briskula-dupla" else 1)
        self.sides = self.seats
        if self.seats in (4, 6, 8):
            teams = self.options.get("teams", "alternate")
            self.sides = {"solo": self.seats, "pairs": self.seats // 2}.get(teams, 2)
        default = "must" if deal["game"] == "sueca" else "free"
        self.follow = self.options.get("follow", default)
        self.last_wins = self.options.get("equal_cards") == "last_wins"

    def points(self, card: str) -> int:
        """Card points."""
        return self.worth.get(card[0], 0)

    def height(self, card: str) -> int:
        """How many ranks are below it."""
        return len(self.order) - 1 - self.order.index(card[0])

    def beats(self, card: str, best: str, trump: str | None) -> bool:
        """Whether a later card takes the trick from the best so far; a covered two never does."""
        if card[1:] != best[1:]:
            return card[1:] == trump
        return self.height(card) > self.height(best) or (self.last_wins and card == best)

    def best(self, cards: list[str], trump: str | None) -> int:
        """The place of the card that takes these."""
        best = 0
        for place, card in enumerate(cards):
            if self.beats(card, cards[best], trump):
                best = place
        return best

    def must_follow(self, view: View) -> bool:
        """Whether the suit led has to be followed just now."""
        if self.follow == "must":
            return True
        trick = view["trick"]
        trump_led = not trick or trick[0][1:] == view["trump"]
        return not view["talon"] and (
            self.follow == "after_stock" or (self.follow == "after_stock_trump_led" and trump_led)
        )


def played(view: View, seats: int) -> list[tuple[int, str]]:
    """All cards played, with their players."""
    tricks = zip([*view["leaders"], view["leader"]], [*view["tricks"], view["trick"]], strict=True)
    return [
        ((leader + place) % seats, card)
        for leader, cards in tricks
        for place, card in enumerate(cards)
    ]


def friends(view: View, table: Table) -> list[float]:
    """How much each seat is on our side: 1 a partner, -1 an opponent, between them unknown."""
    me, seats = view["seat"], range(table.seats)
    caller, called = view.get("caller"), view.get("called", [])
    if caller is None:
        return [1.0 if seat % table.sides == me % table.sides else -1.0 for seat in seats]
    shown = {seat for seat, card in played(view, table.seats) if card in called} - {caller}
    if me in shown or (me != caller and any(card in called for card in view["hand"])):
        return [1.0 if seat in (me, caller) or seat in shown else -1.0 for seat in seats]
    if me == caller:
        found = shown or any(card in called for card in view["hand"])
        rest = -1.0 if found else -0.5
        return [1.0 if seat == me or seat in shown else rest for seat in seats]
    rest = 1.0 if shown else 0.7
    others = [-1.0 if seat == caller or seat in shown else rest for seat in seats]
    return [*others[:me], 1.0, *others[me + 1 :]]


class Outlook:
    """What a card may bring, as far as the view tells."""

    def __init__(self, view: View, table: Table) -> None:
        self.view, self.table, self.trump = view, table, view["trump"]
        self.friends = friends(view, table)
        self.known: list[list[str]] = view.get("known") or [[]] * table.seats
        past = played(view, table.seats)
        seen = Counter([card for _, card in past] + view["hand"] + view.get("removed", []))
        seen.update(card for cards in self.known for card in cards)
        if view["talon"] and view["turn_up"]:
            seen[view["turn_up"]] += 1
        whole = Counter({rank + suit: table.packs for rank in table.order for suit in SUITS})
        self.unseen = whole - seen
        self.bound = table.must_follow(view)

    def holds(self, seat: int, cards: int) -> float:
        """How likely a seat holds one of so many unseen cards."""
        hidden = max(0, len(self.view["hand"]) - len(self.known[seat]))
        return float(1 - (1 - min(1.0, cards / max(1, self.unseen.total()))) ** hidden)

    def reach(self, seat: int, best: str, led: str, points: int) -> float:
        """How likely a seat that is still to play takes the trick from `best`."""
        beats, trump = self.table.beats, self.trump
        if any(beats(card, best, trump) for card in self.known[seat]):
            return 1.0
        suit = high = trumps = 0
        for card, count in self.unseen.items():
            suit += count * (card[1] == led[1:])
            if beats(card, best, trump):
                high += count * (card[1] == led[1:])
                trumps += count * (card[1] != led[1:])
        ruff = min(1.0, 0.1 + points / 20) * self.holds(seat, trumps)
        if self.bound:
            ruff *= 1 - self.holds(seat, suit)
        return 1 - (1 - self.holds(seat, high)) * (1 - ruff)

    def keep(self, card: str) -> float:
        """What a card is worth in the hand: trumps take later tricks."""
        points = self.table.points(card)
        if card[1] != self.trump:
            return 0.35 * points
        return 5.5 + 1.2 * points + 0.25 * self.table.height(card)

    def __call__(self, card: str) -> float:
        """The points that the trick should bring our side, less what the card is worth later."""
        view, table = self.view, self.table
        cards = [*view["trick"], card]
        taker = table.best(cards, self.trump)
        share: float = self.friends[(view["leader"] + taker) % table.seats]
        points = sum(map(table.points, cards))
        for place in range(len(cards), table.full):
            seat = (view["leader"] + place) % table.seats
            unlike = (1 - self.friends[seat] * share) / 2
            if unlike:
                share *= 1 - 2 * unlike * self.reach(seat, cards[taker], cards[0], points)
        if share < 0 and table.sides > 2:
            share *= 0.5  # what we lose is shared among many
        return (points + 0.5 * (table.full - len(cards))) * share - self.keep(card)


def estimate(hand: list[str], called: list[str], table: Table) -> float:
    """The card points that a caller's side takes on average, measured between equal players."""
    trumps = [table.height(card) for card in hand if card[1] == called[0][1]]
    helped = [table.height(card) for card in called if card not in hand]
    alone = 0 if helped else 23
    points = sum(map(table.points, hand))
    high = 1.6 * sum(trumps) + 2.7 * sum(helped)
    return 25.0 + high + 0.24 * points - 1.5 * len(trumps) - alone


def ranks_of(bid: str, table: Table) -> str:
    """The ranks that can be called after a bid."""
    if table.options.get("called_rank_fixed") == "2":
        return "2"
    words = bid.split()
    return words[1] if words[1] in table.order else table.order


def margin(bid: str, hand: list[str], table: Table) -> float:
    """By how much our side should take more than a bid pledges."""
    last = bid.rpartition(" ")[2]
    pledge = 61 if len(last) == 1 else int(last)
    calls = [rank + suit for rank in ranks_of(bid, table) for suit in SUITS]
    if table.options.get("own_card_allowed") == "false":
        calls = [card for card in calls if card not in hand] or calls
    return max(estimate(hand, [card], table) for card in calls) - pledge


def bid_or_pass(legal: list[str], view: View, table: Table) -> str:
    """The bid that is made most easily, if it should be made; they come rising."""
    lowest: dict[str, str] = {}
    for action in legal:
        if action != "pass":
            lowest.setdefault(ranks_of(action, table), action)
    margins = {bid: margin(bid, view["hand"], table) for bid in lowest.values()}
    best = max(margins, key=margins.__getitem__)
    return "pass" if "pass" in legal and margins[best] < 0 else best


def call(legal: list[str], view: View, table: Table) -> str:
    """The card, or the suit of a two, with which our side should take most."""

    def outlook(action: str) -> float:
        word, *cards = action.split()
        if word == "suit":
            cards = ["2" + suit for suit in cards]
        return estimate(view["hand"], cards, table) if cards else 0.0

    return max(legal, key=outlook)


def choose(legal: list[str], view: View, table: Table) -> str:
    """The legal action with the best outlook."""
    if view["phase"] == "auction":
        return bid_or_pass(legal, view, table)
    if view["phase"] in ("call", "suit"):
        return call(legal, view, table)
    for word in ("declare", "marry", "exchange"):
        for action in legal:
            if action.startswith(word):
                return action
    return max((card for card in legal if len(card) == 2), key=Outlook(view, table))


def say(message: dict[str, object]) -> None:
    """Writes one line, and flushes it: the referee waits for it."""
    print(json.dumps(message), flush=True)


def main() -> None:
    """Answers the referee until it says that this is the end."""
    table = Table({"game": "", "options": {}, "seats": [0, 1]})
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            say({"type": "ready", "protocol": 1, "name": "greedy", "version": "2"})
        elif message["type"] == "deal":
            table = Table(message)
        elif message["type"] == "act":
            action = choose(message["legal"], message["view"], table)
            say({"id": message["id"], "action": action})
        elif message["type"] == "end":
            break


if __name__ == "__main__":
    main()

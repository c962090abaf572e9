"""Which cards are in the pack and how they are dealt: RULES 1.2, 2, 8.1, 13, 14."""

from dataclasses import dataclass

from support.model.cards import SUITS
from support.model.rules import AUCTIONS, Rules


def seat_counts(game: str) -> tuple[int, ...]:
    """RULES 3."""
    if game in AUCTIONS:
        return (5,)
    if game == "briscola-scoperta":
        return (2, 3, 4)
    if game in {"bisca-tres", "bisca-sete", "bisca-nove"}:
        return (2, 3, 4, 6, 8)
    if game in {"briscolone", "briskula-dupla", "mariagio"}:
        return (2,)
    return (4,) if game == "sueca" else (int(game[-1]),)


def pack(game: str, options: dict[str, str], seats: int) -> list[str]:
    rules = Rules(game, options, seats)
    cards = [rank + suit for suit in SUITS for rank in rules.profile.order] * rules.packs
    if rules.option("removed_two") == "random" and seats == 3:
        return cards  # the deal itself removes one
    for card in _leaving_twos(rules, len(cards)):
        cards.remove(card)
    return cards


def _leaving_twos(rules: Rules, size: int) -> list[str]:
    """RULES 2: twos leave until the pack divides by the seats (40, 80 and 48 cards).

    Three seats: one two. Six seats: all four; of two packs both copies of one (RULES U04).
    """
    if size % rules.seats == 0:
        return []
    if rules.seats == 6 and rules.packs == 1:
        return ["2" + suit for suit in SUITS]
    return ["2" + rules.option("removed_two")] * rules.packs


@dataclass
class Layout:
    """The cards after the deal; a card is named by its place in the deck, for equal cards' sake."""

    hands: list[list[int]]
    talon: list[int]  # next card first, the turn-up last
    turn_up: int | None
    removed: int | None


def deal_out(rules: Rules, deck: list[str], dealer: int) -> Layout:
    cards = list(range(len(deck)))
    removed = _random_two(rules, deck)
    if removed is not None:  # the bottom card comes into the place of the two that leaves
        bottom = cards.pop()
        if bottom != removed:
            cards[removed] = bottom
    hands: list[list[int]] = [[] for _ in range(rules.seats)]
    packet = _packet(rules)
    place = 0
    for _ in range(rules.hand_size // packet):
        for seat in _order_of_deal(rules, dealer):
            hands[seat] += cards[place : place + packet]
            place += packet
    talon = cards[place:]
    if rules.family == "sueca":  # RULES 14: the exposed card is one of the dealer's hand
        return Layout(hands, [], cards[0 if _dealer_first(rules) else -1], removed)
    if rules.auction or rules.family == "briscolone":  # RULES 6, 10, 11: no turn-up
        return Layout(hands, talon, None, removed)
    talon.append(talon.pop(0))  # RULES 1.2: the card after the last dealt one; it is drawn last
    return Layout(hands, talon, talon[-1], removed)


def _random_two(rules: Rules, deck: list[str]) -> int | None:
    """The two of the bottom card's suit, where a two of the player's choice would leave."""
    if rules.option("removed_two") != "random" or len(deck) % rules.seats == 0:
        return None
    return deck.index("2" + deck[-1][1])


def _packet(rules: Rules) -> int:
    """RULES 1.2, 11.1: one card at a time, but 4+4 at auctions, ten at sueca, 2+2 at dupla."""
    if rules.auction:
        return 4
    return {"sueca": 10, "briskula-dupla": 2}.get(rules.game, 1)


def _order_of_deal(rules: Rules, dealer: int) -> list[int]:
    """RULES 1.2: from the dealer's right, the dealer last; sueca's top card is the dealer's."""
    first = dealer if _dealer_first(rules) else dealer + 1
    return [(first + turn) % rules.seats for turn in range(rules.seats)]


def _dealer_first(rules: Rules) -> bool:
    return rules.family == "sueca" and rules.option("exposed_card") == "top"

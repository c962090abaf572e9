"""A bot to start from: `choose` decides, client.py reads and talks."""

from __future__ import annotations

from client import Act, run

RANKS = {
    "it3": "A3KQJ76542",
    "gen7": "A7KQJ65432",
    "pt7": "A7KJQ65432",
    "pt7_qj": "A7KQJ65432",
    "pt10": "ATKJQ65432",
    "it3_low3": "AKQJ765432",
    "it7": "A7KQJ65432",
    "es48": "A3KQJ9876542",
}
"""The ranks of each profile, highest first (SPEC 11.1)."""

WORTH_A_TRUMP = 4
"""So many points must lie on the table before a trump is spent on them."""


def points(card: str, ranks: str) -> int:
    """Card points: the five ranks that have some are the highest, but for a low three."""
    scoring = "A3KQJ" if ranks.startswith("AK") else ranks[:5]
    return dict(zip(scoring, (11, 10, 4, 3, 2), strict=True)).get(card[0], 0)


def beats(card: str, best: str, trump: str | None, ranks: str) -> bool:
    """Whether a later card takes the trick; a covered two ("2") has no suit yet."""
    if card[1:] != best[1:]:
        return card[1:] == trump
    return ranks.index(card[0]) < ranks.index(best[0])


def choose(act: Act) -> str:
    """The decision: returns one of `act.legal`. Change this."""
    hand, legal, trick, trump = act.view.hand, act.legal, act.view.trick, act.view.trump
    ranks = RANKS.get(act.deal.options.get("rank_profile", ""), RANKS["it3"])

    def cost(card: str) -> tuple[int, int]:
        """What a card is worth in the hand: trumps take later tricks."""
        return points(card, ranks) + 5 * (card[1] == trump), -ranks.index(card[0])

    cards = [action for action in legal if action in hand]
    if not cards:  # an auction, a call: the first is always allowed, and passes where it may
        return legal[0]
    if trick:
        best = trick[0]
        for card in trick[1:]:
            if beats(card, best, trump, ranks):
                best = card
        takers = [card for card in cards if beats(card, best, trump, ranks)]
        plain = [card for card in takers if card[1] != trump]
        if plain:
            return max(plain, key=cost)
        if takers and sum(points(card, ranks) for card in trick) >= WORTH_A_TRUMP:
            return min(takers, key=cost)
    return min(cards, key=cost)


if __name__ == "__main__":
    run(choose, "my-bot")

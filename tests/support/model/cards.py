"""Ranks, card points and who wins a trick: RULES 1.3 and 1.4."""

from dataclasses import dataclass

SUITS = "HDCS"


@dataclass(frozen=True)
class Profile:
    order: str  # high to low; T is the ten
    points: dict[str, int]  # ranks not named are worth nothing


PROFILES = {  # RULES 1.3
    "it3": Profile("A3KQJ76542", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
    "gen7": Profile("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "pt7": Profile("A7KJQ65432", {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}),
    "pt7_qj": Profile("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "pt10": Profile("ATKJQ65432", {"A": 11, "T": 10, "K": 4, "J": 3, "Q": 2}),
    "it3_low3": Profile("AKQJ765432", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
    "it7": Profile("A7KQJ65432", {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}),
    "es48": Profile("A3KQJ9876542", {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}),
}


def card_points(card: str, profile: Profile) -> int:
    return profile.points.get(card[0], 0)


def ten_point_rank(profile: Profile) -> str:
    """RULES 8.5: the three, or with gen7 and pt7 the seven."""
    return next(rank for rank, points in profile.points.items() if points == 10)


def winning_place(
    cards: list[str], trump: str | None, profile: Profile, *, last_of_equals: bool = False
) -> int:
    """RULES 1.4: the highest trump, else the highest card of the suit led (0 is the first card).

    Of equal cards (two packs) the one played first wins, RULES U02, unless the option says last.
    """
    suit = trump if any(card[1] == trump for card in cards) else cards[0][1]
    places = [place for place, card in enumerate(cards) if card[1] == suit]
    ranks = [profile.order.index(cards[place][0]) for place in places]
    best = [place for place, rank in zip(places, ranks, strict=True) if rank == min(ranks)]
    return best[-1] if last_of_equals else best[0]

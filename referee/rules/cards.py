"""Cards, packs and rank orders of the family (RULES 1.3). Values only, no game."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NewType

from msgspec import Struct

from referee.errors import RefereeError

Card = NewType("Card", str)
"""Rank then suit, "7D": made by `card`, `cards` and `pack` only."""

Suit = NewType("Suit", str)

RANKS: Final = "A23456789TJQK"
SUITS: Final = "HDCS"
_ALL: Final = {rank + suit: Card(rank + suit) for suit in SUITS for rank in RANKS}


def card(text: str) -> Card:
    """Reads one card code.

    Raises:
        RefereeError: the text is no card.
    """
    try:
        return _ALL[text.strip().upper()]
    except KeyError:
        raise RefereeError(
            f"{text!r} is no card: a rank of {' '.join(RANKS)}, then a suit of {' '.join(SUITS)}"
        ) from None


def cards(text: str) -> tuple[Card, ...]:
    """Reads card codes separated by blanks or commas.

    Raises:
        RefereeError: one of them is no card.
    """
    return tuple(card(word) for word in text.replace(",", " ").split())


class Profile(Struct, frozen=True):
    """Which ranks a pack has, how they beat each other, and what they are worth.

    Attributes:
        order: the ranks, highest first.
        points: card points by rank; a rank that is absent is worth nothing.
    """

    name: str
    order: str
    points: Mapping[str, int]
    title: str


_ITALIAN: Final = {"A": 11, "3": 10, "K": 4, "Q": 3, "J": 2}
_SEVENS: Final = {"A": 11, "7": 10, "K": 4, "Q": 3, "J": 2}
_PORTUGUESE: Final = {"A": 11, "7": 10, "K": 4, "J": 3, "Q": 2}
_TENS: Final = {"A": 11, "T": 10, "K": 4, "J": 3, "Q": 2}

PROFILES: Final[Mapping[str, Profile]] = {
    profile.name: profile
    for profile in (
        Profile("it3", "A3KQJ76542", _ITALIAN, "Italian: the three ranks second"),
        Profile("gen7", "A7KQJ65432", _SEVENS, "Genoese: the seven ranks second"),
        Profile("pt7", "A7KJQ65432", _PORTUGUESE, "Portuguese: as Genoese, jack above queen"),
        Profile("pt7_qj", "A7KQJ65432", _SEVENS, "Portuguese, simplified: queen above jack"),
        Profile("pt10", "ATKJQ65432", _TENS, "Portuguese, simplified: tens instead of sevens"),
        Profile("it3_low3", "AKQJ765432", _ITALIAN, "Italian, the three ranks as a three"),
        Profile("it7", "A7KQJ65432", _SEVENS, "Piedmont and Sardinia: the seven ranks second"),
        Profile("es48", "A3KQJ9876542", _ITALIAN, "Spanish pack of 48, with eights and nines"),
    )
}


def strengths(profile: Profile) -> dict[Card, int]:
    """How high each card ranks within its suit; a larger number beats a smaller one."""
    return {
        Card(rank + suit): len(profile.order) - place
        for suit in SUITS
        for place, rank in enumerate(profile.order)
    }


def worths(profile: Profile) -> dict[Card, int]:
    """The card points of each card."""
    return {
        Card(rank + suit): profile.points.get(rank, 0) for suit in SUITS for rank in profile.order
    }


def pack(
    profile: Profile, seats: int, *, packs: int = 1, removed_two: Suit = Suit("S")
) -> tuple[Card, ...]:
    """The cards that `seats` players use, in the order of SPEC 8.2: suits H D C S, ranks A 2 … K.

    Where the packs cannot be shared out evenly, as many twos leave them as are too many, beginning
    with the suit `removed_two` (RULES 2, U04). Of two packs, equal cards stand side by side.
    """
    whole = [
        Card(rank + suit)
        for suit in SUITS
        for rank in RANKS
        if rank in profile.order
        for _ in range(packs)
    ]
    suits = (removed_two, *(suit for suit in SUITS if suit != removed_two))
    twos = [Card("2" + suit) for suit in suits for _ in range(packs)]
    for two in twos[: len(whole) % seats]:
        whole.remove(two)
    return tuple(whole)


def check_deck(deck: Sequence[Card], expected: Iterable[Card]) -> None:
    """Says whether `deck` holds exactly the cards of `expected`, in any order.

    Raises:
        RefereeError: naming the cards that are too many, foreign or missing.
    """
    wanted, has = Counter(expected), Counter(deck)
    one_pack = max(wanted.values()) == 1
    troubles = {
        "doubled" if one_pack else "too often": [
            one for one in has if one in wanted and has[one] > wanted[one]
        ],
        "not in this game's pack": [one for one in has if one not in wanted],
        "missing": list(dict.fromkeys((wanted - has).elements())),
    }
    found = [f"{' '.join(which)} {what}" for what, which in troubles.items() if which]
    if found:
        what = "different cards" if one_pack else "cards"
        raise RefereeError(f"the deck needs {wanted.total()} {what}: {'; '.join(found)}")

"""Cards and actions as a person reads them."""

from collections.abc import Iterable
from typing import Final

from rich.text import Text

from referee.text import printable

PIPS: Final = {"H": "♥", "D": "♦", "C": "♣", "S": "♠"}
"""What a terminal shows for a suit."""

_COLOURS: Final = {"H": "red", "D": "bright_red", "C": "green", "S": "cyan"}


_WITH_CARDS: Final = ("call", "suit", "exchange", "marry")


def face(card: str) -> Text:
    """A card as 7♦, a suit as ♦; anything else as it is."""
    if len(card) > 2 or card[-1:] not in PIPS:
        return Text(printable(card))
    rank = "10" if card[0] == "T" else card[:-1]
    return Text(f"{rank}{PIPS[card[-1]]}", style=_COLOURS[card[-1]])


def action_face(action: str) -> Text:
    """An action with its cards as faces: 7♦, call 7♦, bid 62."""
    word, *rest = action.split(" ")
    shown = map(face, rest) if word in _WITH_CARDS else map(Text, rest)
    return Text(" ").join((face(word), *shown))


def faces(cards: Iterable[str]) -> Text:
    """Cards in a row."""
    return Text(" ").join(map(face, cards))

"""What stands on the page of a table, in the language of who looks at it."""

import re
from functools import cache
from typing import Any, Final

import msgspec
from rich.text import Text

from ladder.web.person import Person, Said
from referee.people.event_text import ENGLISH, event_lines, filled
from referee.terminal.card_text import PIPS, action_face
from referee.viewer.page import TEXTS, static

USUAL: Final = "en"
_CARD: Final = re.compile(r"[A2-9TJQK][HDCS]", re.ASCII)
_SUIT: Final = re.compile(r"[HDCS]", re.ASCII)
_SUIT_OF: Final = {pip: suit for suit, pip in PIPS.items()}
_FACE: Final = re.compile(rf"(10|[A2-9JQK])?([{''.join(_SUIT_OF)}])", re.ASCII)
_FACES: Final = re.compile(rf"{_FACE.pattern}(?: {_FACE.pattern})*", re.ASCII)
_WANTED: Final = re.compile(
    r"([a-z]{2,3})(?:-[a-z0-9-]+)?(?:;q=([01](?:\.[0-9]{1,3})?))?", re.ASCII
)
_MOST_WISHES: Final = 20


class TableWords:
    """The texts of a language.

    Attributes:
        language: its code, as `lang` has it in HTML.
        labels: by name.
    """

    def __init__(self, language: str) -> None:
        """Take those of a language that the viewer has."""
        self.language = language
        self._texts = _texts()[language]
        self.labels: dict[str, str] = self._texts["table"]
        self._said: dict[str, str] = {**ENGLISH, **self._texts["said"]}

    def card(self, card: str, *, italian: bool) -> str:
        """Return what a card or a suit is called; `italian`: with the suits of Italian cards."""
        suits = self._texts["italian_suits" if italian else "suits"]
        if not _CARD.fullmatch(card):  # a suit, or a card of which only the rank is seen
            return str(suits.get(card, card))
        ranks = {**self._texts["ranks"], **(self._texts["italian_ranks"] if italian else {})}
        named = self._texts["card_of"].replace("{rank}", ranks[card[0]])
        return str(named.replace("{suit}", suits[card[1]]))

    def corner(self, card: str, *, italian: bool) -> str:
        """Return what stands in the corner of a card, or of a suit: its rank; see `card`."""
        corners = {**self._texts["corners"], **(self._texts["italian_corners"] if italian else {})}
        return str(corners.get(card[0], card[0]))

    def action(self, action: str, *, italian: bool) -> str:
        """Return what an action is called that is no card: "bid 80", "call AH"; see `card`."""
        word, *rest = action.split(" ")
        named = (
            self.card(part, italian=italian)
            if _CARD.fullmatch(part) or _SUIT.fullmatch(part)
            else part
            for part in rest
        )
        return " ".join((str(self._texts["words"].get(word, word)), *named))

    def rows(self, person: Person) -> list[str]:
        """Return what has happened in a deal, as a person is shown it, line by line."""
        seen = person.seen
        dealt = self.sentence(Said("dealt", {"who": person.called(seen.dealer)}))
        lines = event_lines(seen.events, person.called, ", ", self._said, self._action_face)
        return [dealt, *(line.plain for line in lines)]

    def sentence(self, said: Said | str) -> str:
        """Return what was said of a deal that is over."""
        return said if isinstance(said, str) else filled(self._said[said.key], **said.parts).plain

    def _action_face(self, action: str) -> Text:
        word, _, rest = action.partition(" ")
        shown = action_face(action).plain
        named = self._texts["words"].get(word) if self.language != USUAL else None
        return Text(shown if named is None else f"{named}{shown[len(word) :] if rest else ''}")

    def line(self, line: str, *, italian: bool) -> str:
        """Return a line of what happened with its cards by their names.

        Args:
            line: as a terminal shows it, with cards as 10♦ and suits as ♦.
            italian: see `card`.
        """

        def named(found: re.Match[str]) -> str:
            faces = _FACE.findall(found[0])
            cards = (f"{rank.replace('10', 'T')}{_SUIT_OF[pip]}" for rank, pip in faces)
            return ", ".join(self.card(card, italian=italian) for card in cards)

        return _FACES.sub(named, line)


def words_for(accepted: str) -> TableWords:
    """Return the texts of the language that a browser likes best, of those that there are.

    Args:
        accepted: the header `Accept-Language` (RFC 9110, 12.5.4).
    """
    best, language = 0.0, USUAL
    for wish in accepted.lower().split(",")[:_MOST_WISHES]:
        found = _WANTED.fullmatch(wish.strip().replace(" ", ""))
        if found is None or found[1] not in _texts():
            continue
        weight = float(found[2] or 1)
        if weight > best:
            best, language = weight, found[1]
    return _of(language)


@cache
def _of(language: str) -> TableWords:
    return TableWords(language)


@cache
def _texts() -> dict[str, dict[str, Any]]:  # texts, lists of them by name
    found: dict[str, dict[str, Any]] = msgspec.json.decode(static(TEXTS))
    return found

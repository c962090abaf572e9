"""Which deals of a record are meant: one, as it is printed, or those whose cards may be shown."""

import re
from typing import Final, Self

from msgspec import Struct

from referee.errors import RefereeError

_TYPED: Final = re.compile(r"(?:([1-9]\d{0,8})\.)?([1-9]\d{0,8})", re.ASCII)


class DealChoice(Struct, frozen=True):
    """One deal.

    Attributes:
        deal: its number, from 1: through all legs, or of the leg.
        leg: from 1; None where legs are not told apart.
    """

    deal: int
    leg: int | None = None

    @classmethod
    def typed(cls, text: str) -> Self:
        """The deal that a person means: "7", or "2.3" for deal 3 of leg 2.

        Raises:
            RefereeError: it is no such number.
        """
        found = _TYPED.fullmatch(text)
        if found is None:
            raise RefereeError(f"deal {text!r}: a number, or LEG.DEAL, such as 2.3")
        leg, deal = found.groups()
        return cls(int(deal), None if leg is None else int(leg))

    def is_meant(self, number: int, leg: int, deal: int) -> bool:
        """Whether it is the deal of this number, in a leg (from 0) of that."""
        if self.leg is None:
            return number == self.deal
        return (leg + 1, deal) == (self.leg, self.deal)

    def __str__(self) -> str:
        """As it was typed."""
        return str(self.deal) if self.leg is None else f"{self.leg}.{self.deal}"


class DecksOver(Struct, frozen=True):
    """The deals of some decks: of a match under way, the last of those that are dealt no more.

    Attributes:
        decks: how many are dealt no more: the first ones of each leg.
        most: how many of them, the last ones, are meant.
    """

    decks: int
    most: int

    def is_meant(self, number: int, leg: int, deal: int) -> bool:  # as of one deal
        """Whether a deal is one of them, in a leg (from 0) the deal of this number."""
        return self.decks - self.most < deal <= self.decks

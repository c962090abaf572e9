"""Tells a host that fails from a bot that makes it look so. Pure."""

from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from referee.errors import HostError

_IN_A_ROW: Final = 3
"""So many matches that fail one after the other are the host's doing, if no bot is in them all."""

T = TypeVar("T")


class Doubts(Generic[T]):
    """Keeps back matches that were given up until another one is played to its end.

    If the host fails for good, they are to be played again.
    """

    def __init__(self) -> None:
        """Begins without any."""
        self._kept: list[T] = []
        self._common: set[int] = set()

    def add(self, match: T, given_up: str, bots: Sequence[int]) -> list[T]:
        """Return the matches that can be counted now that one is over.

        Args:
            match: the match.
            given_up: why it was; "" if it was played to its end.
            bots: that played in it.

        Raises:
            HostError: matches that have no bot in common were given up one after the other.
        """
        if not given_up:
            return [*self.flush(), match]
        self._common = self._common & set(bots) if self._kept else set(bots)
        self._kept.append(match)
        if len(self._kept) >= _IN_A_ROW and not self._common:
            raise HostError(f"{len(self._kept)} matches in a row were given up: {given_up}")
        return []

    def flush(self) -> list[T]:
        """The matches that were kept back, which count as they are."""
        kept, self._kept = self._kept, []
        return kept

"""Places for bots while they come to the site: how many an author may hand in."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Final

from ladder.web.author_locks import AuthorLocks
from ladder.web.content import EnoughForNow, Forbidden
from referee.bots.settings import SiteLimits

MOST_WAITING: Final = 200
"""Uploads of all authors together."""


class Places:
    """Who hands in a bot just now.

    Attributes:
        locks: are held while it is decided whether one more is taken.
    """

    def __init__(self) -> None:
        """Keep none yet."""
        self._coming = Counter[str]()
        self.locks = AuthorLocks()

    @contextmanager
    def kept(
        self, limits: SiteLimits, author: str, today: int, bots: int, waiting: Sequence[str]
    ) -> Iterator[None]:
        """Keep a place for a bot while it comes, in the block.

        Args:
            limits: what is taken of each author.
            author: whose it is.
            today: how many uploads the author's tokens began in the last 24 hours, this one left
                out.
            bots: how many of the author's bots play.
            waiting: the author of each upload whose trial is not over.

        Raises:
            EnoughForNow: no more are taken for now, and why.
            Forbidden: the author has as many bots as one may have.
        """
        open_ones = waiting.count(author) + self._coming[author]
        if today >= limits.uploads:
            raise EnoughForNow(
                f"You have handed in {today} bots in a day; more are taken tomorrow."
            )
        if open_ones >= limits.waiting:
            raise EnoughForNow(f"{open_ones} of your uploads still wait for their trial.")
        if bots > limits.bots:
            raise Forbidden(f"{bots} of your bots play; an author may have {limits.bots}.")
        if len(waiting) + self._coming.total() >= MOST_WAITING:
            raise EnoughForNow("Too many uploads wait for their trial; try again later.")
        self._coming[author] += 1
        try:
            yield
        finally:
            self._coming[author] -= 1
            if not self._coming[author]:
                del self._coming[author]

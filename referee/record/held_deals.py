"""The deals of a record that may not hold to its end: as many as do, and why no further."""

from collections.abc import Iterator

from referee.match.leg import DealResult
from referee.record.reader import Mismatch
from referee.record.verify import Resimulation


class HeldDeals:
    """The deals of a record as far as they hold.

    Attributes:
        trouble: why no further, once they were handed out; None where all hold.
    """

    def __init__(self, found: Resimulation) -> None:
        """Begin before the first."""
        self._found = found
        self.trouble: str | None = None

    def __iter__(self) -> Iterator[DealResult]:
        """Hand out the finished deals that hold."""
        try:
            yield from self._found.deals()
        except Mismatch as error:
            self.trouble = str(error)

    def and_the_last(self) -> Iterator[DealResult]:
        """Hand out the same, then the deal in which the record breaks off."""
        yield from self
        last = self._found.under_way()
        if last is not None:
            yield last

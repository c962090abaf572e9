"""What a table of a knockout plays until it is decided. Pure.

Level tables, and those that the host could not let play to the end, meet again with new decks; all
blocks of a table count together. When that has been done often enough, the better seed goes on.
"""

from collections.abc import Collection

from msgspec import Struct

from ladder.results import TableResult
from referee.match.outcome import BlockResult

MOST_AGAIN = 2
"""How often a level table meets again."""

GIVEN_UP_AGAIN = 1
"""How often a table that the host let down meets again."""


class Meeting(Struct, frozen=True):
    """What a table of a knockout has played so far, in one round or several.

    Attributes:
        again: how many rounds after the first.
        given_up: in how many of them blocks are missing.
    """

    blocks: tuple[BlockResult, ...] = ()
    again: int = -1
    given_up: int = 0

    def plus(self, table: TableResult, planned: int) -> "Meeting":
        """With one more round, for which so many blocks were planned."""
        missing = len(table.blocks) < planned
        return Meeting(self.blocks + table.blocks, self.again + 1, self.given_up + missing)

    def goes_on(self, *, level: bool, missing: bool) -> bool:
        """Whether the table meets once more.

        Args:
            level: it is not decided yet.
            missing: it was let down this time.
        """
        if self.again >= MOST_AGAIN or self.given_up > GIVEN_UP_AGAIN:
            return False
        return level or missing


def label_again(label: str, meetings: Collection[Meeting]) -> str:
    """What a round is called in which tables meet again."""
    again = max((meeting.again for meeting in meetings), default=-1) + 1
    return f"{label}, again ({again} of {MOST_AGAIN}, then the better seed)" if again else label

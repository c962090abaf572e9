"""The last matches of a ladder, kept while it is open: each is read once."""

from collections import deque
from typing import Final

from sqlalchemy import Connection, bindparam, select

from ladder.core.block_codec import unpacked_counts
from ladder.core.candidates import RECENT, SeatedTable
from ladder.store.chain import Damaged
from ladder.store.tables import MatchRow

_BYTES_A_PLACE: Final = 32
_NEWS: Final = (
    select(MatchRow.number, MatchRow.pool, MatchRow.counts, MatchRow.seq)
    .where(MatchRow.number > bindparam("after"))
    .order_by(MatchRow.number.desc())
    .limit(RECENT)
)


class Recent:
    """Who sat at the last tables of a ladder; numbers of matches only rise, rows never change."""

    def __init__(self) -> None:
        """Reads nothing yet."""
        self._tables = deque[SeatedTable](maxlen=RECENT)
        self._newest = 0

    def tables(self, connection: Connection) -> tuple[SeatedTable, ...]:
        """Return the last matches that were played, the newest last.

        Args:
            connection: has written no match in its transaction.

        Raises:
            Damaged: a row does not hold what we wrote.
        """
        for row in reversed(connection.execute(_NEWS, {"after": self._newest}).all()):
            try:
                entrants = unpacked_counts(row.counts, len(row.counts) // _BYTES_A_PLACE)[0]
            except ValueError as error:
                told = f"{error}: see `referee ladder verify`"
                raise Damaged(f"match {row.number}", told) from error
            self._tables.append(SeatedTable(row.pool, entrants, row.seq))
            self._newest = row.number
        return tuple(self._tables)

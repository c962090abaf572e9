"""The records that a ladder's matches have, and which of them may be gone, as its facts have it."""

from collections.abc import Collection

from ladder.core.retention import RecordsGone, Sweep
from ladder.store import queries
from ladder.store.database import Database


class KeptRecords:
    """The records of a ladder; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def has(self, record: str) -> bool:
        """Whether a match has this record."""
        with self._database.reading() as connection:
            return queries.has_record(connection, record)

    def every(self) -> frozenset[str]:
        """The records of all matches."""
        with self._database.reading() as connection:
            return queries.records(connection)

    def gone(self) -> RecordsGone:
        """Of which matches records may be gone."""
        with self._database.reading() as connection:
            return queries.records_gone(connection)

    def due(self, sweep: Sweep) -> tuple[Sweep, list[str]]:
        """The records that the policy lets go next, and how far their removal brings a sweep."""
        with self._database.reading() as connection:
            after, spans = sweep.step(queries.horizon(connection))
            return after, [sha for span in spans for sha in queries.records_of(connection, span)]

    def of_entrants(
        self, entrants: Collection[int], after: int, most: int
    ) -> list[tuple[int, str]]:
        """The records of the next matches after one in which some entrants played.

        Returns:
            The number of the match and its record, "" where it has none.
        """
        with self._database.reading() as connection:
            return queries.records_of_entrants(connection, entrants, after, most)

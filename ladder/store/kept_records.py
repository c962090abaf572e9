"""The records that a ladder's matches have, and which of them may be gone, as its facts have it."""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import delete, insert, select

from ladder.core.retention import RecordsGone, Sweep
from ladder.files import object_store, record_store
from ladder.store import queries
from ladder.store.database import Database
from ladder.store.tables import StoreRow


class KeptRecords:
    """The records of a ladder, and where they are; every method is one transaction."""

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

    # --- where they are

    def store_url(self) -> str | None:
        """The URL of the store that all machines share; None where all is in the folder of files.

        Raises:
            RefereeError: the database has something else in its place.
        """
        with self._database.reading() as connection:
            found = connection.execute(select(StoreRow.url)).scalars().first()
        return None if found is None else object_store.checked(found)

    def note_store(self, files: Path) -> None:
        """Has the folder of files on this machine name the store; for errors see `store_url`."""
        object_store.note(files, self.store_url())

    def name_store(self, url: str | None) -> None:
        """From now on the store is this one, or none."""
        with self._database.writing() as connection:
            connection.execute(delete(StoreRow))
            if url is not None:
                connection.execute(insert(StoreRow).values(url=url))

    @contextmanager
    def held(self, files: Path) -> Iterator[None]:
        """Keeps every record where it is until the block is left, whatever a policy lets go.

        Args:
            files: the folder of the ladder's files on this machine.
        """
        with record_store.held(files), self._database.records_locked(alone=False):
            yield

    @contextmanager
    def removable(self) -> Iterator[bool]:
        """Whether no other machine holds records; none does until the block is left."""
        with self._database.records_locked(alone=True) as is_alone:
            yield is_alone

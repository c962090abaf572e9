"""The indexes: rows that follow from matches, made of one that was played or of a million."""

import hashlib
import struct
from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any, Final

import msgspec
from sqlalchemy import Connection, delete, insert, inspect, select

from ladder.core.block_codec import packed, packed_counts
from ladder.core.facts import Match, Pool
from ladder.core.tallies import Ledger
from ladder.store import chain, ratings
from ladder.store.bulk_read import plainly
from ladder.store.chain import Damaged
from ladder.store.tables import (
    INDEXES,
    Base,
    FaultFoundRow,
    MatchRow,
    Row,
    SkillRow,
    StepRow,
    table_of,
)

_AT_ONCE: Final = 5_000
_ADD_MATCH: Final = insert(table_of(MatchRow))
_ADD_FAULTS: Final = insert(table_of(FaultFoundRow))
_encode_lines = msgspec.json.Encoder().encode_lines


def match_row(seq: int, number: int, match: Match) -> Row:
    """The row of a match: the fact of this number, and so many matches with those before it.

    Raises:
        ValueError: its blocks or counts are of another number of places.
        OverflowError: a number is too large to be kept.
    """
    job, outcome = match.job, match.outcome
    return {
        "number": number,
        "seq": seq,
        "at_ms": match.at_ms,
        "job": job.name,
        "key": job.key,
        "pool": job.pool,
        "blocks": packed(outcome.blocks, len(job.entrants)),
        "counts": packed_counts(job.entrants, outcome),
        "acts": outcome.acts,
        "wall_us": outcome.wall_us,
        "record": match.record,
    }


def fault_rows(number: int, match: Match) -> list[Row]:
    """The rows of a match's faults."""
    return [
        {
            "match": number,
            "at": at,
            "entrant": match.job.entrants[found.bot],
            "code": str(found.code),
            "detail": found.detail,
        }
        for at, found in enumerate(match.outcome.fault_list)
    ]


def add_match(connection: Connection, pool: Pool, seq: int, number: int, match: Match) -> None:
    """Adds all that follows from a match that was just added to the facts."""
    connection.execute(_ADD_MATCH, match_row(seq, number, match))
    faults = fault_rows(number, match)
    if faults:
        connection.execute(_ADD_FAULTS, faults)
    ratings.add(connection, pool, number, match)


Sink = Callable[[type[Base], list[Row]], None]
"""Is given rows of a table, some thousand at a time."""


class IndexMaker:
    """Makes the rows of all indexes from matches in their order.

    Attributes:
        matches: how many there were.
    """

    def __init__(self, pools: Mapping[int, Pool], sink: Sink) -> None:
        """Begins with indexes that are empty; of the pools more may come."""
        self.matches = 0
        self._ledger = Ledger(pools)
        self._sink = sink
        self._matches: list[Row] = []
        self._faults: list[Row] = []

    @property
    def is_full(self) -> bool:
        """Whether it is time to `flush`."""
        return len(self._matches) >= _AT_ONCE

    def add(self, seq: int, match: Match) -> None:
        """The next match, which is the fact of this number."""
        self.matches += 1
        row = match_row(seq, self.matches, match)
        self._matches.append(row)
        self._faults += fault_rows(self.matches, match)
        self._ledger.add_packed(match.job.pool, row["blocks"], row["counts"])

    def flush(self) -> None:
        """Gives away what waits."""
        steps = sorted(map(dict, self._ledger.steps), key=itemgetter("match", "entrant"))
        waiting = ((MatchRow, self._matches), (FaultFoundRow, self._faults), (StepRow, steps))
        for kind, rows in waiting:
            if rows:
                self._sink(kind, rows)
        for done in (self._matches, self._faults, self._ledger.steps):
            done.clear()

    def end(self) -> None:
        """Gives away what is left, when the last match was added."""
        self.flush()
        skills = ratings.skill_rows(self._ledger.standings)
        if skills:
            self._sink(SkillRow, skills)


def written_to(connection: Connection) -> Sink:
    """What writes rows into their tables; the facts that they refer to have to be there."""

    def write(kind: type[Base], rows: list[Row]) -> None:
        connection.execute(insert(table_of(kind)), rows)

    return write


class IndexDigest:
    """One name for all that follows from facts: SHA-256 over the rows, by table and in order."""

    def __init__(self) -> None:
        """Of no rows."""
        self._hashes = {kind: hashlib.sha256() for kind in INDEXES}

    def add(self, kind: type[Base], rows: list[Row]) -> None:
        """The next rows of a table."""
        names = [column.name for column in table_of(kind).columns]
        self._add(kind, list(map(itemgetter(*names), rows)))

    def _add(self, kind: type[Base], rows: list[tuple[Any, ...]]) -> None:
        self._hashes[kind].update(_encode_lines(rows))

    def hex(self) -> str:
        """64 hex digits."""
        found = b"".join(one.digest() for one in self._hashes.values())
        return hashlib.sha256(found).hexdigest()

    @classmethod
    def of_tables(cls, connection: Connection) -> str:
        """That of the rows that are there; "" where a table is gone."""
        names = {kind.__tablename__ for kind in INDEXES}
        if not names <= {*inspect(connection).get_table_names()}:
            return ""
        found = cls()
        for kind, order in _ORDER.items():
            for part in plainly(connection, select(table_of(kind)).order_by(*order)):
                found._add(kind, part)
        return found.hex()


_ORDER: Final = {
    MatchRow: (MatchRow.number,),
    FaultFoundRow: (FaultFoundRow.match, FaultFoundRow.at),
    SkillRow: (SkillRow.pool, SkillRow.entrant),
    StepRow: (StepRow.match, StepRow.entrant),
}


def rebuilt(
    connection: Connection, pools: Mapping[int, Pool], last: int, watch: Callable[[int], None]
) -> tuple[str, str]:
    """Makes all indexes of the facts; returns their digest before and after.

    Rows are written only if they would be others: most rebuilds are there to see that.

    Args:
        connection: writes.
        pools: by number.
        last: the number of the last fact.
        watch: is told how many matches are done.

    Raises:
        Damaged: a fact does not hold what we wrote.
    """
    before, found = IndexDigest.of_tables(connection), IndexDigest()
    _index(connection, pools, last, found.add, watch)
    if found.hex() != before:
        _clear(connection)
        _index(connection, pools, last, written_to(connection), lambda _: None)
    return before, found.hex()


def _index(
    connection: Connection,
    pools: Mapping[int, Pool],
    last: int,
    sink: Sink,
    watch: Callable[[int], None],
) -> None:
    """Goes through the facts, and gives away what follows from them."""
    maker = IndexMaker(pools, sink)
    for link, fact in chain.facts(connection, last):
        if isinstance(fact, Match):
            try:
                maker.add(link.seq, fact)
            except (LookupError, ValueError, OverflowError, struct.error) as error:
                told = f"it makes no sense ({error}): see `referee ladder verify`"
                raise Damaged(f"fact {link.seq}", told) from error
            if maker.is_full:
                maker.flush()
                watch(maker.matches)
    maker.end()
    watch(maker.matches)


def _clear(connection: Connection) -> None:
    """Takes away all that follows from facts; a table that is gone is there again, empty."""
    Base.metadata.create_all(connection, [table_of(kind) for kind in INDEXES])
    for kind in reversed(INDEXES):
        connection.execute(delete(kind))

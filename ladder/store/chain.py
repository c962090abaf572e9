"""The chain of facts: each is added with its digest, and a hash over it and all before it."""

from typing import Final

from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, insert, select

from ladder.core.facts import FIRST_HASH, Fact, Match, chained, digest_of
from ladder.store.fact_rows import Link, add_rows, kind_of
from ladder.store.tables import FactRow, Row, table_of

_LAST: Final = select(table_of(FactRow)).order_by(FactRow.seq.desc()).limit(1)
_HASH: Final = select(FactRow.hash).where(FactRow.seq == bindparam("seq"))
_ADD: Final = insert(table_of(FactRow))


def last(connection: Connection) -> Link | None:
    """The newest fact, as the chain has it."""
    row = connection.execute(_LAST).first()
    return None if row is None else Link(row.seq, row.kind, row.at_ms, row.digest, row.hash)


def hash_of(connection: Connection, seq: int) -> str | None:
    """The hash of the fact with this number; None where there is none."""
    return connection.execute(_HASH, {"seq": seq}).scalar_one_or_none()


def fact_row(before: Link | None, fact: Fact) -> tuple[Link, Row]:
    """The next link of the chain, and its row."""
    seq, hashed = (0, FIRST_HASH) if before is None else (before.seq, before.hash)
    digest = digest_of(fact)
    link = Link(seq + 1, kind_of(fact), fact.at_ms, digest, chained(hashed, digest))
    return link, asdict(link)


def append(connection: Connection, fact: Fact) -> int:
    """Adds a fact; returns its number. The row of a match is left to `rows.add_match`."""
    link, row = fact_row(last(connection), fact)
    connection.execute(_ADD, row)
    if not isinstance(fact, Match):
        add_rows(connection, link.seq, fact)
    return link.seq

"""The chain of facts: each is kept as the bytes that were hashed, with a hash over all before."""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

import msgspec
from msgspec import Struct
from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, func, insert, select, update

from ladder.core.facts import (
    FIRST_HASH,
    Fact,
    Match,
    Retention,
    Submission,
    as_bytes,
    chained,
    digest_of,
    kind_of,
)
from ladder.store.tables import FactRow, table_of
from referee.errors import RefereeError

PLAIN: Final = (
    "opened",
    "pool",
    "submission",
    "decision",
    "retention",
    "sealed",
    "begun",
    "revealed",
)
"""The kinds of facts that are no matches; of matches there may be a million."""

_AT_ONCE: Final = 500
"""A match can be a megabyte."""

_ENDLESS: Final = 2**63 - 1
_FACT: Final = table_of(FactRow)
_LAST: Final = select(FactRow.seq, FactRow.at_ms, FactRow.hash).order_by(FactRow.seq.desc())
_HASH: Final = select(FactRow.hash).where(FactRow.seq == bindparam("seq"))
_ADD: Final = insert(_FACT)
_ALL: Final = select(_FACT).order_by(FactRow.seq)
_THESE: Final = select(_FACT).where(FactRow.seq.in_(bindparam("seqs", expanding=True)))
_PLAIN: Final = _ALL.where(FactRow.seq > bindparam("after"), FactRow.kind.in_(PLAIN))
_NEXT: Final = _ALL.where(FactRow.seq.between(bindparam("first"), bindparam("last")))
_OF_KIND: Final = select(FactRow.seq).where(FactRow.kind == bindparam("kind")).order_by(FactRow.seq)
_MATCHES: Final = (
    select(func.count())
    .select_from(FactRow)
    .where(FactRow.kind == "match", FactRow.seq <= bindparam("until"))
)
_decode = msgspec.json.Decoder(Fact).decode


class Link(Struct, frozen=True):
    """A fact as it is kept.

    Attributes:
        seq: its number, from 1.
        kind: what it is, as `kind_of` has it.
        at_ms: when it became so.
        digest: SHA-256 of `body`, as `ladder.core.facts.digest_of` has it.
        hash: over it and all before it, see `ladder.core.facts.chained`.
        body: the fact as compact JSON.
    """

    seq: int
    kind: str
    at_ms: int
    digest: str
    hash: str
    body: bytes


class Tip(Struct, frozen=True):
    """Where the chain ends: the number, time and hash of its last fact."""

    seq: int = 0
    at_ms: int = 0
    hash: str = FIRST_HASH


class Damaged(RefereeError):
    """A row does not hold what we wrote.

    Attributes:
        where: which, in words such as "match 12".
        what: in what way.
    """

    def __init__(self, where: str, what: str) -> None:
        """Is told as one line."""
        super().__init__(f"{where}: {what}")
        self.where = where
        self.what = what


def tip(connection: Connection) -> Tip:
    """Return where the chain ends; that of no facts has 0 and `FIRST_HASH`."""
    row = connection.execute(_LAST.limit(1)).first()
    return Tip() if row is None else Tip(row.seq, row.at_ms, row.hash)


def hash_of(connection: Connection, seq: int) -> str | None:
    """The hash of the fact with this number; None where there is none."""
    return connection.execute(_HASH, {"seq": seq}).scalar_one_or_none()


def link(before: Tip, fact: Fact) -> Link:
    """The next fact, as it is kept."""
    digest = digest_of(fact)
    hashed = chained(before.hash, digest)
    return Link(before.seq + 1, kind_of(fact), fact.at_ms, digest, hashed, as_bytes(fact))


def append(connection: Connection, fact: Fact) -> int:
    """Adds a fact; returns its number. What follows from a match is left to others."""
    found = link(tip(connection), fact)
    connection.execute(_ADD, asdict(found))
    return found.seq


def erase_names(connection: Connection, bots: Collection[int]) -> None:
    """Take what names people out of the submissions of some bots, which leaves their digests.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    for row in connection.execute(_ALL.where(FactRow.kind == "submission")).all():
        fact = fact_in(Link(*row))
        assert isinstance(fact, Submission)  # noqa: S101  # it is of that kind
        if fact.bot in bots:
            body = as_bytes(fact.unnamed)
            connection.execute(update(_FACT).where(FactRow.seq == row.seq).values(body=body))


def decoded(found: Link) -> Fact:
    """The fact that is kept so, whatever it is listed as, and was when it was written.

    Raises:
        Damaged: it is none.
    """
    try:
        fact: Fact = _decode(found.body)
    except (ValueError, RecursionError) as error:  # msgspec's are ValueErrors
        raise Damaged(f"fact {found.seq}", f"it cannot be read: {error}") from error
    return fact


def fact_in(found: Link) -> Fact:
    """The fact that is kept so; whether it is the one that was written is not looked into.

    Raises:
        Damaged: it is none, or of another kind.
    """
    fact = decoded(found)
    if kind_of(fact) != found.kind:
        raise Damaged(f"fact {found.seq}", f"{found.kind!r} is of another kind")
    return fact


def facts(connection: Connection, last: int) -> Iterator[tuple[Link, Fact]]:
    """All facts in their order, some thousand at a time.

    Raises:
        Damaged: one is missing, or is not what we wrote.
    """
    seq = 0
    for first in range(1, last + 1, _AT_ONCE):
        span = {"first": first, "last": min(last, first + _AT_ONCE - 1)}
        for row in connection.execute(_NEXT, span).all():
            seq += 1
            if row.seq != seq:
                raise Damaged(f"fact {seq}", "it is missing")
            found = Link(*row)
            yield found, fact_in(found)
    if seq != last:
        raise Damaged(f"fact {seq + 1}", "it is missing")


def plain_facts(connection: Connection, after: int) -> list[Fact]:
    """The facts that came after one, matches left out.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    return [fact_in(Link(*row)) for row in connection.execute(_PLAIN, {"after": after})]


def policies(connection: Connection) -> list[tuple[Retention, int]]:
    """What was decided about records, each with how many matches there were before it.

    Raises:
        Damaged: a row does not hold what we wrote.
    """
    found = []
    for row in connection.execute(_ALL.where(FactRow.kind == "retention")):
        fact = fact_in(Link(*row))
        assert isinstance(fact, Retention)  # noqa: S101  # it is of that kind
        found.append((fact, matches(connection, row.seq)))
    return found


def matches(connection: Connection, until: int = _ENDLESS) -> int:
    """How many of the facts up to one are matches."""
    return connection.execute(_MATCHES, {"until": until}).scalar_one()


def seq_of_submission(connection: Connection, entrant: int) -> int:
    """The number of the fact that is the submission of an entrant: they are counted from 1.

    Raises:
        Damaged: there is none.
    """
    query = _OF_KIND.offset(entrant - 1).limit(1)
    found: int | None = connection.execute(query, {"kind": "submission"}).scalar()
    if found is None:
        raise Damaged(f"entrant {entrant}", "its submission is missing")
    return found


def matches_at(connection: Connection, seqs: Sequence[int]) -> list[Match]:
    """The matches that are the facts of these numbers, in their order.

    Raises:
        Damaged: one is missing, or does not hold what we wrote.
    """
    rows = connection.execute(_THESE, {"seqs": seqs}).all()
    facts = {row.seq: fact_in(Link(*row)) for row in rows}
    found = []
    for seq in seqs:
        fact = facts.get(seq)
        if fact is None:
            raise Damaged(f"fact {seq}", "it is missing")
        if not isinstance(fact, Match):
            raise Damaged(f"fact {seq}", "it is no match")
        found.append(fact)
    return found

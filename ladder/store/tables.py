"""The tables of a ladder.

`fact` is the ladder: its rows are only ever added. `match`, `verdict`, `skill` and `step` are
indexes: they follow from the facts, and `referee ladder rebuild` makes them anew. `job` has what is
to be played, which is no fact yet; `token`, `token_use` and `binding` who may hand in bots; `store`
where records and bots are kept for all machines. Times are milliseconds since 1970, UTC.
"""

from typing import Any, ClassVar, Final

from sqlalchemy import (
    REAL,
    BigInteger,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

_STRICT: dict[str, Any] = {"sqlite_strict": True}


def _key() -> Mapped[int]:
    """A number that we give ourselves."""
    return mapped_column(primary_key=True, autoincrement=False)


class Base(DeclarativeBase):
    """All tables."""

    type_annotation_map: ClassVar[dict[Any, Any]] = {
        str: Text(),
        int: BigInteger().with_variant(Integer(), "sqlite"),  # which has 64 bits, too
        float: Double().with_variant(REAL(), "sqlite"),
        bytes: LargeBinary(),
    }


class SchemaRow(Base):
    """A step of the schema that was taken."""

    __tablename__ = "schema_step"
    __table_args__ = (_STRICT,)

    version: Mapped[int] = _key()
    at_ms: Mapped[int]


class FactRow(Base):
    """A fact, whatever it is of, in the order in which facts became so: `body` is what is hashed.

    `kind` and `at_ms` say again what is in it, so that they can be asked for.
    """

    __tablename__ = "fact"
    __table_args__ = (Index("fact_kind", "kind", "seq"), _STRICT)

    seq: Mapped[int] = _key()
    kind: Mapped[str]
    at_ms: Mapped[int]
    digest: Mapped[str]
    hash: Mapped[str]
    body: Mapped[bytes]


class JobRow(Base):
    """A match that was planned and not played: `body` is a `LadderJob`, whose hash is `job`.

    It was chosen at `at_ms`, when the ladder had so many `facts`.

    `withdrawn` is 1 once its bots play no more, or it was begun again with another key: it is
    leased no more then, but a late result counts. The rest is its lease: who plays it, and until
    when no other runner may.
    """

    __tablename__ = "job"
    __table_args__ = (_STRICT,)

    job: Mapped[str] = mapped_column(primary_key=True)
    key: Mapped[str] = mapped_column(unique=True)
    at_ms: Mapped[int]
    facts: Mapped[int]
    body: Mapped[bytes]
    token: Mapped[str]
    owner: Mapped[str]
    until_ms: Mapped[int]
    attempts: Mapped[int]
    withdrawn: Mapped[int]


class EpochRow(Base):
    """What only the organiser knows of an epoch of a sealed ladder.

    `key` is what its draws' keys are made of, "" before it has begun; `draws` is how many of them
    were taken; `seq` is the fact that committed to `secret`.
    """

    __tablename__ = "epoch"
    __table_args__ = (_STRICT,)

    epoch: Mapped[int] = _key()
    seq: Mapped[int]
    secret: Mapped[str]
    key: Mapped[str]
    draws: Mapped[int]


class MatchRow(Base):
    """A match that was played: what is looked for among all, and what a million are read for."""

    __tablename__ = "match"
    __table_args__ = (Index("match_pool", "pool"), _STRICT)

    number: Mapped[int] = _key()
    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), unique=True)
    at_ms: Mapped[int]
    job: Mapped[str] = mapped_column(unique=True)
    key: Mapped[str] = mapped_column(unique=True)
    pool: Mapped[int]
    blocks: Mapped[bytes]
    counts: Mapped[bytes]
    acts: Mapped[int]
    wall_us: Mapped[int]
    record: Mapped[str]


class FaultFoundRow(Base):
    """A fault that was found in a match; `at` counts from 0."""

    __tablename__ = "verdict"
    __table_args__ = (Index("verdict_entrant", "entrant"), _STRICT)

    match: Mapped[int] = mapped_column(ForeignKey("match.number"), primary_key=True)
    at: Mapped[int] = _key()
    entrant: Mapped[int]
    code: Mapped[str]
    detail: Mapped[str]


class SkillRow(Base):
    """What the online rating says of an entrant in a pool, and what it has played there."""

    __tablename__ = "skill"
    __table_args__ = (_STRICT,)

    pool: Mapped[int] = _key()
    entrant: Mapped[int] = _key()
    mu: Mapped[float]
    sigma: Mapped[float]
    blocks: Mapped[int]
    faulty: Mapped[int]
    deals: Mapped[int]
    voids: Mapped[int]


class StepRow(Base):
    """What the online rating said of an entrant after a match."""

    __tablename__ = "step"
    __table_args__ = (_STRICT,)

    entrant: Mapped[int] = _key()
    match: Mapped[int] = _key()
    mu: Mapped[float]
    sigma: Mapped[float]


class TokenRow(Base):
    """A token of an author; its text is kept nowhere, only the hash. See `ladder.core.tokens`."""

    __tablename__ = "token"
    __table_args__ = (Index("token_author", "author"), _STRICT)

    id: Mapped[str] = mapped_column(primary_key=True)
    author: Mapped[str]
    hash: Mapped[str] = mapped_column(unique=True)
    scopes: Mapped[str]
    made_ms: Mapped[int]
    expires_ms: Mapped[int]
    revoked_ms: Mapped[int]
    binding: Mapped[str]


class TokenUseRow(Base):
    """A use of a token."""

    __tablename__ = "token_use"
    __table_args__ = (Index("token_use_token", "token", "at_ms"), _STRICT)

    number: Mapped[int] = _key()
    at_ms: Mapped[int]
    token: Mapped[str]
    what: Mapped[str]
    address: Mapped[str]


class PersonRow(Base):
    """So many deals of a person at a site's tables were so much above par."""

    __tablename__ = "person"
    __table_args__ = (_STRICT,)

    author: Mapped[str] = mapped_column(primary_key=True)
    pool: Mapped[int] = _key()
    above: Mapped[int] = _key()
    deals: Mapped[int]


class BindingRow(Base):
    """An account elsewhere by which an author signs in; see `ladder.core.tokens`."""

    __tablename__ = "binding"
    __table_args__ = (
        UniqueConstraint("issuer", "subject"),
        Index("binding_author", "author"),
        _STRICT,
    )

    id: Mapped[str] = mapped_column(primary_key=True)
    author: Mapped[str]
    issuer: Mapped[str]
    subject: Mapped[str]
    token: Mapped[str]
    made_ms: Mapped[int]


class StoreRow(Base):
    """The store by URL of the ladder's records and bots, if it has one; see `ladder.files`."""

    __tablename__ = "store"
    __table_args__ = (_STRICT,)

    url: Mapped[str] = mapped_column(primary_key=True)


INDEXES: Final[tuple[type[Base], ...]] = (MatchRow, FaultFoundRow, SkillRow, StepRow)
"""The tables that are made of the facts, those first that others refer to."""

Row = dict[str, Any]
"""A row by the names of its columns."""


def table_of(kind: type[Base]) -> Table:
    """The table itself, for what goes in and out by the thousand: no objects, no bookkeeping."""
    found = kind.__table__
    assert isinstance(found, Table)  # noqa: S101  # of a class that has a name, it is
    return found

"""The tables of a ladder.

Rows of `fact` and of those that point to it are only ever added: the facts. A job is not a fact
before it was played; leases come and go; `skill` and `step` follow from the matches, and
`referee ladder rebuild` makes them anew. Times are milliseconds since 1970, UTC. Lists that nobody
filters by are JSON, or bytes (`ladder.core.block_codec`).
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from sqlalchemy import (
    REAL,
    BigInteger,
    CheckConstraint,
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

from ladder.core.facts import Deed, Keep

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
    """A fact, whatever it is of, in the order in which facts became so."""

    __tablename__ = "fact"
    __table_args__ = (_STRICT,)

    seq: Mapped[int] = _key()
    kind: Mapped[str]
    at_ms: Mapped[int]
    digest: Mapped[str]
    hash: Mapped[str]


class OpenedRow(Base):
    """The ladder."""

    __tablename__ = "opened"
    __table_args__ = (_STRICT,)

    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), primary_key=True)
    ladder: Mapped[str]
    name: Mapped[str]
    referee: Mapped[str]


class PoolRow(Base):
    """A pool; `settings` is a `ladder.core.facts.Pool` as JSON."""

    __tablename__ = "pool"
    __table_args__ = (_STRICT,)

    pool: Mapped[int] = _key()
    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), unique=True)
    name: Mapped[str]
    settings: Mapped[str]


class SubmissionRow(Base):
    """A version of a bot."""

    __tablename__ = "submission"
    __table_args__ = (UniqueConstraint("name", "author", "version"), _STRICT)

    entrant: Mapped[int] = _key()
    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), unique=True)
    bot: Mapped[int]
    name: Mapped[str]
    author: Mapped[str]
    version: Mapped[int]
    hash: Mapped[str]
    source: Mapped[str]
    partners: Mapped[str]
    games: Mapped[str]


class DecisionRow(Base):
    """What was decided of a bot or of a pool; 0 where it is not of one."""

    __tablename__ = "decision"
    __table_args__ = (
        CheckConstraint("deed in ({})".format(", ".join(f"'{deed}'" for deed in Deed))),
        _STRICT,
    )

    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), primary_key=True)
    deed: Mapped[str]
    entrant: Mapped[int]
    pool: Mapped[int]
    reason: Mapped[str]


class RetentionRow(Base):
    """Which records stay from here on."""

    __tablename__ = "retention"
    __table_args__ = (
        CheckConstraint("keep in ({})".format(", ".join(f"'{keep}'" for keep in Keep))),
        _STRICT,
    )

    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), primary_key=True)
    keep: Mapped[str]
    last: Mapped[int]


class JobRow(Base):
    """A match to be played, or that was played."""

    __tablename__ = "job"
    __table_args__ = (_STRICT,)

    job: Mapped[str] = mapped_column(primary_key=True)
    pool: Mapped[int] = mapped_column(ForeignKey("pool.pool"))
    entrants: Mapped[str]
    key: Mapped[str] = mapped_column(unique=True)
    blocks: Mapped[int]
    at_ms: Mapped[int]


class LeaseRow(Base):
    """A job that was not played yet: who plays it, and until when nobody else may."""

    __tablename__ = "lease"
    __table_args__ = (_STRICT,)

    job: Mapped[str] = mapped_column(ForeignKey("job.job"), primary_key=True)
    token: Mapped[str]
    owner: Mapped[str]
    until_ms: Mapped[int]
    attempts: Mapped[int]


class MatchRow(Base):
    """A match that was played."""

    __tablename__ = "match"
    __table_args__ = (Index("match_pool", "pool"), _STRICT)

    number: Mapped[int] = _key()
    seq: Mapped[int] = mapped_column(ForeignKey("fact.seq"), unique=True)
    job: Mapped[str] = mapped_column(ForeignKey("job.job"), unique=True)
    pool: Mapped[int] = mapped_column(ForeignKey("pool.pool"))
    blocks: Mapped[bytes]
    counts: Mapped[bytes]
    acts: Mapped[int]
    wall_us: Mapped[int]
    given_up: Mapped[str]
    game_digest: Mapped[str]
    record: Mapped[str]
    size: Mapped[int]
    referee: Mapped[str]
    sandbox: Mapped[str]


class FaultFoundRow(Base):
    """A fault that was found in a match; `at` counts from 0."""

    __tablename__ = "verdict"
    __table_args__ = (Index("verdict_entrant", "entrant"), _STRICT)

    match: Mapped[int] = mapped_column(ForeignKey("match.number"), primary_key=True)
    at: Mapped[int] = _key()
    entrant: Mapped[int]
    place: Mapped[int]
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


PLAIN: Final[Mapping[str, Any]] = {  # no base of theirs has a `seq`
    "opened": OpenedRow,
    "pool": PoolRow,
    "submission": SubmissionRow,
    "decision": DecisionRow,
    "retention": RetentionRow,
}
"""The tables of facts that are no matches, by the word for them in the table `fact`."""

Row = dict[str, Any]
"""A row by the names of its columns."""


def table_of(kind: type[Base]) -> Table:
    """The table itself, for what goes in and out by the thousand: no objects, no bookkeeping."""
    found = kind.__table__
    assert isinstance(found, Table)  # noqa: S101  # of a class that has a name, it is
    return found

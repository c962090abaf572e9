"""What `referee bench --cluster` found, as one value. Pure."""

from collections.abc import Sequence
from statistics import median
from typing import Final

from msgspec import Struct

from referee.bench.report import Machine
from referee.bench.targets import Goal

_JUDGED: Final = 50
"""Matches of so many deals have a target: shorter ones cost more by the deal everywhere."""

_LEAST: Final = 90.0
"""The target, in per cent of what the pool plays."""


class ClusterRow(Struct, frozen=True, kw_only=True):
    """Matches of one length, with a sample a round.

    Attributes:
        deals: of a match.
        pool_ms: what a match took a core of this machine, in milliseconds.
        cluster_ms: what it took a core of the cluster, by the conductor's clock.
        conductor_ms: processor time of the conductor's own process a match; processes that verify
            records are not in it.
        part: what the cluster played of what the pool did, a core, in per cent: the median, ...
        low: ... the lowest round, ...
        high: ... and the highest.
        overhead_ms: what a match took a core of the cluster more, a median.
        goal: the target of `part`, where there is one.
    """

    deals: int
    pool_ms: tuple[float, ...]
    cluster_ms: tuple[float, ...]
    conductor_ms: tuple[float, ...]
    part: float
    low: float
    high: float
    overhead_ms: float
    goal: Goal | None


class ClusterReport(Struct, frozen=True, kw_only=True):
    """All that was found.

    Attributes:
        here: this machine, which is the conductor and has the pool.
        workers: how many matches its pool plays at a time.
        cluster: the address of the scheduler.
        machines: how many play.
        cores: how many matches those play at a time.
        sandbox: where bots run, there and here.
    """

    here: Machine
    workers: int
    cluster: str
    machines: int
    cores: int
    sandbox: str
    rounds: int
    rows: tuple[ClusterRow, ...]


def row_of(deals: int, samples: Sequence[tuple[float, float, float]]) -> ClusterRow:
    """Return the row of a length of matches.

    Args:
        deals: of a match.
        samples: by round, milliseconds of a core of the pool, of a core of the cluster, and of the
            conductor's process.
    """
    pool, cluster, conductor = zip(*samples, strict=True)
    parts = [100 * here / there for here, there in zip(pool, cluster, strict=True)]
    part = median(parts)
    return ClusterRow(
        deals=deals,
        pool_ms=pool,
        cluster_ms=cluster,
        conductor_ms=conductor,
        part=part,
        low=min(parts),
        high=max(parts),
        overhead_ms=median(there - here for here, there in zip(pool, cluster, strict=True)),
        goal=Goal(f">= {_LEAST:.0f} %", part, part >= _LEAST) if deals == _JUDGED else None,
    )

"""What a run of the benchmark found, as one value. Pure."""

from collections.abc import Mapping
from statistics import median

from msgspec import Struct

from referee.bench.figures import FIGURES, LINE
from referee.bench.targets import Goal, Samples, goal, in_l


class Machine(Struct, frozen=True):
    """Where it was measured.

    Attributes:
        cores: how many we may use.
        compiler: of the C program beside which all is measured; "" where there is none.
        exchange: whether the call that makes an act was compiled: "compiled" or "plain".
        busy: how many processes wanted to run on average in the minute before; ours are none.
    """

    cores: int
    processor: str
    kernel: str
    python: str
    referee: str
    compiler: str
    exchange: str
    busy: float


class Row(Struct, frozen=True):
    """A figure that was measured, with a sample a round.

    Attributes:
        in_l: its median in L; None: it is not to be seen so.
    """

    id: str
    what: str
    unit: str
    samples: tuple[float, ...]
    median: float
    low: float
    high: float
    in_l: float | None
    goal: Goal | None


class BenchReport(Struct, frozen=True):
    """All that was found.

    Attributes:
        line_bytes: how long the line is whose round trip is L: an act's, on average.
        absent: what could not be measured, and why not.
    """

    machine: Machine
    rounds: int
    line_bytes: int
    rows: tuple[Row, ...]
    absent: Mapping[str, str]


def rows_of(samples: Samples, cores: int) -> tuple[Row, ...]:
    """The rows of what was measured in each round, in the order of the table."""
    return tuple(
        Row(
            id=figure.id,
            what=figure.what,
            unit=figure.unit,
            samples=tuple(found),
            median=median(found),
            low=min(found),
            high=max(found),
            in_l=in_l(figure.id, samples) if figure.in_l else None,
            goal=goal(figure.id, samples, cores),
        )
        for figure in FIGURES
        if (found := samples.get(figure.id)) and len(found) == len(samples[LINE])
    )

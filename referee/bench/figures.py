"""What is measured: every figure with its name, what it says, and its unit. Pure."""

from enum import StrEnum
from typing import Final

from msgspec import Struct

LINE: Final = "line"
"""The figure that is L: a round trip in C."""


class Part(StrEnum):
    """What `--only` can be: figures that belong together."""

    ACTS = "acts"
    STARTS = "starts"
    DEALS = "deals"
    DOCKER = "docker"


BY_DEFAULT: Final = tuple(part for part in Part if part is not Part.DOCKER)
"""All but what is slow, and needs a daemon."""


class Figure(Struct, frozen=True):
    """Something that is measured once a round.

    Attributes:
        id: its name in JSON.
        part: what it belongs to; None: it is always measured.
        what: what it is, in a few words.
        unit: of its samples: us an act, ms a bot, or how many a second.
        in_l: whether it is shown in L, too.
    """

    id: str
    part: Part | None
    what: str
    unit: str
    in_l: bool = False


def _acts(sandbox: str, part: Part = Part.ACTS) -> tuple[Figure, ...]:
    return (
        Figure(f"act.{sandbox}.auto", part, f"act, {sandbox}", "us", in_l=True),
        Figure(f"act.{sandbox}.always", part, f"act, {sandbox}, frozen", "us", in_l=True),
    )


def _exchanges(sandbox: str) -> tuple[Figure, ...]:
    what = f"exchange, {sandbox}"
    return (
        Figure(f"exchange.{sandbox}.auto", Part.ACTS, what, "us", in_l=True),
        Figure(f"exchange.{sandbox}.always", Part.ACTS, f"{what}, frozen", "us", in_l=True),
    )


def _starts(sandbox: str, part: Part = Part.STARTS) -> tuple[Figure, ...]:
    return (
        Figure(f"first.{sandbox}", part, f"start, {sandbox}", "ms"),
        Figure(f"life.{sandbox}", part, f"life, {sandbox}", "ms"),
    )


def _deals(sandbox: str) -> Figure:
    return Figure(f"deals.{sandbox}", Part.DEALS, f"deals, {sandbox}", "/s")


FIGURES: Final = (
    Figure(LINE, None, "round trip in C: L", "us", in_l=True),
    *_acts("bare"),
    *_acts("bwrap"),
    *_exchanges("bwrap"),
    *_acts("docker", Part.DOCKER),
    *_starts("bare"),
    *_starts("bwrap"),
    *_starts("docker", Part.DOCKER),
    _deals("bare"),
    _deals("bwrap"),
)
"""In the order of the table."""

LEGEND: Final = """\
act          from its question to the next, by two C bots; frozen: by --freeze always
exchange     what of it is the kernel's and the bots' work: the same lines are written and the
             answers read, and nothing else is done
start, life  of a C bot, to its first line and to its end
deals        of forty acts, by C bots that live for hundreds, on all cores at once;
             target: 0.22 x cores / 40 L"""
"""What the names in the table mean. The game is briscola-2; acts are timed on one core."""

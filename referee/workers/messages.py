"""What the parent and a worker say to each other: one JSON object a line, either way. Pure."""

from typing import Final

import msgspec
from msgspec import Struct

from referee.workers.jobs import Job, JobResult


class SetUp(Struct, frozen=True, tag=True):
    """The first order: how a worker is to work.

    Attributes:
        core: the one that it and its bots run on; None: as it was started.
        sandbox: the word for it on the command line.
    """

    core: int | None
    sandbox: str


class PlayJob(Struct, frozen=True, tag=True):
    """Play this, then wait for the next order."""

    job: Job


class WorkerReady(Struct, frozen=True, tag=True):
    """The sandbox is open; `sandbox` is its name, and what it binds bots by."""

    sandbox: str


class JobPlayed(Struct, frozen=True, tag=True):
    """The job was played."""

    result: JobResult


class JobRefused(Struct, frozen=True, tag=True):
    """A mistake in what was ordered, in one line; `bot` of the job is the reason, if any."""

    line: str
    bot: int | None = None


class Failed(Struct, frozen=True, tag=True):
    """The machine let the worker down, in one line.

    Attributes:
        shortage: whether it ran out of something.
    """

    line: str
    shortage: bool = False


class Broken(Struct, frozen=True, tag=True):
    """A bug of ours: its traceback. The worker ends."""

    trace: str


Order = SetUp | PlayJob
WorkerReport = WorkerReady | JobPlayed | JobRefused | Failed | Broken

_encode = msgspec.json.Encoder().encode
_orders: Final[msgspec.json.Decoder[Order]] = msgspec.json.Decoder(Order)
_reports: Final[msgspec.json.Decoder[WorkerReport]] = msgspec.json.Decoder(WorkerReport)


def line_of(message: Order | WorkerReport) -> bytes:
    """A message as a line."""
    return _encode(message) + b"\n"


def read_order(line: bytes) -> Order:
    """The order that a line holds."""
    return _orders.decode(line)


def read_report(line: bytes) -> WorkerReport:
    """The report that a line holds."""
    return _reports.decode(line)

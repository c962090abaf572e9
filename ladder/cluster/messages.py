"""What a conductor and a machine say to each other: JSON, and files as they are. Pure."""

from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from referee.workers.jobs import Job
from referee.workers.messages import Broken, Failed, JobPlayed, JobRefused

MOST_CORES: Final = 4096
"""More than that no machine has."""

Text = Annotated[str, Meta(max_length=400)]


class Machine(Struct, frozen=True, kw_only=True):
    """How a machine introduces itself.

    Attributes:
        name: what lines call it.
        processor: its kind, as its kernel says.
        cores: how many matches it plays at a time.
        l_us: what a round trip between two C programs costs there, in microseconds; None where it
            has no compiler to tell.
        sandbox: where its bots run, and how that binds them.
        referee: its version.
        rules: the digest of all games there.
        settings: the digest of what its settings grant bots.
    """

    name: Text
    processor: Text
    cores: Annotated[int, Meta(ge=1, le=MOST_CORES)]
    l_us: Annotated[float, Meta(gt=0, le=1e6)] | None
    sandbox: Text
    referee: Text
    rules: Text
    settings: Text


class Errand(Struct, frozen=True):
    """A job for a machine, whose bots came along.

    Attributes:
        job: its bots are as a person typed them at the conductor's.
        bots: for each of them the hash of what came along; "" for a sample, which is there.
    """

    job: Job
    bots: tuple[str, ...]


class Ended(Struct, frozen=True, tag=True):
    """As many workers of the machine as may have ended over the job, in a line."""

    line: str


class Missing(Struct, frozen=True, tag=True):
    """Bots of these hashes have not come along, or are gone: the errand is to be sent with them."""

    hashes: tuple[str, ...]


Report = JobPlayed | JobRefused | Failed | Broken | Ended | Missing


class Brought(Struct, frozen=True):
    """What a machine brings back.

    Attributes:
        report: what came of the job.
        record: the record, compressed or not as it was written; empty where none was wanted.
        stderr: what bots wrote there, likewise.
    """

    report: Report
    record: bytes = b""
    stderr: bytes = b""


encode: Final = msgspec.msgpack.Encoder().encode
read_machine: Final = msgspec.msgpack.Decoder(Machine).decode
read_errand: Final = msgspec.msgpack.Decoder(Errand).decode
read_brought: Final = msgspec.msgpack.Decoder(Brought).decode

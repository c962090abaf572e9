"""What a machine has brought, in its places on this one."""

from contextlib import suppress
from pathlib import Path

from ladder.cluster.messages import Brought
from referee.errors import HostError, shortage
from referee.record.stderr_log import stderr_file
from referee.whole_file import atomic_write
from referee.workers.jobs import UNFINISHED
from referee.workers.player import keep_record


def keep(record: Path, brought: Brought) -> None:
    """Put a record and what bots have written in their places.

    Raises:
        HostError: the disk does not let us.
    """
    unfinished = Path(f"{record}{UNFINISHED}")
    try:
        stderr_file(record).unlink(missing_ok=True)  # of an earlier play
        if brought.stderr:
            with atomic_write(stderr_file(record)) as file:
                file.write(brought.stderr)
        unfinished.write_bytes(brought.record)
        keep_record(unfinished, record)
    except OSError as error:
        told = HostError(f"record {str(record)!r}: {error.strerror}")
        raise shortage(error) or told from error
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)

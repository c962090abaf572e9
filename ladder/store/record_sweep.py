"""Removes the records that a ladder's policy lets go, in steps that are bounded."""

from ladder.core.retention import Sweep
from ladder.files import record_store
from ladder.store.store import Store


class RecordSweep:
    """Removes records of a ladder, while others may play and export it."""

    def __init__(self) -> None:
        """Has removed nothing yet."""
        self._sweep = Sweep()

    @property
    def is_done(self) -> bool:
        """Whether the last step has left nothing to do."""
        return self._sweep.is_done

    @property
    def left(self) -> int:
        """Of how many matches records are still to be removed."""
        return self._sweep.low

    def step(self, store: Store) -> int | None:
        """Removes some hundred records at most; where it fails, the next step does it again.

        Returns:
            How many were removed; None where an export or a proof holds them all.

        Raises:
            HostError: the database or the disk does not let us.
        """
        after, due = store.records_due(self._sweep)
        removed = record_store.remove(store.files, due) if due else 0
        if removed is not None:
            self._sweep = after
        return removed

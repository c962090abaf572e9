"""Removes the records that a ladder lets go, by policy or with a bot, in steps that are bounded."""

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from ladder.core.retention import AT_ONCE, Sweep
from ladder.files import shared_records
from ladder.store.store import Store
from referee.errors import HostError

_NONE: Final = frozenset[int]()


class Due(Struct, frozen=True):
    """What a step removes, and how far it brings a sweep.

    Attributes:
        records: their hashes.
        after: the sweep of what the policy lets go, after that.
        erased: the bots that were erased by then.
        looked_at: the number of the last match of theirs that was looked at.
        more: whether there may be more of those.
    """

    records: tuple[str, ...]
    after: Sweep
    erased: frozenset[int]
    looked_at: int
    more: bool


class RecordSweep:
    """Removes records of a ladder, while others may play and export it."""

    def __init__(self) -> None:
        """Has removed nothing yet."""
        self._sweep = Sweep()
        self._erased = _NONE
        """The bots that were erased by the last step."""
        self._looked_at = 0
        """The number of the last match of theirs whose record is gone."""
        self._more = False

    @property
    def is_done(self) -> bool:
        """Whether the last step has left nothing to do."""
        return self._sweep.is_done and not self._more

    @property
    def left(self) -> int:
        """Of how many matches records are still to be removed by policy."""
        return self._sweep.low

    def step(self, store: Store) -> int | None:
        """Removes some hundred records at most; where it fails, the next step does it again.

        Returns:
            How many were removed; None where an export or a proof holds them all.

        Raises:
            HostError: the database or the disk does not let us.
        """
        due = self.next(store)
        removed = remove_due(store, due)
        if removed is not None:
            self.done(due)
        return removed

    def next(self, store: Store) -> Due:
        """What the next step removes; the database is asked.

        Raises:
            HostError: it does not let us.
        """
        after, records = store.records.due(self._sweep)
        bots = frozenset(store.roster.erased)
        start = self._looked_at if bots == self._erased else 0
        theirs = self._of_erased(store, start)
        records += [record for _, record in theirs if record]
        last = theirs[-1][0] if theirs else start
        return Due(tuple(records), after, bots, last, more=len(theirs) == AT_ONCE)

    def done(self, due: Due) -> None:
        """Note that a step was done."""
        self._sweep, self._erased = due.after, due.erased
        self._more, self._looked_at = due.more, due.looked_at

    def _of_erased(self, store: Store, after: int) -> list[tuple[int, str]]:
        """The next matches with a bot that was erased, and their records."""
        roster = store.roster
        if not roster.erased:
            return []
        entrants = [entrant for entrant in roster.entrants if roster.is_erased(entrant)]
        return store.records.of_entrants(entrants, after, AT_ONCE)


def remove_due(store: Store, due: Due) -> int | None:
    """Removes what is due; in any thread, since a store by URL may be slow.

    Returns:
        How many lay here; None where an export or a proof holds them all.

    Raises:
        HostError: the database, the store or the disk does not let us.
    """
    if not due.records:
        return 0
    with store.records.removable() as is_alone:
        return shared_records.remove(store.files, due.records) if is_alone else None


def removed_now(store: Store, horizon: int, say: Callable[[int, int], None]) -> int:
    """Removes all records that may go; returns how many.

    Args:
        store: the ladder.
        horizon: the number of the last match whose record the policy lets go.
        say: is told of how many matches that was done, and of how many it is to be.

    Raises:
        HostError: the disk does not let us, or they are needed just now.
    """
    sweep, removed = RecordSweep(), 0
    while not sweep.is_done:
        step = sweep.step(store)
        if step is None:
            raise HostError(
                "records are just being exported, proved or kept: try again when that is over"
            )
        removed += step
        say(horizon - sweep.left, horizon)
    return removed

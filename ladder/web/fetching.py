"""What a page needs out of a ladder's store by URL: brought beside it, in bounds.

A store may be slow. A page waits for it in no thread that others need, and not for long.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import trio

from ladder.files import shared_records
from ladder.files.object_store import named
from ladder.web.content import Missing
from referee.errors import HostError, RefereeError

_AT_ONCE: Final = 4
_PATIENCE_S: Final = 5.0
_REST_S: Final = 10.0
"""So long a store that was too slow is not asked again."""

_LATER: Final = "That cannot be had just now; try again later."


class Fetching:
    """Brings files of a ladder from its store to this machine."""

    def __init__(self) -> None:
        """Has brought nothing yet."""
        self._limit = trio.CapacityLimiter(_AT_ONCE)
        self._rests_until = 0.0

    async def record(self, path: Path) -> Path:
        """Return where the record of a match is, once it is there.

        Args:
            path: where it lies, or would.

        Raises:
            Missing: it is not to be had.
        """
        if not _is_there(path):
            await self.brought(path.parents[2], lambda: shared_records.brought_to_show(path))
        if not _is_there(path):
            raise Missing("That record is not there, or not any more.")
        return path

    async def brought(
        self, files: Path, bring: Callable[[], object], patience_s: float = _PATIENCE_S
    ) -> None:
        """Have files brought, where the ladder has a store.

        Args:
            files: the folder of the ladder's files.
            bring: does it, in a thread of its own.
            patience_s: so long it is waited for.

        Raises:
            Missing: they are not to be had.
        """
        try:
            if named(files) is None:
                return
            if trio.current_time() < self._rests_until:
                raise Missing(_LATER)
            with trio.move_on_after(patience_s) as scope:
                await trio.to_thread.run_sync(bring, limiter=self._limit, abandon_on_cancel=True)
        except (RefereeError, HostError) as error:
            raise Missing(_LATER) from error
        if scope.cancelled_caught:
            self._rests_until = trio.current_time() + _REST_S
            raise Missing(_LATER)


def _is_there(path: Path) -> bool:
    return path.is_file()

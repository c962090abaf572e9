"""Jobs made ready to travel: with the bots that play them, and what those have to be."""

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

import trio
from msgspec.structs import replace

from ladder.cluster.bots import Parcel, parcel_of
from referee.bots.settings import Settings
from referee.errors import RefereeError
from referee.workers.jobs import Job, Unready

MOST_BYTES: Final = 256 << 20
"""Packed bots that are kept for the next job; a larger one is kept alone."""


class Errands:
    """Packs the bots of jobs, and keeps those that were used last."""

    def __init__(self, settings: Settings) -> None:
        """Has packed none yet; `settings` are those of this machine."""
        self._settings = settings
        self._parcels: OrderedDict[str, Parcel] = OrderedDict()

    async def ready(self, job: Job) -> tuple[Job, list[Parcel]]:
        """Return a job that says the names and hashes of its bots, and those bots, packed.

        Raises:
            Unready: a bot is none, or does not travel.
            HostError: the disk does not let us.
        """
        parcels = []
        for at, typed in enumerate(job.bots):
            try:
                parcels.append(await self._parcel(typed))
            except RefereeError as error:
                raise Unready(str(error), at) from error
        names = job.names or tuple(one.name for one in parcels)
        hashes = job.hashes or tuple(one.hash for one in parcels)
        return replace(job, names=names, hashes=hashes), parcels

    async def _parcel(self, typed: str) -> Parcel:
        found = self._parcels.get(typed)
        if found is None:
            found = await trio.to_thread.run_sync(parcel_of, typed, self._settings)
            self._parcels[typed] = found
        self._parcels.move_to_end(typed)
        while len(self._parcels) > 1 and _bytes(list(self._parcels.values())) > MOST_BYTES:
            self._parcels.popitem(last=False)
        return found


def _bytes(parcels: Sequence[Parcel]) -> int:
    return sum(len(one.files) for one in parcels)

"""What may be shown of the matches that are played just now, and when there is more of it."""

from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from ladder.files import live_records
from ladder.files.live_records import LiveRecord
from ladder.store.store import Store
from ladder.web.library import REST, Library
from ladder.web.pages.match import names_of
from ladder.web.pages.running import job_of
from referee.match.terms import unusual_options

LOOK_S: Final = 0.5
"""So long what was found stands, however many people look."""

MOST: Final = 64
"""So many matches are followed; those looked at longest ago go first."""


class Shown(Struct, frozen=True):
    """How far a match may be shown.

    Attributes:
        path: of the record; it is gone once the match is over, and comes when it begins.
        game: its id; with `options` that are not as the game has them.
        names: what to call its bots.
        decks: how many decks, each in all seatings.
        deals: how many deals are over, of how many.
    """

    path: Path
    game: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    decks: int
    deals: tuple[int, int]


class _Playing(Struct, frozen=True):
    """Who plays what, as the ladder has it; for names see `Shown`; `of` is how many deals."""

    path: Path
    game: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    of: int


class _Followed(Struct):
    """A match that people look at.

    Attributes:
        looking: whoever looks at the same waits for it.
        state: of the ladder, when it was asked last who plays the match; -1: that is to be asked.
        playing: None if no runner does.
        until: until when `shown` stands.
    """

    looking: trio.Lock
    record: LiveRecord
    state: int = -1
    playing: _Playing | None = None
    until: float = 0.0
    shown: Shown | None = None


class LiveMatches:
    """The matches that are played just now, as far as their records lie on this machine."""

    def __init__(self, library: Library, delay_s: float) -> None:
        """Look at none yet.

        Args:
            library: knows what is played.
            delay_s: how long a deck is over before it is shown.
        """
        self._library = library
        self._delay_s = delay_s
        self._followed: OrderedDict[str, _Followed] = OrderedDict()

    async def look(self, job: str) -> Shown | None:
        """Return how far a match may be shown; None if it is not played, or not any more.

        Args:
            job: the name of the match's job.

        Raises:
            DatabaseGone: the database does not answer.
        """
        found = self._followed.setdefault(job, _Followed(trio.Lock(), LiveRecord(Path())))
        self._followed.move_to_end(job)
        while len(self._followed) > MOST:
            self._followed.popitem(last=False)
        async with found.looking:
            is_due = trio.current_time() >= found.until
            if found.state != self._library.state and (is_due or found.state >= 0):
                await self._ask(job, found)
            if found.playing is None:
                return None
            if found.shown is None or is_due:
                if not await trio.to_thread.run_sync(found.record.look):
                    found.state = -1  # it may be another's by now
                found.shown = self._shown(found.record, found.playing)
                found.until = trio.current_time() + LOOK_S
            return found.shown

    def rest(self, job: str, took_s: float) -> None:
        """Take note how long a film took to make: the next comes so many times as long later."""
        if (found := self._followed.get(job)) is not None:
            found.until = max(found.until, trio.current_time() + REST * took_s)

    def _shown(self, record: LiveRecord, playing: _Playing) -> Shown:
        return Shown(
            path=record.path,
            game=playing.game,
            options=playing.options,
            names=playing.names,
            decks=record.decks(self._delay_s),
            deals=(record.deals, playing.of),
        )

    async def _ask(self, job: str, found: _Followed) -> None:
        """Find out who plays a match now; another runner begins it anew."""
        state = self._library.state
        found.playing = await self._library.ask(partial(_playing, job))
        found.state = state
        if found.playing is not None and found.record.path != found.playing.path:
            found.record, found.shown = LiveRecord(found.playing.path), None


def _playing(name: str, store: Store) -> _Playing | None:
    """Return how a match is played, by the name of its job; None if it is not."""
    playing = job_of(store, name)
    if playing is None or not playing.owner:
        return None
    job = playing.job
    pool = store.roster.pools[job.pool]
    return _Playing(
        path=live_records.written_to(store.files, playing.owner, playing.token),
        game=pool.terms.game,
        options=unusual_options(pool.terms.game, pool.terms.options),
        names=names_of(store, job),
        of=job.blocks * pool.seatings,
    )

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
from ladder.web.library import REST, Body, Library
from ladder.web.pages.match_found import names_of
from ladder.web.pages.running import job_of
from referee.errors import RefereeError
from referee.match.terms import unusual_options
from referee.record.deal_choice import DecksOver
from referee.viewer.page import film_json
from referee.viewer.record_film import film_of_nothing, film_under_way

LOOK_S: Final = 0.5
"""So long what was found stands, however many people look."""

MOST: Final = 64
"""So many matches are followed; those looked at longest ago go first."""

MOST_DEALS: Final = 60
"""So many deals of a match are shown, the last ones: its record has all, once it is over."""


class Shown(Struct, frozen=True):
    """What is shown of a match.

    Attributes:
        film: of the decks that may be shown.
        version: another film has another one.
        deals: how many deals are over, of how many.
    """

    film: Body
    version: int
    deals: tuple[int, int]


class _Playing(Struct, frozen=True):
    """Who plays what, as the ladder has it.

    Attributes:
        path: of the record; it is gone once the match is over, and comes when it begins.
        game: its id; with `options` that are not as the game has them.
        names: what to call its bots.
        legs: how many legs a match has, of so many `blocks` each.
    """

    path: Path
    game: str
    options: tuple[str, ...]
    names: tuple[str, ...]
    legs: int
    blocks: int


class _Followed(Struct):
    """A match that people look at.

    Attributes:
        looking: held by the task that reads the record; others wait for it.
        playing: who plays it, as was found in the `state` of the ladder; -1: that is to be asked.
        decks: how many decks are over in its film.
        until: until when `shown` stands.
    """

    looking: trio.Lock
    record: LiveRecord
    playing: _Playing | None
    state: int
    decks: int = 0
    version: int = 0
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
        self._rest_until = 0.0
        """No film is made before, of whatever match: they cost a part of a core, however many."""
        self._films = trio.CapacityLimiter(1)
        self._followed: OrderedDict[str, _Followed] = OrderedDict()

    def follows(self, job: str) -> bool:
        """Whether people look at a match already, so that it costs little to look at it, too."""
        return job in self._followed

    async def look(self, job: str) -> Shown | None:
        """Return what is shown of a match; None if it is not played, or not any more.

        Args:
            job: the name of the match's job.

        Raises:
            DatabaseGone: the database does not answer.
            RefereeError: the ladder is damaged.
        """
        found = self._followed.get(job)
        if found is None and (found := await self._begun(job)) is None:
            return None
        self._followed.move_to_end(job)
        async with found.looking:
            is_due = trio.current_time() >= found.until
            if found.state != self._library.state and (is_due or found.state >= 0):
                await self._ask(job, found)
            if found.playing is None:
                self._forget(job)
                return None
            if found.shown is None or is_due:
                await self._look(found, found.playing)
                found.until = trio.current_time() + LOOK_S
            return found.shown

    async def _begun(self, job: str) -> _Followed | None:
        """Follow a match from now on; None if it is not played, and then nothing is kept of it."""
        state = self._library.state
        playing = await self._library.ask(partial(_playing, job))
        if playing is None:
            return None
        new = _Followed(trio.Lock(), LiveRecord(playing.path), playing, state)
        found = self._followed.setdefault(job, new)
        while len(self._followed) > MOST:
            self._forget(next(iter(self._followed)))
        return found

    def _forget(self, job: str) -> None:
        self._followed.pop(job, None)  # a task that looks just now has it a moment longer

    async def _ask(self, job: str, found: _Followed) -> None:
        """Find out who plays a match now; another runner begins it anew."""
        state = self._library.state
        found.playing = await self._library.ask(partial(_playing, job))
        found.state = state
        if found.playing is not None and found.record.path != found.playing.path:
            found.record.close()
            found.record, found.shown = LiveRecord(found.playing.path), None

    async def _look(self, found: _Followed, playing: _Playing) -> None:
        record = found.record
        if not await trio.to_thread.run_sync(record.look):
            found.state = -1  # it may be another's by now
        decks = record.decks(self._delay_s)
        deals = (record.deals, playing.blocks * playing.legs)
        film = None if found.shown is None else found.shown.film
        now = trio.current_time()
        if film is None or (decks != found.decks and now >= self._rest_until):
            make = partial(_film, record, playing, decks, deals)
            made = await trio.to_thread.run_sync(make, limiter=self._films)
            self._rest_until = trio.current_time() + REST * (trio.current_time() - now)
            if made is not None:
                film, found.decks, found.version = made, decks, found.version + 1
        if film is not None:
            found.shown = Shown(film, found.version, deals)


def _film(record: LiveRecord, playing: _Playing, decks: int, deals: tuple[int, int]) -> Body | None:
    """Return the film of a match; None where the record has just gone."""
    if not decks:
        nothing = film_of_nothing(playing.game, playing.options, playing.names, deals)
        return Body.of(film_json(nothing).encode())
    over = DecksOver(decks, max(MOST_DEALS // playing.legs, 1))
    try:
        return Body.of(
            film_json(film_under_way(record.opened, playing.names, over, deals)).encode()
        )
    except RefereeError:
        return None


def _playing(name: str, store: Store) -> _Playing | None:
    """Return how a match is played, by the name of its job; None if it is not."""
    found = job_of(store, name)
    if found is None or not found.owner:
        return None
    job = found.job
    pool = store.roster.pools[job.pool]
    return _Playing(
        path=live_records.written_to(store.files, found.owner, found.token),
        game=pool.terms.game,
        options=unusual_options(pool.terms.game, pool.terms.options),
        names=names_of(store, job),
        legs=pool.seatings,
        blocks=job.blocks,
    )

"""The page of a match that is played just now: its cards, as far as they may be shown."""

from msgspec import Struct

from ladder.store.jobs import OpenJob
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Page
from ladder.web.pages.game import pool_of
from ladder.web.pages.match_found import match_of, names_of
from referee.match.terms import unusual_options


class RunningMatch(Struct, frozen=True):
    """A match that was chosen.

    Attributes:
        since_ms: when it was chosen, in milliseconds since 1970.
        match: its number, once it is over.
    """

    id: str
    pool: int
    game: str
    bots: tuple[str, ...]
    entrants: tuple[int, ...]
    since_ms: int | None
    match: int | None


def job_of(store: Store, name: str) -> OpenJob | None:
    """Return the job of a match that was not played yet; None where there is none."""
    store.refresh()
    return next((one for one in store.waiting_jobs() if one.job.name == name), None)


def _make(store: Store, asked: Asked) -> Content:
    name = asked.path["job"]
    found = job_of(store, name)
    number, job = None, None if found is None else found.job
    if job is None:
        number, match = match_of(store, name)
        job = match.job
    pool, names = pool_of(store, str(job.pool)), names_of(store, job)
    over = "" if number is None else f", which is over: it is match {number}"
    return Content(
        title=f"Live: {' - '.join(names)}",
        description=f"A match of {pool.label}{over}.",
        template="running.html",
        value=RunningMatch(
            id=name,
            pool=job.pool,
            game=pool.label,
            bots=names,
            entrants=job.entrants,
            since_ms=None if found is None else found.since_ms,
            match=number,
        ),
        shown={"options": unusual_options(pool.terms.game, pool.terms.options)},
    )


RUNNING = Page(
    name="running",
    path="/running/{job}",
    about="A match that is played just now, by the id of its job; once it is over, its number.",
    type=RunningMatch,
    make=_make,
    lives=False,
)

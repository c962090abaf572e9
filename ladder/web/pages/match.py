"""The page of a match: what came of it, and its record as moving pictures."""

from pathlib import Path

from ladder.core.facts import LadderJob, Match
from ladder.files import record_store
from ladder.show.match_json import LadderMatchJson, match_json
from ladder.store.store import Store
from ladder.web.content import Asked, Content, Missing, Page
from ladder.web.pages.game import pool_of
from referee.errors import RefereeError
from referee.match.terms import unusual_options
from referee.text import plural, told_apart


def match_of(store: Store, text: str) -> tuple[int, Match]:
    """Return a match by its number, or by the first digits of its id.

    Raises:
        Missing: the ladder has no such match.
    """
    store.refresh()
    try:
        return store.match(text)
    except RefereeError as error:
        raise Missing(f"{str(error).capitalize()}.") from error


def names_of(store: Store, job: LadderJob) -> tuple[str, ...]:
    """Return what to call the bots of a match, of which no two are called alike."""
    labels = store.roster.labels(versions=True)
    return tuple(told_apart([labels[entrant] for entrant in job.entrants]))


def record_of(store: Store, number: int, match: Match) -> Path | None:
    """Return where the record of a match is; None if it has none, or not any more."""
    if not match.record or any(map(store.roster.is_erased, match.job.entrants)):
        return None
    path = record_store.path_of(store.files, match.record)
    return path if path.is_file() else None


def _make(store: Store, asked: Asked) -> Content:
    number, match = match_of(store, asked.path["match"])
    names = names_of(store, match.job)
    pool = pool_of(store, str(match.job.pool))
    has_record = record_of(store, number, match) is not None
    record = f"/matches/{number}/record" if has_record else None
    value = match_json(store.roster, number, match, record)
    scores = ", ".join(
        f"{name} {seat.value:+d}" for name, seat in zip(names, value.bots, strict=True)
    )
    return Content(
        title=f"Match {number}: {' - '.join(names)}",
        description=f"{pool.label}, {plural(len(value.blocks), 'block')}: {scores}.",
        template="match.html",
        value=value,
        shown={
            "names": names,
            "pool": pool,
            "options": unusual_options(pool.terms.game, pool.terms.options),
            "record": record,
            "was_kept": bool(match.record),
        },
    )


MATCH = Page(
    name="match",
    path="/matches/{match}",
    about="One match, by its number or by eight digits of its id and more.",
    type=LadderMatchJson,
    make=_make,
    lives=False,
)

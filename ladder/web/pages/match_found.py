"""A match of an address: what the ladder has of it, what to call its bots, where its record is."""

from pathlib import Path

from ladder.core.facts import LadderJob, Match
from ladder.files import record_store
from ladder.files.shared_records import may_be_there
from ladder.store.store import Store
from ladder.web.content import Missing
from referee.errors import RefereeError
from referee.text import told_apart


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
    """Return where the record of a match is; None if it has none, or not any more.

    Where the ladder has a store, it may have to be fetched from there.
    """
    if not match.record or any(map(store.roster.is_erased, match.job.entrants)):
        return None
    path = record_store.path_of(store.files, match.record)
    if path.is_file():
        return path
    has_gone = store.records.gone().may_be(number, match.job.entrants)
    return path if not has_gone and may_be_there(store.files, match.record) else None

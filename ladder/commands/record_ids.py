"""Records by the id of a match: what `referee replay ID` asks for."""

from pathlib import Path

from ladder.commands.shared import opened
from ladder.core.retention import in_words
from ladder.files import record_store, shared_records
from referee.errors import RefereeError


def find(text: str, where: str | None) -> Path:
    """The record of a match.

    Args:
        text: the number of the match, or the first digits of its job's id.
        where: the ladder; None for the usual one.

    Raises:
        RefereeError: there is no such ladder or match, or it has no record.
    """
    with opened(where) as store:
        number, match = store.match(text)
        if not match.record:
            raise RefereeError(f"match {number} has no record: {match.outcome.given_up}")
        path = record_store.path_of(store.files, match.record)
        if any(map(store.roster.is_erased, match.job.entrants)):
            raise RefereeError(f"match {number}: its record is gone, with a bot that was erased")
        if not path.is_file() and number <= store.records.gone().horizon:
            kept = in_words(store.roster.retention)
            raise RefereeError(
                f"match {number}: its record is gone, as the ladder has decided (kept: {kept})"
            )
        if not shared_records.brought(path).is_file():
            raise RefereeError(f"match {number}: its record {str(path)!r} is missing")
        return path

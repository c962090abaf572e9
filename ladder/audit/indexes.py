"""Whether what follows from the facts is in the tables that are made of them, and nothing else."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from ladder.audit.draws import Draws
from ladder.audit.findings import AuditFindings
from ladder.core.epochs import epoch_key
from ladder.core.facts import LadderJob, Match, as_bytes, digest_of_bytes
from ladder.core.seal import commitment
from ladder.store.index_rows import fault_rows, match_row
from ladder.store.raw_rows import Fetched, Page
from ladder.store.tables import Row

_job = msgspec.json.Decoder(LadderJob).decode


def misfits_of(match: Match, number: int, seq: int, page: Page) -> Iterator[str]:
    """What the indexes have otherwise than it follows from a match, in words.

    Args:
        match: the match.
        number: so many matches there are with those before it.
        seq: the number of the fact that it is.
        page: what the indexes have.
    """
    try:
        wanted = match_row(seq, number, match)
    except (ValueError, OverflowError):
        return  # a match that makes no sense, which is told of
    rows = page.matches.get(seq, [])
    if len(rows) != 1:
        yield f"the table match has {len(rows) or 'no'} row{'s' * bool(rows)} of it"
        return
    wrong = _differing(rows[0], wanted)
    if wrong:
        yield f"in the table match, it has another {', '.join(wrong)}"
    try:
        faults = fault_rows(number, match)
    except IndexError:
        return  # likewise
    if not _are_same(page.faults.get(number, []), faults):
        yield "the table verdict has not its faults"


def strays_of(page: Page, matches: Mapping[int, int]) -> Iterator[str]:
    """Rows of the indexes that are of no match, in words.

    Args:
        page: what the indexes have.
        matches: the numbers of its matches, by those of the facts.
    """
    for seq in page.matches:
        if seq not in matches:
            yield f"there is a row of fact {seq}, which is no match"
    numbers = set(matches.values())
    for number in page.faults:
        if number not in numbers:
            yield f"there are faults of match {number}, which has none"


def _differing(row: Fetched, wanted: Row) -> list[str]:
    """The columns that are not the same; numbers and texts of the same look are not."""
    return [name for name, value in wanted.items() if not _is_same(row[name], value)]


def _is_same(one: Any, other: object) -> bool:  # of any type
    return type(one) is type(other) and bool(one == other)


def _are_same(rows: Sequence[Fetched], wanted: Sequence[Row]) -> bool:
    pairs = zip(rows, wanted, strict=False)
    return len(rows) == len(wanted) and not any(_differing(*pair) for pair in pairs)


def examine_jobs(rows: Iterator[Fetched], findings: AuditFindings) -> None:
    """Tells of jobs that wait and are not what they were when they were made."""
    for row in rows:
        where = f"job {row['job'][:16]}"
        if digest_of_bytes(row["body"]) != row["job"]:
            findings.add(where, "its id is not that of what it says")
            continue
        try:
            job = _job(row["body"])
        except (ValueError, RecursionError) as error:
            findings.add(where, f"it cannot be read: {error}")
            continue
        if as_bytes(job) != row["body"]:
            findings.add(where, "its JSON is not as it was written")
        if job.key != row["key"]:
            findings.add(where, "it is listed with another key")
        if job.draw is not None and job.draw.facts != row["facts"]:
            findings.add(where, "it is listed as chosen at another time than it was drawn")


def examine_epochs(rows: Iterator[Fetched], draws: Draws, findings: AuditFindings) -> None:
    """Tells of secrets that are not those that were committed to, and of draws taken twice.

    Args:
        rows: of those epochs whose secrets are in this database.
        draws: all that the facts tell of.
        findings: is told.
    """
    for row in rows:
        number, where = row["epoch"], f"epoch {row['epoch']}"
        sealed = draws.sealed.get(number)
        if sealed is None or commitment(row["secret"]) != sealed.fact.commitment:
            findings.add(where, "its secret is not the one that was committed to")
            continue
        begun = draws.begun.get(number)
        key = "" if begun is None else epoch_key(row["secret"], sealed.hash, begun)
        if (row["seq"], row["key"]) != (sealed.seq, key):
            findings.add(where, "its key is not that of its secret and its beacon")
        elif key:
            draws.check_keys(number, key)  # before its secret is told, too
        if row["draws"] < draws.newest(number):
            findings.add(where, f"draw {draws.newest(number)} was taken, and would be again")

"""Facts from rows that may be damaged; what cannot be read, or says twice not the same, is told."""

from collections.abc import Callable, Sequence
from functools import partial

import msgspec
from msgspec import Struct

from ladder.audit.findings import AuditFindings
from ladder.core.block_codec import packed, packed_counts
from ladder.core.facts import Fact, Match, Opened, Pool, Retention, Submission
from ladder.core.retention import horizon_of
from ladder.store.fact_rows import (
    Damaged,
    Fetched,
    Known,
    Link,
    fact_in_row,
    job_in_row,
    match_in_rows,
    numbers,
    texts,
)
from ladder.store.raw_rows import Examiner, Page, Plain

Tell = Callable[[str], None]
"""Is told what is wrong with the fact at hand."""


class Read(Struct, frozen=True):
    """What a link of the chain stands for.

    Attributes:
        fact: None where it cannot be read.
        is_match: whether it is a match, readable or not.
        tell: is told what is wrong with it.
    """

    fact: Fact | None
    is_match: bool
    tell: Tell


class Reading:
    """Reads the facts of a ladder.

    Attributes:
        known: what matches refer to, whenever it came.
        horizon: records of matches up to this number may be gone by policy.
    """

    def __init__(self, rows: Examiner, findings: AuditFindings) -> None:
        """Reads all that is no match.

        Args:
            rows: of the ladder.
            findings: is told.
        """
        self._rows = rows
        self._findings = findings
        self._plain: dict[int, list[tuple[str, Fact | None]]] = {}
        for one in rows.plain():
            self._plain.setdefault(one.seq, []).append((one.kind, self._fact(one)))
        facts = [fact for found in self._plain.values() for _, fact in found]
        self.known = Known(
            next((fact.ladder for fact in facts if isinstance(fact, Opened)), ""),
            {fact.pool: fact for fact in facts if isinstance(fact, Pool)},
            {fact.entrant: fact.hash for fact in facts if isinstance(fact, Submission)},
        )
        self.horizon = self._horizon()

    def submitted_until(self, last: int) -> frozenset[str]:
        """The hashes of bots that were submitted up to the fact of this number."""
        return frozenset(
            fact.hash
            for seq, found in self._plain.items()
            for _, fact in found
            if seq <= last and isinstance(fact, Submission)
        )

    def _horizon(self) -> int:
        policies = [
            (fact, self._rows.count_matches(seq))
            for seq, found in sorted(self._plain.items())
            for _, fact in found
            if isinstance(fact, Retention)
        ]
        return horizon_of(policies, self._rows.count_matches()) if policies else 0

    def _fact(self, one: Plain) -> Fact | None:
        """The fact of a row that is no match."""
        where = f"{one.kind} of fact {one.seq}"
        try:
            fact = fact_in_row(one.kind, one.row, one.row["at_ms"])
        except Damaged as error:
            self._findings.add(where, error.what, one.seq)
            return None
        written, again = "", ""
        match fact:
            case Pool():
                written, again = one.row["settings"], msgspec.json.encode(fact).decode()
            case Submission():
                lists = (fact.partners, fact.games)
                written = f"{one.row['partners']} {one.row['games']}"
                again = " ".join(msgspec.json.encode(each).decode() for each in lists)
        if written != again:
            self._findings.add(where, "its JSON is not as it was written", one.seq)
        return fact

    def read(self, link: Link, page: Page, number: int) -> Read:
        """What a link stands for.

        Args:
            link: of the chain.
            page: where it is.
            number: of the next match.
        """
        matches = page.matches.get(link.seq, [])
        found = [*self._plain.get(link.seq, []), *(("match", None) for _ in matches)]
        is_match = bool(matches) or (not found and link.kind == "match")
        where = f"match {number}" if is_match else f"fact {link.seq}"
        tell: Tell = partial(self._findings.add, where, fact=link.seq)
        if not found:
            tell(f"its {link.kind[:20]} is missing")
            return Read(None, is_match, tell)
        if len(found) > 1:
            tell(f"there is a {found[1][0]} of that number, too")
            return Read(found[0][1], is_match, tell)
        if is_match:
            return Read(self._match(matches[0], page, link, number, tell), is_match, tell)
        return Read(found[0][1], is_match, tell)

    def _match(self, row: Fetched, page: Page, link: Link, number: int, tell: Tell) -> Match | None:
        """The match of a row."""
        if row["number"] != number:
            tell(f"its number is {row['number']}")
        verdicts = page.verdicts.get(row["number"], [])
        missing = self._missing(row)
        if missing:
            tell(missing)
            return None
        try:
            match = match_in_rows(row, verdicts, link.at_ms, self.known)
        except Damaged as error:
            tell(error.what)
            return None
        for what in _twofold(match, row, verdicts):
            tell(what)
        return match

    def _missing(self, row: Fetched) -> str | None:
        """What the row of a match or a job refers to, and is not there."""
        if row["pool"] not in self.known.pools:
            return f"it is of pool {row['pool']}, and there is none"
        try:
            entrants = numbers(row["entrants"])
        except (ValueError, msgspec.DecodeError):
            return "its entrants cannot be read"
        for entrant in entrants:
            if entrant not in self.known.hashes:
                return f"entrant {entrant} sat at the table, and there is none"
        return None

    def examine_jobs(self) -> None:
        """The id of every job, played or not, has to follow from the rest of it."""
        for row in self._rows.jobs():
            where = f"job {row['job'][:16]}"
            missing = self._missing(row)
            if missing:
                self._findings.add(where, missing)
                continue
            job = job_in_row(row, self.known)
            if job.name != row["job"]:
                self._findings.add(where, "its id is not that of what it says")
            elif texts(job.entrants) != row["entrants"]:
                self._findings.add(where, "its JSON is not as it was written")


def _twofold(match: Match, row: Fetched, verdicts: Sequence[Fetched]) -> list[str]:
    """Where a match's rows say something twice, and not the same."""
    entrants, found = match.job.entrants, []
    if row["job"] != match.job.name:
        found.append("the id of its job is not that of what the job says")
    try:
        blocks = packed(match.outcome.blocks, len(entrants))
        counts = packed_counts(entrants, match.outcome)
    except (ValueError, OverflowError):
        blocks = counts = b""
    if blocks != row["blocks"]:
        found.append("its blocks are not as they were written")
    if counts != row["counts"]:
        found.append("its counts are not of its job's entrants")
    for at, one in enumerate(verdicts):
        place = one["place"]
        seated = 0 <= place < len(entrants) and entrants[place] == one["entrant"]
        if one["at"] != at or not seated:
            found.append(f"verdict {one['at']} is not at its place")
    return found

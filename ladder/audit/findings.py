"""What was found wrong with a ladder. Pure."""

from typing import Final

from msgspec import Struct

from ladder.audit.compared import Compared
from referee.text import plural

MOST: Final = 1000
"""So many findings are kept; of others only how many there are."""

LAST: Final = 2**63
"""The number that sorts a finding behind all facts."""


class AuditFinding(Struct, frozen=True, order=True):
    """Something that is not as it was written, or never could have been.

    Attributes:
        fact: the number of the fact that it is of; 0 for the database, `LAST` for the rest.
        where: in words, such as "match 12".
        what: in words.
    """

    fact: int
    where: str
    what: str

    @property
    def line(self) -> str:
        """As a person reads it."""
        return f"{self.where}: {self.what}"


class AuditReport(Struct, frozen=True, kw_only=True):
    """What came of proving a ladder.

    Attributes:
        findings: in the order of the facts; none if all is well.
        more: how many there are beyond them.
        notes: what is no fault, and worth a word.
        ladder: its id; "" where it cannot be read.
        facts: how many were read.
        matches: how many of those are matches.
        records: how many records were there, and were compared with their hashes.
        proved: how many of them were played again.
        earlier: how many were there that were proved before, and were not looked into.
        gone: how many are gone, as the ladder's policy lets them.
        bots: how many frozen bots were compared with theirs.
        head: the hash of the last fact.
        compared: the earlier heads that it goes on from.
    """

    findings: tuple[AuditFinding, ...]
    more: int
    notes: tuple[str, ...]
    ladder: str
    facts: int
    matches: int
    records: int
    proved: int
    earlier: int
    gone: int
    bots: int
    head: str
    compared: Compared

    def unproved(self) -> tuple[str, ...]:
        """Return what could be otherwise although nothing was found, a sentence each."""
        left = ((self.records - self.proved, "not played again"), (self.gone, "gone by decision"))
        results = (
            f"not proved: that the results of {plural(number, 'match', 'matches')} are those of "
            f"{'its record' if number == 1 else 'their records'}, {why}"
            for number, why in left
            if number
        )
        earlier = self.compared.unproved(self.facts)
        return (*results, *([earlier] if earlier else []))

    @property
    def is_whole(self) -> bool:
        """Whether every result was proved by its record, now or before."""
        return self.proved == self.records and not self.gone

    @property
    def holds(self) -> bool:
        """Whether nothing was found."""
        return not self.findings


class AuditFindings:
    """What was found so far.

    Attributes:
        more: how many were found beyond those that are kept.
        notes: as `AuditReport` has them.
    """

    def __init__(self) -> None:
        """Nothing yet."""
        self._found: list[AuditFinding] = []
        self._known: set[AuditFinding] = set()
        self.more = 0
        self.notes: list[str] = []

    def add(self, where: str, what: str, fact: int = LAST) -> None:
        """Adds a finding, once."""
        found = AuditFinding(fact, where, what)
        if found in self._known:
            return
        if len(self._found) >= MOST:
            self.more += 1
            return
        self._known.add(found)
        self._found.append(found)

    def in_order(self) -> tuple[AuditFinding, ...]:
        """Those that are kept, by fact; of one fact as they were found."""
        return tuple(sorted(self._found, key=lambda one: one.fact))

"""What was found wrong with a ladder. Pure."""

from typing import Final

from msgspec import Struct

from ladder.audit.collusion import Collusion
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


class EpochAudit(Struct, frozen=True, kw_only=True):
    """What was found of an epoch of a sealed ladder.

    Attributes:
        epoch: its number.
        beacon: whose value, of which moment, as its organiser said beforehand.
        value: what was published, as he said later; null where the epoch has not begun.
        proved: whether its secret is told, so that each key was computed again.
        matches: how many were counted.
        draws: how many there were, by the highest that is told of, and by the organiser.
        broken: how many draws' matches were broken off, and their tables played with another.
        repeated: how many tables have several matches: that of a runner that was given up, too.
        missing: how many there are of which nothing is told; `gaps` is which: first and last.
        given_up: how many matches were not played to their end.
        short: how many had fewer blocks than their pool says.
        untold: how many tables could not be drawn again: beside them was a draw of which nothing
            is told, the key that drew them is not told yet, or a bot of that time was erased.
        left_out: how many tables were drawn without some bot that plays.
        omitted: at how many draws a match was under way, by its result, and is not told of.
    """

    epoch: int
    beacon: str
    value: str | None
    proved: bool
    matches: int
    draws: int
    broken: int
    repeated: int
    missing: int
    gaps: tuple[tuple[int, int], ...]
    given_up: int
    short: int
    untold: int
    left_out: int
    omitted: int


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
        collusion: who favours whom, by pool, where that was asked for.
        epochs: of a sealed ladder.
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
    collusion: tuple[Collusion, ...] = ()
    epochs: tuple[EpochAudit, ...] = ()

    def unproved(self) -> tuple[str, ...]:
        """Return what could be otherwise although nothing was found, a sentence each."""
        left = ((self.records - self.proved, "not played again"), (self.gone, "gone by decision"))
        results = (
            f"not proved: that the results of {plural(number, 'match', 'matches')} are those of "
            f"{'its record' if number == 1 else 'their records'}, {why}"
            for number, why in left
            if number
        )
        keys = (
            f"not proved: that the keys of {plural(one.matches, 'match', 'matches')} of epoch "
            f"{one.epoch} had to be so: its secret is not told"
            for one in self._untold
        )
        earlier = self.compared.unproved(self.facts)
        return (*results, *keys, *([earlier] if earlier else []))

    @property
    def _untold(self) -> tuple[EpochAudit, ...]:
        return tuple(one for one in self.epochs if one.matches and not one.proved)

    @property
    def is_whole(self) -> bool:
        """Whether every result was proved by its record, now or before, and every drawn key."""
        return self.proved == self.records and not self.gone and not self._untold

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

"""What was drawn in the epochs of a sealed ladder: whether each key had to be so.

The keys of an epoch are computed again once its secret is told. What the organiser could still
choose is counted, as `EpochAudit` has it.
"""

from collections import Counter, defaultdict

from msgspec import Struct

from ladder.audit.findings import AuditFindings, EpochAudit
from ladder.core.epochs import draw_key, epoch_key
from ladder.core.facts import Begun, Draw, DrawName, Fact, LadderJob, Match, Revealed, Sealed
from ladder.core.roster import Roster


class DrawnMatch(Struct, frozen=True):
    """A match that was drawn: the number of its fact, its own, and what it was."""

    fact: int
    number: int
    job: LadderJob
    draw: Draw
    given_up: bool

    @property
    def where(self) -> str:
        """As findings call it."""
        return f"match {self.number}"


class SealedFact(Struct, frozen=True):
    """How an epoch was committed to, the number of that fact, and its hash in the chain."""

    fact: Sealed
    seq: int
    hash: str


class _OfEpoch:
    """What the facts tell of the draws of an epoch."""

    def __init__(self) -> None:
        self.matches: list[DrawnMatch] = []
        self.numbers: set[int] = set()
        self.broken: set[int] = set()
        self.told = 0
        """How many there were, as the organiser says in the end."""
        self.untold = self.omitted = 0

    @property
    def newest(self) -> int:
        """The highest number of a draw that a match tells of."""
        return max(self.numbers, default=0)


class Draws:
    """The draws of a ladder, as its facts tell of them.

    Attributes:
        matches: by the name of their draw.
        keys: of epochs whose secrets are told.
        sealed: how each epoch was committed to; `begun` is what its beacon has published.
    """

    def __init__(self, findings: AuditFindings) -> None:
        """Nothing was drawn.

        Args:
            findings: is told.
        """
        self.matches: dict[DrawName, DrawnMatch] = {}
        self.keys: dict[int, str] = {}
        self._findings = findings
        self.sealed: dict[int, SealedFact] = {}
        self.begun: dict[int, str] = {}
        self._known: dict[DrawName, DrawnMatch] = {}
        self._epochs: defaultdict[int, _OfEpoch] = defaultdict(_OfEpoch)

    def add(self, fact: Fact, seq: int, chain_hash: str, number: int) -> None:
        """Take in the next fact, which makes sense.

        Args:
            fact: what it is.
            seq: its number.
            chain_hash: over it and all before it.
            number: so many matches there are with it.
        """
        match fact:
            case Sealed():
                self.sealed[fact.epoch] = SealedFact(fact, seq, chain_hash)
            case Begun():
                self.begun[fact.epoch] = fact.beacon
            case Revealed():
                self._reveal(fact, seq)
            case Match(job=LadderJob(draw=Draw() as draw)):
                given_up = bool(fact.outcome.given_up)
                self._take(DrawnMatch(seq, number, fact.job, draw, given_up))

    def _take(self, found: DrawnMatch) -> None:
        draw = found.draw
        if draw.facts >= found.fact:
            self._tell(found, f"it was drawn when there were {draw.facts} facts")
        for name in (draw.name, *draw.broken):
            known = self._known.setdefault(name, found)
            self._epochs[name.epoch].numbers.add(name.number)
            if name == draw.name and name in self.matches:
                self._tell(found, f"its draw is that of {self.matches[name].where}")
            elif _situation(known) != _situation(found):
                self._tell(found, f"draw {name.number} had another table in {known.where}")
        for name in draw.broken:
            self._epochs[name.epoch].broken.add(name.number)
        if draw.name not in self.matches:
            self.matches[draw.name] = found
            self._epochs[draw.name.epoch].matches.append(found)

    def _reveal(self, fact: Revealed, seq: int) -> None:
        beacon, sealed = self.begun[fact.epoch], self.sealed[fact.epoch]
        key = self.keys[fact.epoch] = epoch_key(fact.secret, sealed.hash, beacon)
        self.check_keys(fact.epoch, key)
        epoch = self._epochs[fact.epoch]
        epoch.told = fact.draws
        if fact.draws < epoch.newest:
            where = f"fact {seq}"
            self._findings.add(where, f"there was a draw {epoch.newest}, and more", fact=seq)

    def check_keys(self, epoch: int, key: str) -> None:
        """Compute the keys of an epoch again.

        Args:
            epoch: its number.
            key: what they are made of.
        """
        for found in self._epochs[epoch].matches:
            number = found.draw.name.number
            if found.job.key != draw_key(key, number):
                self._tell(found, f"its key is not that of draw {number}")

    def newest(self, epoch: int) -> int:
        """The highest number of a draw of an epoch that a match tells of; 0 for none."""
        return self._epochs[epoch].newest

    def count_untold(self, found: DrawnMatch) -> None:
        """The table of a match cannot be drawn again."""
        self._epochs[found.draw.name.epoch].untold += 1

    def count_omitted(self, found: DrawnMatch) -> None:
        """When a match was drawn, another one was under way, and it does not tell of that."""
        self._epochs[found.draw.name.epoch].omitted += 1

    def of_table(self, name: DrawName) -> DrawnMatch | None:
        """The match of a draw, or of one that was played in its place; None if none is told of."""
        return self._known.get(name)

    def key_of_table(self, found: DrawnMatch) -> str | None:
        """The key that has drawn the table of a match; None if it is not told yet."""
        name = found.draw.seated_by
        if name == found.draw.name:
            return found.job.key
        epoch = self.keys.get(name.epoch)
        return None if epoch is None else draw_key(epoch, name.number)

    def check_order(self) -> None:
        """Whether draws with higher numbers were drawn later."""
        before = None
        for name in sorted(self.matches):
            found = self.matches[name]
            if found.draw.broken:
                continue  # when it was drawn with this number is not told
            if before is not None and found.draw.facts < before.draw.facts:
                self._tell(found, f"it was drawn before {before.where}, with a later draw")
            before = found

    def _tell(self, found: DrawnMatch, what: str) -> None:
        self._findings.add(found.where, what, fact=found.fact)

    def report(self, roster: Roster) -> tuple[EpochAudit, ...]:
        """Return what was found, by epoch.

        Args:
            roster: of the whole ladder.
        """
        tables = Counter(found.draw.seated_by for found in self.matches.values())
        found = []
        for number, epoch in roster.epochs.items():
            of = self._epochs[number]
            draws = max(of.newest, of.told)
            gaps = _gaps(of.numbers, draws)
            found.append(
                EpochAudit(
                    epoch=number,
                    beacon=epoch.sealed.beacon,
                    value=None if epoch.begun is None else epoch.begun.beacon,
                    proved=epoch.revealed is not None,
                    matches=len(of.matches),
                    draws=draws,
                    broken=len(of.broken),
                    repeated=sum(one.epoch == number for one in tables if tables[one] > 1),
                    missing=sum(last - first + 1 for first, last in gaps),
                    gaps=gaps,
                    given_up=sum(one.given_up for one in of.matches),
                    short=sum(
                        one.job.blocks < roster.pools[one.job.pool].blocks for one in of.matches
                    ),
                    untold=of.untold,
                    left_out=sum(bool(one.draw.without) for one in of.matches),
                    omitted=of.omitted,
                )
            )
        return tuple(found)


def _situation(found: DrawnMatch) -> tuple[object, ...]:
    """What has to be the same in all matches of a table."""
    draw, job = found.draw, found.job
    return job.pool, job.entrants, draw.seated_by, draw.facts, draw.beside, draw.without


def _gaps(numbers: set[int], last: int) -> tuple[tuple[int, int], ...]:
    """Return the first and last of each run of numbers from 1 to `last` that are not there."""
    gaps, before = [], 0
    for number in sorted({*numbers, last + 1}):
        if number > before + 1:
            gaps.append((before + 1, number - 1))
        before = number
    return tuple(gaps)

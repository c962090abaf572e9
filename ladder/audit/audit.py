"""Goes through a ladder once, and tells all that is not as it was written.

It trusts nothing but the hash that it ends with: the chain shows what was changed by accident or
carelessness; who can change facts can hash them anew, and only a published head shows that.
"""

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct

from ladder.audit.chain import Links
from ladder.audit.claim_check import ClaimCheck, own_claims
from ladder.audit.claims import Claim
from ladder.audit.collusion import collusion
from ladder.audit.drawn_tables import DrawnTables
from ladder.audit.draws import Draws
from ladder.audit.files import examine_bots, note_due, note_erased, note_orphans
from ladder.audit.findings import AuditFindings, AuditReport
from ladder.audit.indexes import examine_epochs, examine_jobs, misfits_of, strays_of
from ladder.audit.placements import Placements
from ladder.audit.plausibility import Story
from ladder.audit.pool_rules import pool_misfit
from ladder.audit.ratings import Benchings, Ratings
from ladder.audit.records import Records, Scope
from ladder.audit.sample import drawn
from ladder.core.facts import Fact, Match, Opened, Pool, Retention, Submission
from ladder.core.retention import RecordsGone, erased_in, horizon_of
from ladder.core.roster import Roster
from ladder.store.chain import Damaged, Link, decoded
from ladder.store.database import Database
from ladder.store.kept_records import KeptRecords
from ladder.store.location import Where, usual_files
from ladder.store.migrations import check_version, version_of
from ladder.store.raw_rows import Examiner, Page
from referee.errors import HostError, RefereeError

ProgressCallback = Callable[[int, int], None]
"""Is told how many matches are done, and how many there are."""


Tell = Callable[[str], None]
"""Is told what is wrong with the fact at hand."""


class Wanted(Struct, frozen=True):
    """What is to be proved, apart from all that always is.

    Attributes:
        sample: how many matches are played again; None for all.
        seed: which, if not all.
        workers: how many processes play them.
        claims: what was said of the ladder before: it has to go on from there.
        since: as one of these, when all was proved: the records and bots of the facts that it has
            only have to be there. Those facts are compared with it all the same.
        report: whether to look who favours whom, in all that is played again.
    """

    sample: int | None = None
    seed: str = ""
    workers: int = 1
    claims: tuple[Claim, ...] = ()
    since: Claim | None = None
    report: bool = False

    @property
    def every_claim(self) -> tuple[Claim, ...]:
        """All that the ladder has to go on from."""
        return self.claims if self.since is None else (*self.claims, self.since)


def prove(
    where: Where, wanted: Wanted, watch: ProgressCallback = lambda _, __: None
) -> AuditReport:
    """Proves a ladder.

    Args:
        where: it is.
        wanted: how much.
        watch: is told how it goes.

    Raises:
        RefereeError: there is no ladder of ours, or its file is too damaged to be read at all.
        HostError: the database does not let us.
    """
    if where.is_missing:
        check_version(0, where)
    database, findings = Database(where, to_prove=True), AuditFindings()
    try:
        files, kept = _files(where, database), KeptRecords(database)
        with suppress(RefereeError, HostError):  # what is wrong there is told below
            kept.note_store(files)
        claims = ClaimCheck(wanted.every_claim, own_claims(files, findings), findings)
        with kept.held(files), database.reading() as connection:
            check_version(
                version_of(connection), where
            )  # facts are read as they are now, not later
            rows = Examiner(connection, local=where.is_local, found=findings.add)
            return _proved(
                files,
                rows,
                wanted=wanted,
                claims=claims,
                findings=findings,
                watch=watch,
                hint=_hint(where),
            )
    finally:
        database.close()


def _files(where: Where, database: Database) -> Path:
    """The folder of the ladder's files, known before what is proved is read: no record goes then.

    Raises:
        RefereeError: it is of another schema.
    """
    with database.reading() as connection:
        check_version(version_of(connection), where)
        if where.files is not None:
            return where.files
        rows = Examiner(connection, local=where.is_local, found=lambda *_: None)
        opened = [fact for _, fact in _plain(rows) if isinstance(fact, Opened)]
        return usual_files(opened[0].ladder if opened else "")


def _plain(rows: Examiner) -> Iterator[tuple[int, Fact]]:
    """The facts that are listed as no matches, as far as they can be read, with their numbers."""
    for link in rows.plain():
        with suppress(Damaged):  # it comes once more, with all facts
            yield link.seq, decoded(link)


def _gone(rows: Examiner) -> RecordsGone:
    """Of which matches records may be gone."""
    facts = list(_plain(rows))
    policies = [
        (fact, rows.count_matches(seq)) for seq, fact in facts if isinstance(fact, Retention)
    ]
    horizon = horizon_of(policies, rows.count_matches()) if policies else 0
    return RecordsGone(horizon, erased_in(fact for _, fact in facts))


def _hint(where: Where) -> str:
    """What else to say if no record is there: a folder that was not named may be another one."""
    return "" if where.files is not None else "; ?files=DIR may be missing in the ladder's URL"


def _proved(
    files: Path,
    rows: Examiner,
    *,
    wanted: Wanted,
    claims: ClaimCheck,
    findings: AuditFindings,
    watch: ProgressCallback,
    hint: str,
) -> AuditReport:
    rows.examine_database()
    total = rows.count_matches()
    earlier = 0 if wanted.since is None else rows.count_matches(wanted.since.head.facts)
    scope = Scope(_chosen(wanted, earlier, total), earlier, _gone(rows), wanted.report)
    since = 0 if wanted.since is None else wanted.since.head.facts
    through = _Through(rows, findings, claims, since)
    with Records(files, scope, wanted.workers, findings) as records:
        through.go(records, lambda number: watch(number, total))
        examine_jobs(rows.jobs(), findings)
        examine_epochs(rows.epochs(), through.draws, findings)
        rows.examine_twins()
        records.end(hint)
    compared = claims.compare(through.ladder)
    note_erased(through.erased, findings)
    bots = examine_bots(files, through.bots, findings, through.bots_before)
    note_due(records.due, findings)
    note_orphans(files, rows.records(), findings)
    return AuditReport(
        findings=findings.in_order(),
        more=findings.more,
        notes=tuple(findings.notes),
        ladder=through.ladder,
        facts=through.facts,
        matches=through.matches,
        records=records.compared,
        proved=records.proved,
        earlier=records.earlier,
        gone=records.gone,
        bots=bots,
        head=through.links.hash,
        compared=compared,
        collusion=collusion(through.roster, records.gifts),
        epochs=through.draws.report(through.roster),
    )


def _chosen(wanted: Wanted, earlier: int, total: int) -> Collection[int] | None:
    """Numbers of the matches that are played again; None for all that are new."""
    if wanted.sample is None:
        return None
    found = drawn(total - earlier, wanted.sample, wanted.seed)
    return frozenset(earlier + number for number in found)


class _Through:
    """Once through the facts, in their order.

    Attributes:
        facts: how many there were.
        matches: how many of those are matches, readable or not.
        links: the chain, up to the last of them.
        ladder: the ladder's id; "" where it cannot be read.
        bots: the hashes of those that were handed in.
        bots_before: of those, the ones up to the fact `since`.
        draws: of its matches, where it is sealed.
    """

    def __init__(
        self, rows: Examiner, findings: AuditFindings, claims: ClaimCheck, since: int
    ) -> None:
        self.facts = self.matches = 0
        self.links = Links()
        self.ladder = ""
        self.bots: dict[str, None] = {}
        self.bots_before: set[str] = set()
        self._since = since
        self._rows = rows
        self._findings = findings
        self._claims = claims
        self._story = Story()
        self._ratings = Ratings(self._story.roster.pools, rows.steps(), findings)
        self._benchings = Benchings(self._ratings.standings)
        self._placements = Placements()
        self.draws = Draws(findings)

    @property
    def erased(self) -> int:
        """How many bots were erased."""
        return len(self.roster.erased)

    @property
    def roster(self) -> Roster:
        """Who was in the ladder in the end."""
        return self._story.roster

    def go(self, records: Records, watch: Callable[[int], None]) -> None:
        """All of them."""
        for page in self._rows.pages():
            matches: dict[int, int] = {}
            for link in page.links:
                self.facts += 1
                before = self.matches
                self._take(link, page, records)
                if self.matches > before:
                    matches[link.seq] = self.matches
                    watch(self.matches)
            for what in strays_of(page, matches):
                self._findings.add("table match", what)
        roster = self._story.roster
        left = (*self._benchings.add(roster, None), *self._placements.before(roster, None))
        for what in (*left, *self._story.end()):
            self._findings.add("after the last fact", what)
        if self.facts == 0:
            self._findings.add("ladder", "it has no facts")
        self._ratings.end(self._rows.skills())
        if self.draws.matches:
            self.draws.check_order()
            DrawnTables(self.draws, self._findings).go(self._facts(), watch)

    def _facts(self) -> Iterator[tuple[int, Fact]]:
        """All facts that can be read, once more."""
        for page in self._rows.pages():
            for link in page.links:
                with suppress(Damaged):  # it was told of
                    yield link.seq, decoded(link)

    def _take(self, link: Link, page: Page, records: Records) -> None:
        """One fact, or what is left of it."""
        fact, unread = None, ""
        try:
            fact = decoded(link)
        except Damaged as error:
            unread = error.what
        is_match = isinstance(fact, Match) or (fact is None and link.kind == "match")
        self.matches += is_match
        where = f"match {self.matches}" if is_match else f"fact {link.seq}"
        tell: Tell = partial(self._findings.add, where, fact=link.seq)
        for what in filter(None, (unread, *self.links.add(link, fact))):
            tell(what)
        self._claims.see(link.seq, link.hash, fact)
        for what in () if fact is None else self._placements.before(self._story.roster, fact):
            tell(what)
        sound = fact is not None and self._makes_sense(fact, tell)
        if isinstance(fact, Match):
            for what in misfits_of(fact, self.matches, link.seq, page):
                tell(what)
        elif fact is not None:
            self._note(fact, link.seq, tell)
        if isinstance(fact, Match) and sound:
            self._ratings.add(self.matches, fact)
            roster = self._story.roster
            self._placements.add(roster, fact)
            names = tuple(roster.entrants[entrant].name for entrant in fact.job.entrants)
            records.add(link.seq, self.matches, fact, roster.pools[fact.job.pool], names)
        elif is_match:
            self._ratings.skip(self.matches)
        if fact is not None and sound:
            self.draws.add(fact, link.seq, self.links.hash, self.matches)
            for what in self._benchings.add(self._story.roster, fact):
                tell(what)

    def _makes_sense(self, fact: Fact, tell: Tell) -> bool:
        trouble = self._story.add(fact)
        for what in trouble:
            tell(what)
        return not trouble

    def _note(self, fact: Fact, seq: int, tell: Tell) -> None:
        """A fact that is no match: what later ones, and the files, are compared with."""
        match fact:
            case Opened():
                self.ladder = self.ladder or fact.ladder
            case Pool():
                wrong = pool_misfit(fact)
                if wrong is not None:
                    tell(f"pool {fact.pool}: {wrong}")
            case Submission():
                self.bots[fact.hash] = None
                if seq <= self._since:
                    self.bots_before.add(fact.hash)

"""Goes through a ladder once, and tells all that is not as it was written.

It trusts nothing but the hash that it ends with: the chain shows what was changed by accident or by
somebody careless; who can change facts can hash them anew, and only a published head shows that.
"""

from collections.abc import Callable, Collection
from pathlib import Path

from msgspec import Struct

from ladder.audit.chain import Links
from ladder.audit.claim_check import ClaimCheck, own_claims
from ladder.audit.claims import Claim
from ladder.audit.decode_rows import Read, Reading
from ladder.audit.files import examine_bots, note_due, note_orphans
from ladder.audit.findings import AuditFindings, AuditReport
from ladder.audit.plausibility import Story
from ladder.audit.pool_rules import pool_misfit
from ladder.audit.ratings import Benchings, Ratings
from ladder.audit.records import Records, Scope
from ladder.audit.sample import drawn
from ladder.core.facts import Match, Pool
from ladder.files import record_store
from ladder.store.database import Database
from ladder.store.location import Where, usual_files
from ladder.store.migrations import check_version, version_of
from ladder.store.raw_rows import Examiner

ProgressCallback = Callable[[int, int], None]
"""Is told how many matches are done, and how many there are."""


class Wanted(Struct, frozen=True):
    """What is to be proved, apart from all that always is.

    Attributes:
        sample: how many matches are played again; None for all.
        seed: which, if not all.
        workers: how many processes play them.
        claims: what was said of the ladder before: it has to go on from there.
        since: as one of these, when all was proved: the records and bots of the facts that it has
            only have to be there. Those facts are compared with it all the same.
    """

    sample: int | None = None
    seed: str = ""
    workers: int = 1
    claims: tuple[Claim, ...] = ()
    since: Claim | None = None

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
    if where.is_local and not where.database.exists():
        check_version(0, where)
    database, findings = Database(where), AuditFindings()
    try:
        files = _files(where, database)
        claims = ClaimCheck(wanted.every_claim, own_claims(files, findings), findings)
        with record_store.held(files), database.reading() as connection:
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
        return usual_files(Reading(rows, AuditFindings()).known.ladder)


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
    reading = Reading(rows, findings)
    known, total = reading.known, rows.count_matches()
    earlier = 0 if wanted.since is None else rows.count_matches(wanted.since.head.facts)
    scope = Scope(_chosen(wanted, earlier, total), earlier, reading.horizon)
    through = _Through(reading, rows, findings, claims)
    with Records(files, scope, wanted.workers, findings) as records:
        through.go(records, lambda number: watch(number, total))
        reading.examine_jobs()
        rows.examine_twins()
        records.end(hint)
    compared = claims.compare(known.ladder)
    submitted = reading.submitted_until(0 if wanted.since is None else wanted.since.head.facts)
    bots = examine_bots(files, known.hashes.values(), findings, submitted)
    note_due(records.due, findings)
    note_orphans(files, rows.records(), findings)
    return AuditReport(
        findings=findings.in_order(),
        more=findings.more,
        notes=tuple(findings.notes),
        ladder=known.ladder,
        facts=through.facts,
        matches=through.matches,
        records=records.compared,
        proved=records.proved,
        earlier=records.earlier,
        gone=records.gone,
        bots=bots,
        head=through.links.hash,
        compared=compared,
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
    """

    def __init__(
        self, reading: Reading, rows: Examiner, findings: AuditFindings, claims: ClaimCheck
    ) -> None:
        self.facts = self.matches = 0
        self.links = Links()
        self._reading = reading
        self._rows = rows
        self._findings = findings
        self._claims = claims
        self._story = Story()
        self._ratings = Ratings(self._story.roster.pools, rows.steps(), findings)
        self._benchings = Benchings(self._ratings.standings)

    def go(self, records: Records, watch: Callable[[int], None]) -> None:
        """All of them."""
        for page in self._rows.pages():
            for link in page.links:
                self.facts += 1
                read = self._reading.read(link, page, self.matches + 1)
                for what in self.links.add(link, read.fact):
                    read.tell(what)
                self._claims.see(link.seq, link.hash, read.fact)
                self._take(read, link.seq, records)
                if read.is_match:
                    watch(self.matches)
        for what in self._benchings.add(self._story.roster, None):
            self._findings.add("after the last fact", what)
        if self.facts == 0:
            self._findings.add("ladder", "it has no facts")
        self._ratings.end(self._rows.skills())

    def _take(self, read: Read, seq: int, records: Records) -> None:
        """One fact, or what is left of it."""
        fact, tell = read.fact, read.tell
        self.matches += read.is_match
        trouble = [""] if fact is None else self._story.add(fact)
        for what in filter(None, trouble):
            tell(what)
        if isinstance(fact, Pool):
            wrong = pool_misfit(fact)
            if wrong is not None:
                tell(f"pool {fact.pool}: {wrong}")
        if isinstance(fact, Match) and not trouble:
            self._ratings.add(self.matches, fact)
            records.add(seq, self.matches, fact, self._reading.known.pools[fact.job.pool])
        elif read.is_match:
            self._ratings.skip(self.matches)
        if fact is not None and not trouble:
            for what in self._benchings.add(self._story.roster, fact):
                tell(what)

"""Goes through a ladder once, and tells all that is not as it was written.

It trusts nothing but the hash that it ends with: the chain shows what was changed by accident or by
somebody careless; who can change facts can hash them anew, and only a published head shows that.
"""

from collections.abc import Callable

from msgspec import Struct

from ladder.facts import FIRST_HASH, Match, Pool
from ladder.heads import Head, misfit
from ladder.proving.findings import Findings, Report
from ladder.proving.links import Links
from ladder.proving.pools import pool_misfit
from ladder.proving.ratings import Benchings, Ratings
from ladder.proving.reading import Read, Reading
from ladder.proving.records import Records, examine_bots, note_orphans
from ladder.proving.sampling import drawn
from ladder.proving.story import Story
from ladder.store.database import Database
from ladder.store.examining import Examiner
from ladder.store.migrations import check_version, version_of
from ladder.store.where import Where, usual_files

Watch = Callable[[int, int], None]
"""Is told how many matches are done, and how many there are."""


class Wanted(Struct, frozen=True):
    """What is to be proved, apart from all that always is.

    Attributes:
        sample: how many matches are played again; None for all.
        workers: how many processes play them.
        head: published before: the ladder has to go on from there.
    """

    sample: int | None = None
    workers: int = 1
    head: Head | None = None


def prove(where: Where, wanted: Wanted, watch: Watch = lambda _, __: None) -> Report:
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
    database, findings = Database(where), Findings()
    try:
        with database.reading() as connection:
            check_version(version_of(connection), where)
            rows = Examiner(connection, local=where.is_local, found=findings.add)
            return _proved(where, rows, wanted, findings, watch)
    finally:
        database.close()


def _proved(
    where: Where, rows: Examiner, wanted: Wanted, findings: Findings, watch: Watch
) -> Report:
    rows.examine_database()
    reading = Reading(rows, findings)
    known, total = reading.known, rows.count_matches()
    files = where.files or usual_files(known.ladder)
    chosen = None if wanted.sample is None else drawn(total, wanted.sample, rows.newest())
    through = _Through(reading, rows, findings)
    with Records(files, chosen, wanted.workers, findings) as records:
        at_head = through.go(records, lambda number: watch(number, total), wanted.head)
        reading.examine_jobs()
        rows.examine_twins()
        closed = where.files is None  # a folder that nobody named: it may be another one
        records.end("; ?files=DIR may be missing in the ladder's URL" if closed else "")
    if wanted.head is not None:
        trouble = misfit(wanted.head, known.ladder, at_head.get)
        if trouble is not None:
            findings.add("head", trouble)
    bots = examine_bots(files, known.hashes.values(), findings)
    note_orphans(files, rows.records(), findings)
    return Report(
        findings=findings.in_order(),
        more=findings.more,
        notes=tuple(findings.notes),
        ladder=known.ladder,
        facts=through.facts,
        matches=through.matches,
        records=records.compared,
        proved=records.proved,
        bots=bots,
        head=through.links.hash,
    )


class _Through:
    """Once through the facts, in their order.

    Attributes:
        facts: how many there were.
        matches: how many of those are matches, readable or not.
        links: the chain, up to the last of them.
    """

    def __init__(self, reading: Reading, rows: Examiner, findings: Findings) -> None:
        self.facts = self.matches = 0
        self.links = Links()
        self._reading = reading
        self._rows = rows
        self._findings = findings
        self._story = Story()
        self._ratings = Ratings(self._story.roster.pools, rows.steps(), findings)
        self._benchings = Benchings(self._ratings.standings)

    def go(
        self, records: Records, watch: Callable[[int], None], head: Head | None
    ) -> dict[int, str]:
        """All of them; returns the hash of the one that a head speaks of, by its number."""
        at_head: dict[int, str] = {0: FIRST_HASH}
        for page in self._rows.pages():
            for link in page.links:
                self.facts += 1
                read = self._reading.read(link, page, self.matches + 1)
                for what in self.links.add(link, read.fact):
                    read.tell(what)
                if head is not None and head.facts == link.seq:
                    at_head[link.seq] = link.hash
                self._take(read, link.seq, records)
                if read.is_match:
                    watch(self.matches)
        for what in self._benchings.add(self._story.roster, None):
            self._findings.add("after the last fact", what)
        if self.facts == 0:
            self._findings.add("ladder", "it has no facts")
        self._ratings.end(self._rows.skills())
        return at_head

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

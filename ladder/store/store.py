"""The store of a ladder: every method is one transaction, done wholly or not at all."""

import secrets
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Final, Self

from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Connection

from ladder.core.block_codec import Results
from ladder.core.candidates import Situation
from ladder.core.facts import FIRST_HASH, Decision, Fact, Match, Opened, Pool, Submission, kind_of
from ladder.core.roster import Roster
from ladder.core.tallies import FaultKind
from ladder.files.signed_head import Head
from ladder.store import chain, jobs, queries, ratings
from ladder.store.bindings import Bindings
from ladder.store.chain import Damaged
from ladder.store.database import Database, make_file
from ladder.store.draws import next_draw
from ladder.store.epochs import Epochs, reveal_earlier
from ladder.store.erasure import Erasure
from ladder.store.index_rows import rebuilt
from ladder.store.jobs import Lease, Plan, Settled
from ladder.store.kept_records import KeptRecords
from ladder.store.location import Where, check_owner, usual_files
from ladder.store.migrations import check_version, migrate, version_of
from ladder.store.people import People
from ladder.store.queries import EVERY_MATCH, WantedMatches
from ladder.store.recent import Recent
from ladder.store.tokens import Tokens
from referee.errors import RefereeError
from referee.text import printable
from referee.version import own_version

_ID_BYTES: Final = 16


class Beginning(Struct, frozen=True):
    """What a new ladder begins with.

    Attributes:
        name: of the ladder; None for that of its folder or database.
        pools: without numbers and times.
    """

    name: str | None
    pools: tuple[Pool, ...]


class Store:
    """An open ladder; a context that closes it.

    Attributes:
        where: it is.
        files: the folder of its bots and records.
        roster: its pools and bots, as of the last transaction.
        tokens: those of its authors; `bindings` the accounts by which they sign in.
        people: what they have played at tables.
        records: those of its matches.
        erasure: takes out what names an author.
        epochs: in which matches are drawn, if it is sealed.
    """

    def __init__(self, where: Where, beginning: Beginning | None = None) -> None:
        """Opens a ladder, or makes one.

        Args:
            where: it is.
            beginning: makes a new one, where there is none; None: there must be one.

        Raises:
            RefereeError: there is none, or it is another user's, of another schema, or damaged.
            HostError: the database does not let us.
        """
        self.where = where
        self.roster = Roster()
        self._seen = 0
        self._recent = Recent()
        check_owner(where)
        if where.is_missing:
            if beginning is None:
                check_version(0, where)
            _make(where)
        self._database = Database(where)
        self.tokens = Tokens(self._database)
        self.people = People(self._database)
        self.bindings = Bindings(self._database)
        self.records = KeptRecords(self._database)
        self.erasure = Erasure(self._database)
        self.epochs = Epochs(self._database)
        try:
            self._open(beginning)
            self._refresh_alone()
            self.opened = self._beginning()
            self.files = where.files or usual_files(self.opened.ladder)
            check_owner(replace(where, files=self.files))
            self.records.note_store(self.files)
        except BaseException:
            self.close()
            raise

    def _open(self, beginning: Beginning | None) -> None:
        with self._database.reading() as connection:
            found = version_of(connection)
        if found == 0 and beginning is not None:
            with self._database.writing() as connection:
                if migrate(self._database, connection) == 0:
                    self._begin(connection, beginning)
                found = version_of(connection)
        check_version(found, self.where)

    def _begin(self, connection: Connection, beginning: Beginning) -> None:
        now = self._database.now_ms(connection)
        name = self.where.database.parent.name if self.where.is_local else self.where.url.database
        name = printable(beginning.name or name or "ladder")
        ladder = secrets.token_hex(_ID_BYTES)
        chain.append(connection, Opened(ladder, name, now, own_version()))
        for number, pool in enumerate(beginning.pools, 1):
            chain.append(connection, replace(pool, pool=number, at_ms=now))

    # --- who there is

    def _refresh_alone(self) -> None:
        with self._database.reading() as connection:
            self._refresh(connection)

    def _refresh(self, connection: Connection) -> None:
        """Takes in the facts that others have added meanwhile."""
        newest = chain.tip(connection)
        if newest.seq > self._seen:
            for fact in chain.plain_facts(connection, self._seen):
                self._add(fact)
            self._seen = newest.seq

    def _add(self, fact: Fact) -> None:
        try:
            self.roster.add(fact)
        except KeyError as error:
            raise Damaged(
                f"ladder {self.where.typed!r} is damaged",
                f"a {kind_of(fact)} is of {error}, which it does not have: see "
                "`referee ladder verify`",
            ) from error

    def _beginning(self) -> Opened:
        if self.roster.opened is None:
            raise RefereeError(
                f"ladder {self.where.typed!r} is damaged: its first fact is missing; restore it "
                "from a backup, or import an export of it"
            )
        return self.roster.opened

    def refresh(self) -> Roster:
        """The pools and bots as they are now."""
        self._refresh_alone()
        return self.roster

    def add(self, make: Callable[[Roster, int], Iterable[Fact]]) -> list[Fact]:
        """Adds facts other than matches.

        Args:
            make: makes them from who there is and the time; no other process adds any meanwhile.

        Raises:
            RefereeError: a version of a bot would be there twice.
        """
        with self._database.writing() as connection:
            self._refresh(connection)
            found = list(make(self.roster, self._database.now_ms(connection)))
            for fact in found:
                self._check_version(fact)
                chain.append(connection, fact)
        self._refresh_alone()
        return found

    def _check_version(self, fact: Fact) -> None:
        known = ((one.name, one.author, one.version) for one in self.roster.entrants.values())
        if isinstance(fact, Submission) and (fact.name, fact.author, fact.version) in known:
            raise RefereeError(f"there is a version {fact.version} of {fact.name} by {fact.author}")

    # --- what is played

    def take(
        self,
        owner: str,
        lease_ms: int,
        is_alive: Callable[[str], bool],
        plan: Plan,
        avoid: Collection[int] = (),
        *,
        told: Callable[[Match, list[Decision]], None] = lambda _, __: None,
    ) -> Lease | None:
        """Leases a job; see `jobs.take`.

        Those that no runner can play are counted as such; `told` hears of them, and who is benched.
        """
        while True:
            with self._database.writing() as connection:
                self._refresh(connection)
                now = self._database.now_ms(connection)
                found = jobs.take(
                    connection,
                    self.roster,
                    now_ms=now,
                    owner=owner,
                    until_ms=now + lease_ms,
                    is_alive=is_alive,
                    plan=plan,
                    avoid=avoid,
                    recent=self._recent.tables(connection),
                )
                if not isinstance(found, Match):
                    return found
                facts = jobs.settle(connection, self.roster, found) or []
            told(found, [fact for fact in facts if isinstance(fact, Decision)])

    def renew(self, lease: Lease) -> Lease:
        """Give a job whose match was broken off another key; see `jobs.renew`."""
        with self._database.writing() as connection:
            self._refresh(connection)
            return jobs.renew(connection, self.roster, lease)

    def extend(self, tokens: Iterable[str], lease_ms: int) -> None:
        """Keeps leases for so long from now on."""
        with self._database.writing() as connection:
            until = self._database.now_ms(connection) + lease_ms
            for token in tokens:
                jobs.extend(connection, token, until)

    def give_back(self, tokens: Iterable[str]) -> None:
        """Lets go of leases whose jobs were not played."""
        with self._database.writing() as connection:
            for token in tokens:
                jobs.give_back(connection, token)

    def settle(self, match: Match) -> tuple[Settled, list[Decision]]:
        """Counts a match once, however often this is called; says who was benched for it."""
        with self._database.writing() as connection:
            self._refresh(connection)
            now = self._database.now_ms(connection)
            found = jobs.settle(connection, self.roster, replace(match, at_ms=now))
            reveal_earlier(connection, self.roster, now)
        if found is None:
            return Settled.DUPLICATE, []
        return Settled.COUNTED, [fact for fact in found if isinstance(fact, Decision)]

    def situation(self) -> Situation:
        """What a next match would be chosen by."""
        with self._database.reading() as connection:
            self._refresh(connection)
            return Situation(
                self.roster,
                ratings.standings(connection),
                jobs.open_jobs(connection),
                self._recent.tables(connection),
                next_draw(connection, self.roster),
            )

    def waiting_jobs(self) -> list[jobs.OpenJob]:
        """The matches that have no result yet, the oldest first, with their leases."""
        with self._database.reading() as connection:
            return jobs.waiting_jobs(connection)

    # --- what is read

    def results(self, pool: int) -> Results:
        """All blocks of a pool."""
        with self._database.reading() as connection:
            self._refresh(connection)
            return queries.results(connection, self.roster.pools[pool])

    def idle_since(self, pool: int, at_ms: int) -> frozenset[int]:
        """The entrants all of whose matches in a pool were counted before a moment."""
        with self._database.reading() as connection:
            return queries.idle_since(connection, pool, at_ms)

    def faults(self, pool: int, without: Collection[int] = ()) -> list[FaultKind[int]]:
        """The faults of a pool, alike ones together; without those in matches of some entrants."""
        with self._database.reading() as connection:
            return queries.faults(connection, pool, without)

    def steps(self, entrants: Iterable[int]) -> list[queries.Step]:
        """How online ratings went."""
        with self._database.reading() as connection:
            return queries.steps(connection, tuple(entrants))

    def match(self, text: str) -> tuple[int, Match]:
        """A match by its number, or by the first digits of its job's id.

        Raises:
            RefereeError: there is none, or there are several.
        """
        with self._database.reading() as connection:
            return queries.match(connection, text)

    def matches_of(
        self, entrants: Iterable[int], most: int, pools: Sequence[int] | None = None
    ) -> list[tuple[int, Match]]:
        """The last matches of some entrants, the newest first; in all pools, or in these."""
        only = None if pools is None else tuple(pools)
        wanted = WantedMatches(entrants=tuple(entrants), pools=only)
        with self._database.reading() as connection:
            return queries.newest_matches(connection, most, wanted)

    def counts(self) -> queries.Counts:
        """How much there is."""
        with self._database.reading() as connection:
            return queries.counts(connection)

    def pulse(self) -> queries.Pulse:
        """By what it is seen that the ladder has changed."""
        with self._database.reading() as connection:
            return queries.pulse(connection)

    def newest_matches(
        self, most: int, wanted: WantedMatches = EVERY_MATCH
    ) -> list[tuple[int, Match]]:
        """The last matches, the newest first, of those that are wanted."""
        with self._database.reading() as connection:
            return queries.newest_matches(connection, most, wanted)

    def meetings(
        self, pool: int, ones: Iterable[int], others: Iterable[int], most: int
    ) -> list[tuple[int, Match]]:
        """The last matches of a pool in which one of each group of entrants played."""
        with self._database.reading() as connection:
            return queries.meetings(connection, pool, tuple(ones), tuple(others), most)

    @contextmanager
    def moment(self) -> Iterator[Head]:
        """A block in which all that is read is of one moment; for one thread, which only reads.

        Yields:
            Where the ladder stands then; its time is that of the last fact.
        """
        with self._database.moment():
            yield self.head()

    def head(self) -> Head:
        """Where the ladder stands; its time is that of the last fact."""
        with self._database.reading() as connection:
            tip = chain.tip(connection)
        return Head(ladder=self.opened.ladder, facts=tip.seq, hash=tip.hash, at_ms=tip.at_ms)

    def fact_of(self, entrant: int) -> int:
        """The number of the fact that is the submission of an entrant."""
        with self._database.reading() as connection:
            return chain.seq_of_submission(connection, entrant)

    def hash_of(self, seq: int) -> str | None:
        """The hash of the fact with this number; None where there is none."""
        with self._database.reading() as connection:
            return FIRST_HASH if seq == 0 else chain.hash_of(connection, seq)

    @contextmanager
    def facts(self) -> Iterator[queries.Reader]:
        """All facts, as they are at one moment."""
        with self._database.reading() as connection:
            yield queries.Reader(connection)

    def rebuild(self, watch: Callable[[int], None] = lambda _: None) -> tuple[str, str]:
        """Makes all that follows from facts anew; returns its digest before and after.

        Args:
            watch: is told how many matches are done.

        Raises:
            Damaged: a fact does not hold what we wrote.
        """
        with self._database.writing() as connection:
            self._refresh(connection)
            return rebuilt(connection, self.roster.pools, self._seen, watch)

    def close(self) -> None:
        """Closes the database; idempotent."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def _make(where: Where) -> None:
    """Makes a ladder's file, for its owner only: it has the cards of matches to come."""
    try:
        make_file(where)
    except OSError as error:
        raise RefereeError(f"ladder {where.typed!r}: {error.strerror}") from error

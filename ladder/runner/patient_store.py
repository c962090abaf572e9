"""The store as tasks see it: one question at a time, in a thread; patient while it is away."""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from typing import Final, Protocol, TypeVar

import trio

from ladder.core.candidates import Situation
from ladder.core.facts import Decision, Match
from ladder.core.roster import Roster
from ladder.files import shared_records
from ladder.files.object_store import StoreAway, named
from ladder.store.database import DatabaseGone
from ladder.store.head_log import publish
from ladder.store.jobs import Lease, Plan, Settled
from ladder.store.record_sweep import RecordSweep, remove_due
from ladder.store.store import Store
from ladder.submissions import shared_bots
from ladder.submissions.frozen_bots import BOTS
from referee.errors import HostError, RefereeError
from referee.workers.jobs import Unready

PATIENCE_S: Final = 600.0
"""So long a database may be away before we give up."""

_SHARED_AT_ONCE: Final = 4
"""So many records and bots are on their way to the store, or from there, at a time."""

_FIRST_WAIT_S: Final = 0.1
_LONGEST_WAIT_S: Final = 5.0

T = TypeVar("T")


class Listener(Protocol):
    """Who is told that the database is away, and that it is back."""

    def say(self, line: str) -> None:
        """Something that people should know."""


class Desk:
    """Puts questions to a store. None is lost: who asks waits until the database is back.

    Attributes:
        is_alive: whether another runner still lives.
        given_up: matches that `take` found no runner can play, with who is benched for them; who
            tells people of them takes them away.
    """

    def __init__(
        self,
        store: Store,
        is_alive: Callable[[str], bool],
        listener: Listener,
        *,
        heads_every: int = 0,
    ) -> None:
        """Asks nothing yet.

        Args:
            store: open until the last question was answered.
            is_alive: whether another runner still lives.
            listener: is told of troubles.
            heads_every: after how many matches a signed head is published; 0: never.
        """
        self._store = store
        self.is_alive = is_alive
        self.given_up: list[tuple[Match, list[Decision]]] = []
        self._listener = listener
        self._sweep = RecordSweep()
        self._one = trio.CapacityLimiter(1)
        self._sweeping = trio.Lock()
        self._sharing = trio.CapacityLimiter(_SHARED_AT_ONCE)
        self._away: list[str] = []
        self._heads_every = heads_every
        self._unpublished = 0

    @property
    def roster(self) -> Roster:
        """Who there is, as of the last question."""
        return self._store.roster

    async def situation(self) -> Situation:
        """What a next match would be chosen by."""
        return await self._ask(self._store.situation)

    async def take(
        self, owner: str, lease_ms: int, plan: Plan, avoid: Collection[int]
    ) -> Lease | None:
        """Leases a job; see `Store.take`."""

        def told(match: Match, decisions: list[Decision]) -> None:
            self.given_up.append((match, decisions))

        return await self._ask(
            lambda: self._store.take(owner, lease_ms, self.is_alive, plan, avoid, told=told)
        )

    async def renew(self, lease: Lease) -> Lease:
        """Give a job whose match was broken off another key; see `jobs.renew`."""
        return await self._ask(lambda: self._store.renew(lease))

    async def extend(self, tokens: Sequence[str], lease_ms: int) -> None:
        """Keeps leases."""
        await self._ask(lambda: self._store.extend(tokens, lease_ms))

    async def leave(self, tokens: Sequence[str]) -> None:
        """Lets go of leases; once, since they expire by themselves."""
        if tokens:
            await trio.to_thread.run_sync(
                self._store.give_back, tokens, limiter=self._one, abandon_on_cancel=True
            )

    async def settle(self, match: Match) -> tuple[Settled, list[Decision]]:
        """Counts a match; where it cannot be known whether it was, it is counted again."""
        found = await self._ask(lambda: self._store.settle(match))
        self._unpublished += found[0] is Settled.COUNTED
        if 0 < self._heads_every <= self._unpublished:
            self._unpublished = 0
            await self._ask(lambda: publish(self._store))
        return found

    async def let_records_go(self) -> None:
        """Removes some of the records that the ladder's policy lets go."""
        if self._sweeping.locked():
            return
        async with self._sweeping:
            due = await self._ask(lambda: self._sweep.next(self._store))
            if await self._ask(lambda: remove_due(self._store, due), self._sharing) is not None:
                self._sweep.done(due)

    async def has_record(self, record: str) -> bool:
        """Whether a match has this record."""
        return await self._ask(lambda: self._store.records.has(record))

    async def share(self, record: str) -> None:
        """Puts a record that was kept into the ladder's store, if it has one."""
        await self._ask(lambda: shared_records.share(self._store.files, record), self._sharing)

    async def discard(self, record: str) -> None:
        """Removes a record that has become part of no fact."""
        await self._ask(lambda: shared_records.discard(self._store.files, record), self._sharing)

    async def bring(self, bots: Collection[str]) -> None:
        """Brings the frozen bots of these hashes here that are not, if the ladder has a store.

        Raises:
            Unready: the store has not one of them, or another one in its place.
        """
        files = self._store.files
        for at, digest in enumerate(bots):
            if (files / BOTS / digest).is_dir() or named(files) is None:
                continue
            try:
                folder = await self._ask(partial(shared_bots.found, files, digest), self._sharing)
            except RefereeError as error:
                raise Unready(str(error), at) from error
            if not folder.is_dir():
                raise Unready("its files are not in the ladder's store", at)

    async def _ask(
        self, question: Callable[[], T], limiter: trio.CapacityLimiter | None = None
    ) -> T:
        """The answer, as soon as there is one.

        Args:
            question: one to the database; of those it is asked one at a time.
            limiter: how many are asked at a time, where it is one to the store of files.

        Raises:
            HostError: there is none, and none is to be expected.
        """
        wait, until = _FIRST_WAIT_S, trio.current_time() + PATIENCE_S
        while True:
            try:
                answer = await trio.to_thread.run_sync(question, limiter=limiter or self._one)
            except (DatabaseGone, StoreAway) as gone:
                if trio.current_time() > until:
                    kind = StoreAway if isinstance(gone, StoreAway) else HostError
                    raise kind(f"{gone}; it was away for {PATIENCE_S:.0f} s") from gone
                what = "the store" if isinstance(gone, StoreAway) else "the database"
                if what not in self._away:
                    self._away.append(what)
                    self._listener.say(f"{gone}; waiting for it")
                await trio.sleep(wait)
                wait = min(2 * wait, _LONGEST_WAIT_S)
                continue
            back = "the database" if limiter is None else "the store"
            if back in self._away:
                self._away.remove(back)
                self._listener.say(f"{back} answers again")
            return answer

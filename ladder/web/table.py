"""A table of the site at which people play, with bots of the ladder in the other seats."""

import math
import secrets
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.web.content import Refused
from ladder.web.person import LONGEST_WITH_OTHERS_S, Person, Said
from ladder.web.table_match import play_beside
from ladder.web.table_process import ADVISER, Compared, Ended, TableOrder, TableReport
from referee.errors import RefereeError
from referee.people.par import par_parts
from referee.viewer.page import film_json
from referee.viewer.record_film import film_of

ID_BYTES: Final = 12
INVITATION_BYTES: Final = 24
LONGEST_FINISH_S: Final = 10 * 60.0
"""So long a deal may take that its person has left: bots alone play it, and par."""

LONGEST_WAIT_S: Final = 15 * 60.0
"""So long a table waits for people who are invited."""

_LONGEST_SCORE_S: Final = 10.0
_GOES_ON: Final = "A bot plays on for you; this page says later how it ends."
_BROKEN_OFF: Final = "The match was broken off."


Score = Callable[[int | None], Awaitable[Said | None]]
"""Writes down by how much a deal was above par, None for the worst that can be.

It returns what is to be said of it.
"""


class Kept(Struct, frozen=True):
    """A match that is over: its record, and the same as moving pictures."""

    record: bytes
    film: bytes


class Table:
    """People, and the bots that they play with.

    Attributes:
        id: 24 hex digits.
        author: who has laid it, and sits at its first seat.
        order: what is played.
        people: who sits where, by the index of the seat.
        invitation: a secret by which others sit down; "" where none are expected, or no more.
        waits: whether people may still come and go.
        kept: what there is to look at when it is over.
        is_over: whether it is, for those who play; its process may still play a deal to its end.
        ended_at: when it ended, by trio's clock; infinite while it goes on.
    """

    def __init__(
        self, author: str, order: TableOrder, *, invites: bool = False, score: Score | None = None
    ) -> None:
        """Lay the table; nothing is played yet.

        Args:
            author: sits at the first seat.
            order: what is played.
            invites: whether other people are expected.
            score: is told how a deal went of a person who sits alone with bots; None: none counts.
        """
        self.id = secrets.token_hex(ID_BYTES)
        self.author = author
        self.order = order
        self.waits = invites
        self.invitation = secrets.token_urlsafe(INVITATION_BYTES) if invites else ""
        self.people = {0: self._person(author, author)}
        self.kept: Kept | None = None
        self.is_over = False
        self.ended_at = math.inf
        self._score = score
        self._compared: Compared | None = None
        self._ended: Ended | None = None
        self._result = _BROKEN_OFF
        self._begun = trio.Event()
        self._scope = trio.CancelScope()

    @property
    def counts(self) -> bool:
        """Whether it is written down how its person plays, who sits alone with bots."""
        return self._score is not None and len(self.people) == 1

    def has(self, author: str) -> bool:
        """Whether an author plays here, and has not left."""
        return any(one.author == author and not one.left for one in self.people.values())

    def person_of(self, author: str = "", secret: str = "") -> Person | None:
        """Return who is meant by a token's author, or by what a guest's browser is known by."""
        people = self.people.values()
        if author:
            return next((one for one in people if one.author == author), None)
        guests = (one for one in people if not one.author)
        return next((one for one in guests if are_same(one.secret, secret)), None)

    def names(self, person: Person | None = None) -> list[str]:
        """Return what to call those who play, by bot; `person` themselves is "you"."""
        bots = [at for at in range(self.order.seats) if at not in self.people]
        called = {
            at: self.order.called if len(bots) == 1 else f"{self.order.called}#{number}"
            for number, at in enumerate(bots, 1)
        }
        people = {at: one.you if one is person else one.name for at, one in self.people.items()}
        return [(called | people)[at] for at in range(self.order.seats)]

    def others(self, person: Person) -> str:
        """Return the names of those a person plays with, bots that play alike once."""
        people = [one.name for one in self.people.values() if one is not person]
        bots = [self.order.called] if len(self.people) < self.order.seats else []
        return ", ".join([*people, *bots])

    def gone(self, person: Person) -> list[Said]:
        """Return who of the others has left, so that a bot plays on for them."""
        return [
            Said("left", {"who": one.name})
            for one in self.people.values()
            if one.left and one is not person
        ]

    def result(self, person: Person) -> str:
        """Return how it ended for a person; "" while they play."""
        if person.left:
            return f"{person.left} {self._after_leaving(person)}".rstrip()
        return self._how_it_ended(person) if self.is_over else ""

    def _after_leaving(self, person: Person) -> str:
        if not self.is_over:
            return "" if self.waits else _GOES_ON
        return "" if self._ended is None else self._how_it_ended(person)

    def _how_it_ended(self, person: Person) -> str:
        if self._ended is None:
            return self._result
        total = self.total(person)
        gave_up = self._ended.given_up
        why = f"The machine gave the match up: {gave_up}. " if gave_up else ""
        return f"{why}The match is over: {total}."

    def total(self, person: Person) -> str:
        """Return the scores of a match that was played to its end, for a person; "" before."""
        if self._ended is None:
            return ""
        scores = zip(self.names(person), self._ended.scores, strict=True)
        return ", ".join(f"{name} {score:+d}" for name, score in scores)

    # before it begins

    def send_away(self, seat: int) -> None:
        """Free a seat; who holds the invitation of before cannot come with it again.

        Raises:
            Refused: no guest sits there, or the match has begun.
        """
        found = self.people.get(seat)
        if not self.waits or found is None or found.author == self.author:
            raise Refused("There is none at that seat who could be sent away.")
        self.invitation = secrets.token_urlsafe(INVITATION_BYTES)
        found.leave(f"{self.author} has sent you away.")

    def sit(self, name: str, author: str) -> Person:
        """Have one more person sit down, at the first seat that is free.

        Raises:
            Refused: none is, or another has this name.
        """
        free = [at for at in range(self.order.seats) if at not in self.people]
        if not self.waits or not free:
            raise Refused("The match has begun, or all seats are taken.")
        if name in {one.name for one in self.people.values()}:
            raise Refused(f"There is a {name} at this table; take another name.")
        found = self.people[free[0]] = self._person(name, author)
        self._tell()
        return found

    def move(self, person: Person, seat: int) -> None:
        """Have a person sit elsewhere.

        Raises:
            Refused: the seat is not free, or the match has begun.
        """
        is_free = seat not in self.people and 0 <= seat < self.order.seats
        if not self.waits or not is_free or person not in self.people.values():
            raise Refused("That seat is not free, or not any more.")
        self.people = {at: one for at, one in self.people.items() if one is not person}
        self.people[seat] = person
        self._tell()

    def begin(self) -> None:
        """Begin the match; bots take the seats that are free. Idempotent."""
        self.waits, self.invitation = False, ""
        if len(self.people) > 1:
            for one in self.people.values():
                one.patience_s = LONGEST_WITH_OTHERS_S
        self._begun.set()
        self._tell()

    # while it is played

    async def play(self) -> str:
        """Play the match to its end; for what it returns and raises see `play_beside`."""
        wrong = ""
        try:
            with self._scope:
                if not await self._all_are_there():
                    return ""
                names = {at: one.name for at, one in self.people.items()}
                seats = {at: one.serve for at, one in self.people.items()}
                order = replace(self.order, people=names, compares=len(names) == 1)
                wrong = await play_beside(order, seats, self._hear, self._keep)
                if wrong:
                    self._result = "The machine could not play this match."
        finally:
            try:
                await self._tell_score()
            finally:
                self._end()
        return wrong

    async def bots_have_played(self, person: Person) -> None:
        """Wait until a person is asked, this one or another, or there is nothing to wait for."""
        while not (self.waits or self.result(person) or self._asks()):
            async with trio.open_nursery() as nursery:
                for one in self.people.values():
                    nursery.start_soon(_then_end, one.changed.wait, nursery.cancel_scope)

    def _asks(self) -> bool:
        return any(one.seen.asked for one in self.people.values())

    def _end(self) -> None:
        self.waits, self.is_over = False, True
        self.ended_at = trio.current_time()
        for one in self.people.values():
            one.seen.asked = None
        self._tell()

    async def _all_are_there(self) -> bool:
        """Wait for those who are invited; return whether the match begins."""
        if not self.waits:
            return True
        with trio.move_on_after(LONGEST_WAIT_S):
            await self._begun.wait()
            return True
        self._result = "The table has waited for too long."
        return False

    async def _keep(self, record: Path) -> None:
        alone = next(iter(self.people.values())) if len(self.people) == 1 else None
        self.kept = await trio.to_thread.run_sync(_kept, record, tuple(self.names(alone)))

    def _hear(self, report: TableReport) -> None:
        match report:
            case Compared():
                self._hear_par(report)
            case Ended():
                self._ended = report
        self._tell()

    def _hear_par(self, report: Compared) -> None:
        self._compared = report
        (person,) = self.people.values()  # otherwise nothing is compared
        if report.par is not None:
            bot = ADVISER.removeprefix("sample:")
            person.seen.words.append(Said("par", par_parts(report.deal, report.par, bot)))

    async def _tell_score(self) -> None:
        """Write down how a person has played, though the match may have been broken off.

        One that was left and could not be played to its end counts as the worst, else there were
        something to choose. What was dealt again after a mishap does not: its cards were known.
        """
        person = next(iter(self.people.values()))
        if self._score is None or len(self.people) > 1 or person.lives != 1:
            return
        par = None if self._compared is None else self._compared.par
        was_given_up = self._compared is None and bool(person.left) and self._scope.cancelled_caught
        if par is None and not (was_given_up and person.seen.deal):
            return
        with trio.move_on_after(_LONGEST_SCORE_S, shield=True):
            said = await self._score(None if par is None else par.value - par.par_value)
            if said is not None:
                person.seen.words.append(said)

    def _person(self, name: str, author: str) -> Person:
        return Person(name, author, self.names, self._left)

    def _left(self, person: Person) -> None:
        """A person has left: while the table waits their seat is free; its host ends it."""
        is_here = self.has(self.author)
        if not is_here:
            self._result = f"{self.author} has left: the match is over."
            self._break_off()
        elif self.waits:
            self.people = {at: one for at, one in self.people.items() if not one.left}
        else:
            for one in self.people.values():
                if one is not person:
                    one.seen.words.append(Said("left", {"who": person.name}))
        self._tell()

    def _break_off(self) -> None:
        """End the match; a deal that counts for a person is played to its end without them."""
        counts = (
            self.counts and not self.waits and any(one.seen.deal for one in self.people.values())
        )
        self.waits, self.is_over = False, True
        if counts:
            self._scope.deadline = trio.current_time() + LONGEST_FINISH_S
        else:
            self._scope.cancel()

    def _tell(self) -> None:
        for one in self.people.values():
            one.tell()


async def _then_end(wait: Callable[[], Awaitable[None]], scope: trio.CancelScope) -> None:
    await wait()
    scope.cancel()


def are_same(secret: str, other: str) -> bool:
    """Whether two secrets are one, in a time that does not tell where they differ."""
    return secrets.compare_digest(secret.encode(), other.encode(errors="replace"))


def _kept(path: Path, names: tuple[str, ...]) -> Kept | None:
    """Return what there is to look at of a match; None where it has no record to its end."""
    try:
        film = film_json(film_of(path, None, names=names)).encode()
        return Kept(path.read_bytes(), film)
    except (RefereeError, OSError):
        return None

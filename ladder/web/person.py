"""A person at a table of the site: what they see, and how they answer in the protocol."""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import aclosing, contextmanager, suppress
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from ladder.web.content import Refused
from ladder.web.table_match import lines_of
from ladder.web.table_process import ADVISER
from protocol.events import Event
from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Act, Deal, DealEnd, End, Fault, Hello, Ready, ToBot, View
from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.people.adviser import Adviser, advised
from referee.people.last_trick import LastTrick, last_trick
from referee.sandbox.priority import LATER
from referee.terminal.card_text import action_face
from referee.text import printable

LONGEST_THOUGHT_S: Final = 15 * 60.0
"""A person who has not played for so long has gone away, and the table is given to others."""

LONGEST_WITH_OTHERS_S: Final = 3 * 60.0
"""The same where other people wait for them."""

SECRET_BYTES: Final = 24
_LEFT: Final = "You have left the table."
_LONGEST_ADVICE_S: Final = 10.0
_AWAY: Final = "You were away for too long."
_decoder: Final = msgspec.json.Decoder(ToBot)


class Said(Struct, frozen=True):
    """A sentence, by what the texts of each language call it, and what stands in it."""

    key: str
    parts: dict[str, str]


class Seen(Struct):
    """What a person sees at a table.

    Attributes:
        deal: the number of the deal; 0 before the first.
        dealer: the seat that dealt it.
        events: what happened in it, as this person's seat is shown it.
        last: the trick that was taken last, though in the deal before.
        scores: of the match so far, by bot.
        asked: what is asked; None while the others play.
        view: what the person knows, as they were last told.
        words: what was said of deals that are over.
    """

    deal: int = 0
    dealer: int = 0
    events: list[Event] = []
    last: LastTrick | None = None
    scores: tuple[int, ...] = ()
    asked: Act | None = None
    view: View | None = None
    words: list[Said | str] = []


class Person:
    """One who sits at a table.

    Attributes:
        name: what the others and the record call them.
        author: whose token they have; "" for a guest.
        you: what their own seat is called, in the language of their last page.
        secret: what a guest's browser is known by.
        seen: what they see.
        left: why they play no longer; "" while they do.
        lives: how many processes of theirs a match has begun; more than one after a mishap.
        followers: how many pages of theirs follow the table.
        reminded: whether they wanted to sit down elsewhere, and have not played here since.
        changed: is set when there is something new to see, and another is in its place then.
        patience_s: after so long without a card they have gone away.
    """

    def __init__(
        self,
        name: str,
        author: str,
        names: Callable[["Person"], list[str]],
        left: Callable[["Person"], None],
    ) -> None:
        """Sit down.

        Args:
            name: what the others call them.
            author: whose token they have; "" for a guest.
            names: returns what this person calls all that play, by bot.
            left: is told of them when they play no longer.
        """
        self.name, self.author, self.you = name, author, "you"
        self.secret = secrets.token_urlsafe(SECRET_BYTES)
        self.seen = Seen()
        self.left = ""
        self.lives = 0
        self.reminded = False
        self.followers = 0
        self.patience_s = LONGEST_THOUGHT_S
        self._names, self._told_of_leaving = names, left
        self._seats: tuple[int, ...] = ()
        self._hello, self._deal = b"", b""
        self._chosen_so_far: list[tuple[bytes, Act, str]] = []
        self.changed = trio.Event()
        self._chosen: trio.MemorySendChannel[str] | None = None

    def called(self, seat: int) -> str:
        """Return what to call a seat."""
        return self._names(self)[self._seats[seat]]

    def tell(self) -> None:
        """Have the pages of this person show what is new."""
        self.changed.set()
        self.changed = trio.Event()

    def choose(self, asked: str, action: str) -> None:
        """Play an action.

        Args:
            asked: the id of the question that is answered.
            action: what is played.

        Raises:
            Refused: it is not what is asked, or not legal.
        """
        act = self.seen.asked
        if act is None or act.id != asked:
            raise Refused("That was asked before; look at the table again.")
        if action not in act.legal:
            raise Refused("That is not one of the cards that you may play.")
        self.seen.asked, self.reminded = None, False
        assert self._chosen is not None  # noqa: S101  # there is a question
        self._chosen.send_nowait(action)
        self.tell()

    def remind(self) -> None:
        """Have their page say that they still sit here."""
        self.reminded = True
        self.tell()

    def leave(self, why: str = _LEFT) -> None:
        """Play no longer; for those who stay, a bot of ours goes on in their place."""
        if self.left:
            return
        self.left = why
        self.seen.asked = None
        if self._chosen is not None:
            self._chosen.close()
        self._told_of_leaving(self)
        self.tell()

    async def serve(self, stream: trio.SocketStream) -> None:
        """Answer for the person, as a bot does; see `table_match.Serve`."""
        self.seen.asked = None
        async with aclosing(lines_of(stream)) as lines:
            async for line in lines:
                await self._hear(stream, line)

    async def _hear(self, stream: trio.SocketStream, line: bytes) -> None:
        message: ToBot = _decoder.decode(line)
        match message:
            case Hello():
                self._hello, self.lives = line, self.lives + 1
                ready = Ready(protocol=PROTOCOL_VERSION, name=self.name)
                await stream.send_all(msgspec.json.encode(ready) + b"\n")
            case Act():
                action = await self._answer(message, line)
                answer = {"id": message.id, "action": action}
                await stream.send_all(msgspec.json.encode(answer) + b"\n")
            case Deal():
                self._deal, self._seats = line, message.seats
                self.seen.deal, self.seen.scores = message.deal, message.scores
                self.seen.dealer, self.seen.events, self._chosen_so_far = message.dealer, [], []
            case DealEnd():
                self._note(message.events)
                points = (f"{self.called(at)} {points}" for at, points in enumerate(message.points))
                parts = {"deal": str(message.deal), "points": ", ".join(points)}
                self.seen.words.append(Said("points", parts))
                self.seen.view = None
                await self._compare()
            case Fault():
                self.seen.words.append(f"The referee: {printable(message.detail)}")
            case End():
                pass
        self.tell()

    async def _answer(self, act: Act, line: bytes) -> str:
        """Return what the person plays, or a bot of ours in the place of one who has left."""
        self._note(act.events)
        self.seen.view = act.view
        with trio.move_on_after(self.patience_s) as waited:
            action = await self._choice(act)
        if waited.cancelled_caught:
            self.leave(_AWAY)
            action = None
        if action is not None:
            self._chosen_so_far.append((line, act, action))
            return action
        lines = (self._hello, self._deal, line)
        return await trio.to_thread.run_sync(advice, lines, act, abandon_on_cancel=True)

    async def _compare(self) -> None:
        """Say where our own bot would have played otherwise, by what this person was told."""
        if self.left or not self._chosen_so_far:
            return
        begin, chosen = (self._hello, self._deal), tuple(self._chosen_so_far)
        found: str | None = None
        with trio.move_on_after(_LONGEST_ADVICE_S), suppress(OSError):  # it is not needed
            found = await trio.to_thread.run_sync(otherwise, begin, chosen, abandon_on_cancel=True)
        if found is not None:
            parts = {"bot": ADVISER.removeprefix("sample:"), "acts": found}
            self.seen.words.append(Said("otherwise" if found else "alike", parts))

    async def _choice(self, act: Act) -> str | None:
        """Return what the person plays; None once they have left."""
        if self.left:
            return None
        self._chosen, choices = trio.open_memory_channel[str](1)
        self.seen.asked = act
        self.tell()
        async for action in choices:
            return action
        return None

    def _note(self, events: Iterable[Event]) -> None:
        self.seen.events += events
        self.seen.last = last_trick(self.seen.events, self.called) or self.seen.last


def advice(lines: tuple[bytes, bytes, bytes], act: Act) -> str:
    """Return what our own bot plays, in a process for this question alone.

    Args:
        lines: `hello`, the last `deal`, and `act`, as they were told.
        act: the question.
    """
    with _asked(*lines[:2]) as bot:
        return bot.choice(lines[2] + b"\n", act) or act.legal[0]


def otherwise(begin: tuple[bytes, bytes], chosen: Sequence[tuple[bytes, Act, str]]) -> str:
    """Return where our own bot would have played otherwise, in a process for that alone.

    Args:
        begin: `hello` and `deal`, as they were told.
        chosen: each `act` as it was told, and what the person played.

    Returns:
        Its acts by their number from 1, what was played, and what the bot would have: "2: 7♦ / K♠,
        5: 3♥ / 2♥"; "" where there are none.
    """
    found = []
    with _asked(*begin) as bot:
        for number, (line, act, action) in enumerate(chosen, 1):
            other = bot.choice(line + b"\n", act) if len(act.legal) > 1 else action
            if other not in (None, action):
                both = " / ".join(action_face(one).plain for one in (action, str(other)))
                found.append(f"{number}: {both}")
    return ", ".join(found)


@contextmanager
def _asked(hello: bytes, deal: bytes) -> Iterator[Adviser]:
    """Yield our own bot, which was told these lines."""
    found = find(ADVISER, read_settings())
    with advised(replace(found, words=("nice", "-n", str(LATER), *found.words))) as bot:
        bot.greet(hello + b"\n")
        bot.tell(deal + b"\n")
        yield bot

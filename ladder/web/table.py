"""A person who plays against bots of the ladder on its site: what they see, and the match."""

import math
import secrets
from collections.abc import Iterable
from contextlib import aclosing
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct

from ladder.web.content import Refused
from ladder.web.table_match import lines_of, play_beside
from ladder.web.table_process import ADVISER, Compared, Ended, TableOrder, TableReport
from protocol.events import Event
from protocol.limits import PROTOCOL_VERSION
from protocol.messages import Act, Deal, DealEnd, End, Fault, Hello, Ready, ToBot, View
from referee.errors import RefereeError
from referee.people.event_text import event_lines
from referee.people.par import par_line
from referee.text import printable
from referee.viewer.page import film_json
from referee.viewer.record_film import film_of

ID_BYTES: Final = 12
LONGEST_THOUGHT_S: Final = 15 * 60.0
"""A person who has not played for so long has gone away, and the table is given to others."""

_YOU: Final = "you"
_decoder: Final = msgspec.json.Decoder(ToBot)


class Seen(Struct):
    """What a person sees at a table.

    Attributes:
        deal: the number of the deal; 0 before the first.
        rows: what happened in it, line by line.
        scores: of the match so far, by bot.
        asked: what is asked; None while the others play.
        view: what the person knows, as they were last told.
        words: what was said of deals that are over.
        over: how it ended; "" while it goes on.
    """

    deal: int = 0
    rows: list[str] = []
    scores: tuple[int, ...] = ()
    asked: Act | None = None
    view: View | None = None
    words: list[str] = []
    over: str = ""


class Kept(Struct, frozen=True):
    """A match that is over: its record, and the same as moving pictures."""

    record: bytes
    film: bytes


class Table:
    """A person, and the bots they play against.

    Attributes:
        id: 24 hex digits.
        author: who sits there.
        order: what is played.
        seen: what they see.
        kept: what there is to look at when it is over.
        followers: how many pages follow it.
        ended_at: when it ended, by trio's clock; infinite while it goes on.
    """

    def __init__(self, author: str, order: TableOrder) -> None:
        """Lay the table; nothing is played yet."""
        self.id = secrets.token_hex(ID_BYTES)
        self.author = author
        self.order = order
        self.seen = Seen()
        self.kept: Kept | None = None
        self._result = "The match was broken off."
        self.followers = 0
        self.ended_at = math.inf
        self._seats: tuple[int, ...] = ()
        self._changed = trio.Event()
        self._chosen: trio.MemorySendChannel[str] | None = None
        self._scope = trio.CancelScope()

    @property
    def is_over(self) -> bool:
        """Whether the match is over."""
        return bool(self.seen.over)

    def names(self) -> list[str]:
        """Return what to call those who sit there, by bot."""
        others = self.order.seats - 1
        called = self.order.called
        return [_YOU, *([called] if others == 1 else [f"{called}#{n + 1}" for n in range(others)])]

    def name(self, seat: int) -> str:
        """Return what to call a seat."""
        return self.names()[self._seats[seat]]

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
        self.seen.asked = None
        assert self._chosen is not None  # noqa: S101  # there is a question
        self._chosen.send_nowait(action)
        self._tell()

    def leave(self) -> None:
        """End the match."""
        self.seen.over = self.seen.over or "You have left the table."
        self._scope.cancel()

    async def change(self) -> None:
        """Wait until there is something new to see."""
        await self._changed.wait()

    def _tell(self) -> None:
        self._changed.set()
        self._changed = trio.Event()

    async def play(self) -> str:
        """Play the match to its end; for what it returns and raises see `play_beside`."""
        wrong = ""
        try:
            with self._scope:
                wrong = await play_beside(self.order, self._serve, self._hear, self._keep)
                if wrong:
                    self._result = "The machine could not play this match."
        finally:
            self.seen.asked = None
            self.seen.over = self.seen.over or self._result
            self.ended_at = trio.current_time()
            self._tell()
        return wrong

    async def _keep(self, record: Path) -> None:
        self.kept = await trio.to_thread.run_sync(_kept, record, tuple(self.names()))

    def _hear(self, report: TableReport) -> None:
        match report:
            case Compared() if report.par is not None:
                said = par_line(report.par, ADVISER.removeprefix("sample:"))
                self.seen.words.append(f"Deal {report.deal}: {said}")
            case Ended():
                scores = zip(self.names(), report.scores, strict=True)
                total = ", ".join(f"{name} {score:+d}" for name, score in scores)
                why = (
                    f"The machine gave the match up: {report.given_up}. " if report.given_up else ""
                )
                self._result = f"{why}The match is over: {total}."
        self._tell()

    async def _serve(self, stream: trio.SocketStream) -> None:
        """Answer for the person."""
        self.seen.asked = None
        async with aclosing(lines_of(stream)) as lines:
            async for line in lines:
                await self._told(stream, _decoder.decode(line))

    async def _told(self, stream: trio.SocketStream, message: ToBot) -> None:
        match message:
            case Hello():
                ready = Ready(protocol=PROTOCOL_VERSION, name=self.order.person)
                await stream.send_all(msgspec.json.encode(ready) + b"\n")
            case Act():
                action = await self._ask(message)
                answer = {"id": message.id, "action": action}
                await stream.send_all(msgspec.json.encode(answer) + b"\n")
            case Deal():
                self._seats = message.seats
                self.seen.deal, self.seen.scores = message.deal, message.scores
                self.seen.rows = [f"{self.name(message.dealer)} dealt"]
            case DealEnd():
                self._note(message.events)
                points = (f"{self.name(at)} {points}" for at, points in enumerate(message.points))
                self.seen.words.append(f"Deal {message.deal}: card points {', '.join(points)}")
                self.seen.view = None
            case Fault():
                self.seen.words.append(f"The referee: {printable(message.detail)}")
            case End():
                pass
        self._tell()

    async def _ask(self, act: Act) -> str:
        """Return what the person plays; one who has gone away leaves."""
        self._note(act.events)
        self._chosen, choices = trio.open_memory_channel[str](1)
        self.seen.view, self.seen.asked = act.view, act
        self._tell()
        with trio.move_on_after(LONGEST_THOUGHT_S):
            return await choices.receive()
        self.seen.over = "You were away for too long."
        self.leave()
        await trio.sleep_forever()

    def _note(self, events: Iterable[Event]) -> None:
        self.seen.rows += [line.plain for line in event_lines(events, self.name)]


def _kept(path: Path, names: tuple[str, ...]) -> Kept | None:
    """Return what there is to look at of a match; None where it has no record to its end."""
    try:
        film = film_json(film_of(path, None, names=names)).encode()
        return Kept(path.read_bytes(), film)
    except (RefereeError, OSError):
        return None

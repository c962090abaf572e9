"""A person who plays in a terminal: told in lines what happened, and asked for each action."""

import queue
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from protocol.messages import Act, Deal, DealEnd, End, Fault, Hello, View
from referee.people.adviser import Adviser
from referee.people.choosing import Chooser
from referee.people.event_text import ENGLISH, event_lines, filled
from referee.people.par import Par, par_parts
from referee.terminal.card_text import action_face, face, faces
from referee.text import printable

YOU: Final = "you"
_LONGEST_PAR_S: Final = 20.0


class TerminalPerson:
    """See `referee.people.seat_server.Person`.

    Attributes:
        name: what tables call them.
        pars: gets the par of each deal, or None, when it has been played.
    """

    def __init__(
        self, name: str, names: Sequence[str], console: Console, chooser: Chooser, adviser: Adviser
    ) -> None:
        """Sit down.

        Args:
            name: what tables call them.
            names: of all that play, by bot; `YOU` for this one.
            console: where it is told.
            chooser: how they choose.
            adviser: gives hints; sample bot.
        """
        self.name = name
        self.pars: queue.SimpleQueue[Par | None] = queue.SimpleQueue()
        self._names, self._console = names, console
        self._chooser, self._adviser = chooser, adviser
        self._seats: tuple[int, ...] = ()
        self._differed: list[Text] = []

    def hear(self, line: bytes, message: Hello | Deal | DealEnd | Fault | End) -> None:
        """Print what it says."""
        if isinstance(message, Hello):
            self._adviser.greet(line)
            return
        self._adviser.tell(line)
        match message:
            case Deal():
                self._begin(message)
            case DealEnd():
                self._end(message)
            case Fault():
                self._say(f"the referee: {printable(message.detail)}", "red")
            case End():
                pass

    def choose(self, line: bytes, act: Act) -> str:
        """Print what happened since, and ask."""
        for said in event_lines(act.events, self._who):
            self._console.print(said)
        self._console.print(self._table(act.view))
        advice = self._adviser.choice(line, act)
        action = self._chooser.choose(act.legal, lambda: advice)
        if advice is not None and advice != action:
            played = act.view.phase not in ("auction", "call")
            when = f"trick {len(act.view.tricks) + 1}: " if played else ""
            self._differed.append(
                Text.assemble(when, action_face(action), " — ", action_face(advice))
            )
        return action

    def _who(self, seat: int) -> str:
        return printable(self._names[self._seats[seat]])

    def _say(self, text: str, style: str = "") -> None:
        self._console.print(Text(text, style=style))

    def _begin(self, deal: Deal) -> None:
        self._seats, self._differed = deal.seats, []
        scores = ", ".join(
            f"{printable(name)} {score}"
            for name, score in zip(self._names, deal.scores, strict=False)
        )
        self._say("")
        self._say(f"Deal {deal.deal}: {self._who(deal.dealer)} dealt; {scores}", "bold")

    def _table(self, view: View) -> Text:
        """Return a line of what lies on the table and who has how many points."""
        parts = [Text.assemble("hand ", faces(view.hand))]
        if view.trump:
            parts.append(Text.assemble("trump ", face(view.trump)))
        if view.talon:
            parts.append(Text(f"talon {view.talon}"))
        points = (f"{self._who(seat)} {points}" for seat, points in enumerate(view.points))
        parts.append(Text(f"points: {', '.join(points)}"))
        row = Text(" · ").join(parts)
        row.stylize("dim")
        return row

    def _end(self, end: DealEnd) -> None:
        for said in event_lines(end.events, self._who):
            self._console.print(said)
        points = (f"{self._who(seat)} {points}" for seat, points in enumerate(end.points))
        self._say(f"Deal {end.deal} is over. Card points: {', '.join(points)}", "bold")
        self._compare(end.deal)
        self._chooser.pause("go on")

    def _compare(self, deal: int) -> None:
        """Print what the sample bot got with the same cards, and what it would have played."""
        try:
            par = self.pars.get(timeout=_LONGEST_PAR_S)
        except queue.Empty:
            par = None
        if par is not None:
            self._say(filled(ENGLISH["par"], **par_parts(deal, par, "greedy")).plain)
        if self._differed:
            self._console.print(
                Text.assemble("You — greedy: ", Text("; ").join(self._differed)), style="dim"
            )

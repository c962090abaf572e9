"""A deal that is shown act by act: what a seat saw of each, and where the referee played. Pure."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Self

from msgspec import Struct

from protocol.events import Event, Played, Uncovered
from protocol.messages import View
from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.match.table import Table


class NotSeated(Exception):
    """Whose eyes are meant does not play in a deal. Caught where the deal is shown."""


class Eyes(Struct, frozen=True):
    """Whose eyes a record is seen with; those of nobody: all hands are shown.

    Attributes:
        place: what this seat of the first deal could see.
        bot: what this bot could see, wherever it sits; from 0.
    """

    place: int | None = None
    bot: int | None = None

    @property
    def see_all(self) -> bool:
        """Whether all seats' cards are shown."""
        return self.place is None and self.bot is None

    def seat(self, deal: DealResult) -> int | None:
        """Return the seat of a deal that it is; None where all is seen.

        Raises:
            NotSeated: it does not play in this deal.
        """
        seats, who = deal.places, self.place
        if self.bot is not None:
            seats, who = deal.start.bots, self.bot
        if who is not None and who not in seats:
            raise NotSeated
        return None if who is None else seats.index(who)


class SeenAct(Struct, frozen=True):
    """An action as the viewer saw it.

    Attributes:
        action: None where the viewer saw nothing of it.
        number: how many acts of the deal were carried out before.
        by_referee: whether the referee played for the seat.
        line: what the record has of it beside the action; None where that is not the viewer's, or
            the referee played.
        news: the events that the viewer was shown; those of seat 0 where it sees all.
    """

    seat: int
    action: str | None
    number: int
    by_referee: bool
    line: ActLine | None
    news: Sequence[Event]


class Replayed(Struct, frozen=True):
    """A deal that is played again for one viewer.

    Attributes:
        deal: which; it may be under way.
        viewer: the seat whose eyes it is seen with; None: all hands are shown.
        views: what each seat knows now; they change with each act.
        table: where it is played.
        lines: what the record has of its acts, by their numbers.
    """

    deal: DealResult
    viewer: int | None
    views: tuple[View, ...]
    table: Table
    lines: Mapping[int, ActLine]

    @classmethod
    def begun(
        cls, deal: DealResult, viewer: int | None, lines: Mapping[int, ActLine] | None = None
    ) -> Self:
        """Return the deal before its first act; for arguments see the class."""
        table = Table(deal.game, deal.start.deck, deal.start.dealer)
        views = tuple(table.view(seat)[0] for seat in range(deal.game.seats))
        return cls(deal, viewer, views, table, lines or {})

    def acts(self) -> Iterator[SeenAct]:
        """Yield the acts one after the other; `views` are then those after the act."""
        bots, guilty = self.deal.start.bots, _guilty(self.deal)
        for number, (seat, action) in enumerate(self.deal.acts):
            self.table.play(action)
            news = [self.table.view(other)[1] for other in range(self.deal.game.seats)]
            is_shown = self.viewer in (None, seat)
            seen = action if self.viewer is None else as_seen(action, is_shown, news[self.viewer])
            by_referee = any(bots[seat] == bot and number >= act for bot, act in guilty)
            line = self.lines.get(number) if is_shown else None
            yield SeenAct(seat, seen, number, by_referee, line, news[self.viewer or 0])


def _guilty(deal: DealResult) -> set[tuple[int, int]]:
    """Return bots with the act from which on the referee plays for all seats of each."""
    found = {(fault.bot, fault.act) for fault in deal.faults}
    return found | {(deal.start.bots[seat], 0) for seat in deal.start.benched}


def as_seen(action: str, own: bool, news: Sequence[Event]) -> str | None:
    """Return what a seat saw of its own action, or of another's; None for nothing at all."""
    covers = [event.card for event in news if isinstance(event, Uncovered)]
    if covers:
        return f"{action} uncovers {' '.join(covers)}"
    cards = [event.card for event in news if isinstance(event, Played)]
    if cards and not own:
        return cards[0] if len(cards[0]) == 2 else f"{cards[0]} (covered)"
    return action if own or news else None

"""What happened at the table, as a person reads it."""

from collections.abc import Callable, Iterable, Iterator

from rich.text import Text

from protocol import events as table
from protocol.events import Event
from referee.terminal.card_text import action_face, face, faces

Who = Callable[[int], str]
"""What to call a seat."""

_BY_REFEREE = " (by the referee)"


def event_lines(events: Iterable[Event], who: Who, between: str = "  ") -> Iterator[Text]:
    """Yield what happened, line by line; the cards of a trick stand in one.

    Args:
        events: as one seat is shown them.
        who: names the seats.
        between: what stands between the cards of a trick.
    """
    trick: list[Text] = []
    for event in events:
        match event:
            case table.Played():
                by = _BY_REFEREE if event.by else ""
                trick.append(Text.assemble(f"{who(event.seat)} ", face(event.card), by))
                continue
            case table.TrickWon():
                won = Text(f"→ {who(event.winner)} +{event.points}", style="bold")
                trick, said = [Text("  ").join((*_joined(trick, between), won))], None
            case _:
                said = _sentence(event, who)
        yield from _joined(trick, between)
        trick = []
        if said is not None:
            yield said
    yield from _joined(trick, between)


def _joined(trick: list[Text], between: str) -> Iterator[Text]:
    if trick:
        yield Text(between).join(trick)


def _sentence(event: Event, who: Who) -> Text | None:  # noqa: PLR0911  # one for each kind
    """Return what an event is in words; None for what a person sees anyway."""
    match event:
        case table.HandDealt():
            return Text.assemble("your cards ", faces(event.cards))
        case table.Removed():
            return Text.assemble("taken out of the pack: ", face(event.card))
        case table.TurnUp():
            return Text.assemble("turned up, trump: ", face(event.card))
        case table.Drew() if event.card is not None:
            return Text.assemble(f"{who(event.seat)} drew ", face(event.card))
        case table.NextCard():
            return Text.assemble("next to be drawn: ", face(event.card))
        case table.Uncovered():
            return Text.assemble(f"{who(event.seat)} had covered ", face(event.card))
        case table.PhaseBegan() | table.Drew():
            return None
    return _announced(event, who)


def _announced(event: Event, who: Who) -> Text | None:  # noqa: PLR0911  # likewise
    """Return what a seat said or showed."""
    match event:
        case table.HandShown():
            return Text.assemble(f"{who(event.seat)} held ", faces(event.cards))
        case table.Exchanged():
            gives, takes = face(event.gives), face(event.takes)
            return Text.assemble(f"{who(event.seat)} laid down ", gives, " for ", takes)
        case table.Married():
            worth = f" +{event.points}"
            return Text.assemble(f"{who(event.seat)} married ", face(event.suit), worth)
        case table.Signalled():
            return Text(f"{who(event.seat)} signalled {event.signal}")
        case table.Declared():
            return Text.assemble(f"{who(event.seat)} showed the black hand ", faces(event.cards))
        case table.Bade():
            by = _BY_REFEREE if event.by else ""
            return Text.assemble(f"{who(event.seat)}: ", action_face(event.action), by)
        case table.Called():
            called = faces(event.cards) if event.cards else "none"
            return Text.assemble(
                f"{who(event.seat)} called ",
                called,
                f" and has to take {event.pledge}; {who(event.leader)} led",
            )
    return None

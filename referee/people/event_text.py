"""What happened at the table, as a person reads it."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from rich.text import Text

from protocol import events as table
from protocol.events import Event
from referee.terminal.card_text import action_face, face, faces

Who = Callable[[int], str]
"""What to call a seat."""

ENGLISH: Final[Mapping[str, str]] = {
    "hand": "your cards {cards}",
    "removed": "taken out of the pack: {cards}",
    "turn_up": "turned up, trump: {cards}",
    "drew": "{who} drew {cards}",
    "next": "next to be drawn: {cards}",
    "uncovered": "{who} had covered {cards}",
    "shown": "{who} held {cards}",
    "exchanged": "{who} laid down {gives} for {cards}",
    "married": "{who} married {cards} +{points}",
    "signalled": "{who} signalled {signal}",
    "declared": "{who} showed the black hand {cards}",
    "bade": "{who}: {action}",
    "called": "{who} called {cards} and has to take {points}; {leader} led",
    "none": "none",
    "by": " (by the referee)",
    "par": "Deal {deal}: Par, what {bot} gets with your cards: {par_points} card points "
    "(you {own_points}), deal value {par_value} (you {own_value})",
}
"""What is said of events and of par; another language says the same of the same parts."""

_PART: Final = re.compile(r"\{(\w+)\}")


def event_lines(
    events: Iterable[Event],
    who: Who,
    between: str = "  ",
    said: Mapping[str, str] = ENGLISH,
    action: Callable[[str], Text] = action_face,
) -> Iterator[Text]:
    """Yield what happened, line by line; the cards of a trick stand in one.

    Args:
        events: as one seat is shown them.
        who: names the seats.
        between: what stands between the cards of a trick.
        said: the sentences; see `ENGLISH`.
        action: names an action that is no card.
    """
    trick: list[Text] = []
    for event in events:
        sentence: Text | None = None
        match event:
            case table.Played():
                by = said["by"] if event.by else ""
                trick.append(Text.assemble(f"{who(event.seat)} ", face(event.card), by))
                continue
            case table.TrickWon():
                won = Text(f"→ {who(event.winner)} +{event.points}", style="bold")
                trick = [Text("  ").join((*_joined(trick, between), won))]
            case _:
                key, parts = _parts(event, who, said, action)
                sentence = filled(said[key], **parts) if key else None
        yield from _joined(trick, between)
        trick = []
        if sentence is not None:
            yield sentence
    yield from _joined(trick, between)


def _joined(trick: list[Text], between: str) -> Iterator[Text]:
    if trick:
        yield Text(between).join(trick)


def filled(sentence: str, **parts: Text | str) -> Text:
    """Return a sentence with its parts where it names them: "{who} drew {cards}"."""
    pieces = _PART.split(sentence)
    named = (parts[piece] if at % 2 else piece for at, piece in enumerate(pieces))
    return Text.assemble(*(piece for piece in named if piece))


def _parts(  # noqa: PLR0911  # one for each kind
    event: Event, who: Who, said: Mapping[str, str], action: Callable[[str], Text]
) -> tuple[str, dict[str, Text | str]]:
    """Return which sentence is said of an event, and its parts; "" for what is seen anyway."""
    match event:
        case table.HandDealt():
            return "hand", {"cards": faces(event.cards)}
        case table.Removed():
            return "removed", {"cards": face(event.card)}
        case table.TurnUp():
            return "turn_up", {"cards": face(event.card)}
        case table.Drew() if event.card is not None:
            return "drew", {"who": who(event.seat), "cards": face(event.card)}
        case table.NextCard():
            return "next", {"cards": face(event.card)}
        case table.Uncovered():
            return "uncovered", {"who": who(event.seat), "cards": face(event.card)}
        case table.HandShown():
            return "shown", {"who": who(event.seat), "cards": faces(event.cards)}
    return _announced(event, who, said, action)


def _announced(  # noqa: PLR0911  # likewise
    event: Event, who: Who, said: Mapping[str, str], action: Callable[[str], Text]
) -> tuple[str, dict[str, Text | str]]:
    """Return the same of what a seat has said or announced."""
    match event:
        case table.Exchanged():
            gives, takes = face(event.gives), face(event.takes)
            return "exchanged", {"who": who(event.seat), "gives": gives, "cards": takes}
        case table.Married():
            points = str(event.points)
            return "married", {"who": who(event.seat), "cards": face(event.suit), "points": points}
        case table.Signalled():
            return "signalled", {"who": who(event.seat), "signal": event.signal}
        case table.Declared():
            return "declared", {"who": who(event.seat), "cards": faces(event.cards)}
        case table.Bade():
            done = Text.assemble(action(event.action), said["by"] if event.by else "")
            return "bade", {"who": who(event.seat), "action": done}
        case table.Called():
            return "called", {
                "who": who(event.seat),
                "cards": faces(event.cards) if event.cards else said["none"],
                "points": str(event.pledge),
                "leader": who(event.leader),
            }
    return "", {}

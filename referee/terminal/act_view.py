"""One act as the bot's author wants to see it: what the seat knew, what it was told and said."""

from collections.abc import Iterable, Iterator

import msgspec
from rich.text import Text

from protocol.messages import Act, View
from referee.terminal.card_text import action_face, face, faces
from referee.text import printable


def position_lines(line: bytes) -> Iterator[Text]:
    """Return what a seat knew when it was told this, the last of its lines an `act`."""
    act = msgspec.json.decode(line.splitlines()[-1], type=Act)
    return view_lines(act.view, act.legal)


def view_lines(view: View, legal: Iterable[str]) -> Iterator[Text]:
    """Yield what a seat knows, and what it may do."""
    yield _labelled("hand", faces(view.hand), *_trump(view))
    if view.auction:
        said = (Text.assemble(f"{seat}:", action_face(action)) for seat, action in view.auction)
        yield _labelled("auction", Text("  ").join(said))
    if view.caller is not None:
        yield _labelled("contract", _contract(view))
    if view.phase == "play":
        trick = faces(view.trick) if view.trick else Text("none yet")
        yield _labelled("trick", trick, Text(f"led by seat {view.leader}", "dim"))
    points = "  ".join(f"{seat}:{points}" for seat, points in enumerate(view.points))
    yield _labelled("points", Text(points))
    yield _labelled("legal", Text(" ").join(map(action_face, legal)))


def _trump(view: View) -> Iterator[Text]:
    if view.trump is not None:
        yield Text.assemble("trump ", face(view.trump))
    if view.turn_up is not None:
        yield Text.assemble("turn-up ", face(view.turn_up))
    if view.talon:
        yield Text(f"talon {view.talon}")


def _contract(view: View) -> Text:
    text = Text(f"seat {view.caller} plays for {view.pledge}")
    return text.append(", called ").append_text(faces(view.called)) if view.called else text


def _labelled(label: str, *parts: Text) -> Text:
    return Text.assemble((f"   {label:<9}", "dim"), Text("   ").join(parts))


def text_lines(label: str, text: str, style: str = "") -> Iterator[Text]:
    """Yield what strangers wrote, line by line, the label before the first."""
    for number, line in enumerate(text.splitlines()):
        yield Text.assemble((f"   {'' if number else label:<9}", "dim"), (printable(line), style))

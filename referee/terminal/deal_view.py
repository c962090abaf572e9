"""A deal as a person follows it: the auction, then the tricks, for all or as one seat saw it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from msgspec import Struct
from rich.text import Text

from protocol.messages import View
from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.record.eyes import Replayed, SeenAct
from referee.terminal.card_text import action_face, face, faces
from referee.text import printable

_WIDEST: Final = 72
"""Characters of hands that stand side by side."""


class Scene(Struct, frozen=True):
    """A moment before a trick: each seat's hand, and the actions that follow.

    Attributes:
        trick: the number of the trick that the acts make up, from 1; 0 for an auction.
        points: card points by seat after it.
    """

    trick: int
    hands: tuple[tuple[str, ...], ...]
    acts: tuple[SeenAct, ...]
    points: tuple[int, ...]


def scenes(
    deal: DealResult, viewer: int | None, lines: Mapping[int, ActLine] | None = None
) -> Iterator[Scene]:
    """Yield a deal in its scenes, all-seeing, or with the eyes of one seat.

    Args:
        deal: which.
        viewer: the seat; None: all hands are shown.
        lines: what the record has of the acts, by their numbers.
    """
    replayed = Replayed.begun(deal, viewer, lines)
    views = replayed.views
    trick, hands = _trick(views[0]), _hands(views)
    acts: list[SeenAct] = []
    for act in replayed.acts():
        if act.action is not None:
            acts.append(act)
        points = tuple(views[viewer or 0].points)
        if _trick(views[0]) > trick:
            yield Scene(trick, hands, tuple(acts), points)
            trick, hands, acts = _trick(views[0]), _hands(views), []
    if acts:
        yield Scene(trick, hands, tuple(acts), points)


def _hands(views: Sequence[View]) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(view.hand) for view in views)


def _trick(view: View) -> int:
    """The number of the trick that comes next; 0 before the first while cards are not played."""
    return 0 if view.phase in ("auction", "call") else len(view.tricks) + 1


def seat_name(seat: int, bots: Sequence[int], names: Sequence[str]) -> str:
    """A seat, and who sat there."""
    return f"{seat}:{printable(names[bots[seat]])}"


def deal_heading(deal: DealResult, called: str, names: Sequence[str]) -> Text:
    """The line above a deal, which is called by this number."""
    start, account = deal.start, deal.account
    heading = Text(f"Deal {called}", style="bold")
    heading.append(f"  dealer {seat_name(start.dealer, start.bots, names)}", style="not bold")
    if account.turn_up is not None:
        heading.append("  turn-up ").append_text(face(account.turn_up))
    return heading


def scene_text(scene: Scene, deal: DealResult, names: Sequence[str], viewer: int | None) -> Text:
    """One scene in a few lines: the hands before it, what was done, what came of it."""
    bots = deal.start.bots
    shown = range(len(bots)) if viewer is None else (viewer,)
    hands = _side_by_side(
        [Text.assemble((f"{at}:", "dim"), faces(scene.hands[at])) for at in shown],
        scene.acts[0].number if scene.acts else None,
    )
    done = Text("  ").join(
        Text.assemble(
            f"{seat_name(act.seat, bots, names)} ",
            action_face(act.action or ""),
            (" (referee)" if act.by_referee else "", "dim"),
            (f" {_duration(act.line.us.complete)}" if act.line else "", "dim"),
        )
        for act in scene.acts
    )
    if scene.trick == 0:
        line = Text.assemble("   ", done)
        contract = _contract(deal, names, viewer)
        return Text("\n").join((hands, line, *((contract,) if contract else ())))
    line = Text.assemble((f"{scene.trick:>2} ", "bold"), done)
    tricks = deal.account.tricks
    if scene.trick <= len(tricks):
        trick = tricks[scene.trick - 1]
        winner = seat_name(trick.winner, bots, names)
        line.append(f"  -> {winner} takes {trick.points}", style="bold")
        points = "  ".join(f"{seat}:{points}" for seat, points in enumerate(scene.points))
        line.append(f"   ({points})", style="dim")
    return Text("\n").join((hands, line))


def _duration(us: int) -> str:
    return (
        f"{us}us" if us < 1000 else f"{us / 1000:.1f}ms" if us < 1_000_000 else f"{us / 1e6:.2f}s"
    )


def _side_by_side(hands: Sequence[Text], act: int | None) -> Text:
    """Put hands into lines, as many beside each other as fit, before an act of this number."""
    rows: list[list[Text]] = [[]]
    for hand in hands:
        if rows[-1] and sum(len(one) + 2 for one in (*rows[-1], hand)) > _WIDEST:
            rows.append([])
        rows[-1].append(hand)
    lines = [Text("  ").join(row) for row in rows]
    first = "" if act is None else f"act {act}"
    labels = (f"{first:>8} hands ", *[" " * 15] * (len(lines) - 1))
    return Text("\n").join(
        Text.assemble((label, "dim"), line) for label, line in zip(labels, lines, strict=True)
    )


def remark_lines(
    scene: Scene, deal: DealResult, names: Sequence[str], stderr: Mapping[int, Sequence[str]]
) -> Iterator[Text]:
    """Yield what bots said beside their actions: notes, evals, and what they wrote to stderr.

    Args:
        scene: whose acts.
        deal: it is of.
        names: of the bots.
        stderr: what was written at an act, by its number.
    """
    for act in scene.acts:
        said = [] if act.line is None else _said(act.line)
        written = stderr.get(act.number, ())
        if said or written:
            who = seat_name(act.seat, deal.start.bots, names)
            heading = Text(f"   act {act.number} {who}", "dim")
            yield Text("  ").join((heading, *said))
        for text in written:
            for line in text.splitlines():
                yield Text.assemble(("      | ", "dim"), (printable(line), "yellow"))


def _said(line: ActLine) -> list[Text]:
    said = [] if line.eval is None else [Text(f"eval {line.eval}")]
    return said + ([] if line.note is None else [Text(printable(line.note), "italic")])


def ending_text(deal: DealResult, names: Sequence[str]) -> Text | None:
    """What ended a deal before its last card, if it was the black hand."""
    seat = deal.account.black_hand
    if seat is None:
        return None
    name = seat_name(seat, deal.start.bots, names)
    return Text(f"   {name} shows the black hand and wins the deal", style="bold")


def _contract(deal: DealResult, names: Sequence[str], viewer: int | None) -> Text | None:
    """Who plays for what; with whom, only for those who see all hands."""
    account, bots = deal.account, deal.start.bots
    if account.caller is None or account.pledge is None:
        return None
    text = Text(f"   {seat_name(account.caller, bots, names)} plays for {account.pledge}", "bold")
    if viewer is None and account.called:
        text.append(", called ").append_text(faces(account.called))
        partners = [seat_name(seat, bots, names) for seat in account.sides[0][1:]]
        text.append(f", with {' and '.join(partners)}" if partners else ", alone")
    return text

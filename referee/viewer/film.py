"""A deal as a row of frames: what lies on the table after each act, as one viewer sees it. Pure.

Frames of a seat are made of its view, which is all that the seat was shown (SPEC 4), and of how
many cards the others hold. So they cannot show a card that the seat had not seen.
"""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import asdict

from protocol.events import TrickWon
from protocol.messages import View
from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.record.eyes import Replayed, SeenAct


class Hand(Struct, frozen=True, omit_defaults=True):
    """The hand of a seat: the cards that the viewer knows to be in it, and how many others."""

    cards: tuple[str, ...] = ()
    covered: int = 0


class Laid(Struct, frozen=True):
    """A card in the trick; of a two that lies covered `card` has the rank alone."""

    seat: int
    card: str


class Taken(Struct, frozen=True):
    """Who took the trick that lies on the table, and its card points."""

    seat: int
    points: int


class Deed(Struct, frozen=True, omit_defaults=True):
    """What a seat has done to bring a frame about.

    Attributes:
        action: as the viewer saw it.
        act: how many acts of the deal were carried out before; only for who sees all, since others
            are not told of some, as of signals.
        referee: whether the referee played for the seat.
        us: how long the seat took, in microseconds; with `note` and `eval` for those who may know.
    """

    seat: int
    action: str
    act: int | UnsetType = UNSET
    referee: bool = False
    us: int | UnsetType = UNSET
    note: str | UnsetType = UNSET
    eval: int | UnsetType = UNSET


class Moment(Struct, frozen=True):
    """What lies on the table, as the viewer knows it.

    Attributes:
        hands: by seat.
        trick: the cards on the table, in the order of play; a full trick is shown whole.
        taken: who takes it, where it is full.
        points: card points by seat.
        talon: how many cards can still be drawn, the turn-up included.
        turn_up: the card under the talon, or that was exposed; None where there is none.
        next_card: the top of a talon that lies open.
        trump: its suit.
        phase: what kind of actions is asked for.
        caller: who plays for `pledge` with the `called` cards.
    """

    hands: tuple[Hand, ...]
    trick: tuple[Laid, ...]
    taken: Taken | None
    points: tuple[int, ...]
    talon: int
    turn_up: str | None
    next_card: str | None
    trump: str | None
    phase: str
    caller: int | None
    pledge: int | None
    called: tuple[str, ...]


class Frame(Struct, frozen=True, omit_defaults=True):
    """A moment of a deal, and what was done to bring it about; None in the first frame.

    Of what the moment has (see `Moment`), only that is there which has changed since the frame
    before; of hands only those that have, by seat.
    """

    deed: Deed | None = None
    hands: dict[int, Hand] | UnsetType = UNSET
    trick: tuple[Laid, ...] | UnsetType = UNSET
    taken: Taken | UnsetType | None = UNSET
    points: tuple[int, ...] | UnsetType = UNSET
    talon: int | UnsetType = UNSET
    turn_up: str | UnsetType | None = UNSET
    next_card: str | UnsetType | None = UNSET
    trump: str | UnsetType | None = UNSET
    phase: str | UnsetType = UNSET
    caller: int | UnsetType | None = UNSET
    pledge: int | UnsetType | None = UNSET
    called: tuple[str, ...] | UnsetType = UNSET


def frames(
    deal: DealResult, viewer: int | None, lines: Mapping[int, ActLine] | None = None
) -> Iterator[Frame]:
    """Yield the frames of a deal: one before the first act, and one after each that is seen.

    Args:
        deal: which; it may be under way.
        viewer: the seat whose eyes it is seen with; None: all hands are shown.
        lines: what the record has of the acts, by their numbers; of other seats than the viewer's
            nothing of it is shown.
    """
    replayed = Replayed.begun(deal, viewer, lines)
    last: Moment | None = None
    now = _moment(replayed, ())
    yield _frame(None, last, now)
    for act in replayed.acts():
        last, now = now, _moment(replayed, [one for one in act.news if type(one) is TrickWon])
        if act.action is not None:
            yield _frame(_deed(act, act.action, sees_all=viewer is None), last, now)
        else:
            now = last  # what has changed is told with the next act that is seen


def _frame(deed: Deed | None, last: Moment | None, now: Moment) -> Frame:
    """Return what has changed from one moment to the next; all, where there was none before."""
    changed = {
        name: value
        for name, value in asdict(now).items()
        if last is None or getattr(last, name) != value
    }
    if "hands" in changed:
        before = () if last is None else last.hands
        changed["hands"] = {
            seat: hand for seat, hand in enumerate(now.hands) if hand not in before[seat : seat + 1]
        }
    return Frame(deed=deed, **changed)


def _deed(act: SeenAct, action: str, *, sees_all: bool) -> Deed:
    line, number = act.line, act.number if sees_all else UNSET
    if line is None:
        return Deed(act.seat, action, number, act.by_referee)
    note = UNSET if line.note is None else line.note
    value = UNSET if line.eval is None else line.eval
    return Deed(act.seat, action, number, act.by_referee, line.us.complete, note, value)


def _moment(replayed: Replayed, won: Sequence[TrickWon]) -> Moment:
    """Return how the table looks to the viewer.

    Args:
        replayed: the deal as it is now.
        won: the trick that the last act has completed, if it has.
    """
    view = replayed.views[replayed.viewer or 0]
    return Moment(
        hands=tuple(_hand(replayed, seat) for seat in range(len(replayed.views))),
        trick=_trick(replayed, full=bool(won)),
        taken=Taken(won[-1].winner, won[-1].points) if won else None,
        points=tuple(view.points),
        talon=view.talon,
        turn_up=view.turn_up,
        next_card=view.next_card,
        trump=view.trump,
        phase=view.phase,
        caller=view.caller,
        pledge=view.pledge,
        called=view.called,
    )


def _hand(replayed: Replayed, seat: int) -> Hand:
    own = replayed.views[seat].hand
    if replayed.viewer in (None, seat):
        return Hand(tuple(own))
    known = replayed.views[replayed.viewer].known
    cards = known[seat] if known else ()
    return Hand(cards, len(own) - len(cards))


def _trick(replayed: Replayed, *, full: bool) -> tuple[Laid, ...]:
    """Return the cards on the table; who sees all sees each as the seat that has laid it."""
    view = replayed.views[replayed.viewer or 0]
    leader = view.leaders[-1] if full else view.leader
    laid = view.tricks[-1] if full else view.trick
    seats = [(leader + place) % len(view.points) for place in range(len(laid))]
    if replayed.viewer is None:
        laid = [_in_trick(replayed.views[seat], at, full=full) for at, seat in enumerate(seats)]
    return tuple(map(Laid, seats, laid))


def _in_trick(view: View, at: int, *, full: bool) -> str:
    return (view.tricks[-1] if full else view.trick)[at]

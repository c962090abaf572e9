"""The film of a record: its deals as frames, and what came of them."""

from collections.abc import Iterator
from pathlib import Path

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from referee.errors import RefereeError
from referee.match.leg import DealResult
from referee.match.terms import unusual_options
from referee.match.verdict import FaultCode
from referee.record.deal_choice import DealChoice, DecksOver
from referee.record.eyes import Eyes, NotSeated
from referee.record.held_deals import HeldDeals
from referee.record.reader import Mismatch, RecordReader
from referee.record.retelling import ActLines
from referee.record.verify import Resimulation
from referee.rules.game import Sides
from referee.text import told_apart
from referee.viewer.film import Frame, frames


class FaultShown(Struct, frozen=True):
    """A fault in a deal; `act` is how many acts of it were carried out before."""

    bot: int
    code: FaultCode
    detail: str
    act: int | UnsetType = UNSET


class DealOutcome(Struct, frozen=True, omit_defaults=True):
    """What a deal has come to, which all are told when it is over.

    Attributes:
        reason: how it ended.
        points: card points by seat.
        scores: by seat.
        sides: the seats that have scored together.
        faults: found in it.
    """

    reason: str
    points: tuple[int, ...]
    scores: tuple[int, ...]
    sides: Sides
    faults: tuple[FaultShown, ...] = ()


class DealFilm(Struct, frozen=True):
    """A deal.

    Attributes:
        called: its number, or LEG.DEAL where legs are told apart.
        viewer: the seat whose eyes it is seen with; None: all hands are shown.
        bots: by seat, the index of the bot.
        partners: the seats that score together as everybody knows; a hidden partner is in none.
    """

    called: str
    dealer: int
    viewer: int | None
    bots: tuple[int, ...]
    partners: Sides
    frames: tuple[Frame, ...]
    outcome: DealOutcome


class FilmResult(Struct, frozen=True):
    """How the match ended: scores and winners by bot; `winner` is None where it was drawn."""

    scores: tuple[int, ...]
    winner: tuple[int, ...] | None
    reason: str


class Film(Struct, frozen=True, kw_only=True):
    """A record, or one deal of it.

    Attributes:
        options: those that are not as the game has them.
        bots: their names, told apart.
        viewer: the name of whose eyes it is seen with; None: all hands are shown.
        result: None where the record has no end, or only some deals were wanted.
        trouble: why there is no more of it; None where all of it is there.
        under_way: while the match goes on, how many deals are over, and of how many.
    """

    game: str
    options: tuple[str, ...]
    bots: tuple[str, ...]
    viewer: str | None
    deals: tuple[DealFilm, ...]
    result: FilmResult | None
    trouble: str | None
    under_way: tuple[int, int] | UnsetType = UNSET


def film_of(
    path: Path,
    bot: str | None = None,
    place: int | None = None,
    only: DealChoice | DecksOver | None = None,
    names: tuple[str, ...] | None = None,
) -> Film:
    """Return the film of a record, as far as it holds.

    Args:
        path: of the record; see `RecordReader`.
        bot: the name of the one whose eyes it is seen with.
        place: the seat of the first deal whose eyes it is seen with, instead.
        only: the deals that are wanted.
        names: what to call the bots; None: as the record does.

    Raises:
        RefereeError: it is no record, or has no such bot, seat or deal.
    """
    with RecordReader(path) as reader:
        lines = ActLines()
        try:
            found = Resimulation(reader, lines)
        except Mismatch as error:
            raise RefereeError(f"record {str(path)!r} does not hold: {error}") from error
        called = names or tuple(told_apart([line.name for line in found.header.bots]))
        eyes = _eyes(found, called, bot, place)
        held = HeldDeals(found)
        deals = tuple(_deals(found, held, lines, eyes, only))
        if isinstance(only, DealChoice) and not deals:
            raise RefereeError(f"deal {only}: the record has no such deal")
        return Film(
            game=found.header.terms.game,
            options=unusual_options(found.header.terms.game, found.header.terms.options),
            bots=called,
            viewer=_viewer(eyes, called),
            deals=deals,
            result=_result(found) if only is None else None,
            trouble=held.trouble or found.unfinished,
        )


def film_under_way(
    path: Path, names: tuple[str, ...], over: DecksOver, deals: tuple[int, int]
) -> Film:
    """Return the film of a record that is written while we read it, of all hands.

    Args:
        path: of the record.
        names: what to call the bots.
        over: which decks are shown.
        deals: how many deals are over, and of how many.

    Raises:
        RefereeError: it is no record.
    """
    film = film_of(path, only=over, names=names)
    return replace(film, trouble=None, under_way=deals)


def film_of_nothing(
    game: str, options: tuple[str, ...], names: tuple[str, ...], deals: tuple[int, int]
) -> Film:
    """Return the film of a match under way of which nothing can be shown yet; see `Film`."""
    return Film(
        game=game,
        options=options,
        bots=names,
        viewer=None,
        deals=(),
        result=None,
        trouble=None,
        under_way=deals,
    )


def _eyes(found: Resimulation, names: tuple[str, ...], bot: str | None, place: int | None) -> Eyes:
    """Return whose eyes are meant.

    Raises:
        RefereeError: the record has no such bot or seat.
    """
    if bot is not None and bot not in names:
        raise RefereeError(f"bot {bot!r}: the record has {', '.join(names)}")
    if place is not None and not 0 <= place < found.seats:
        raise RefereeError(f"seat {place}: the seats are 0 to {found.seats - 1}")
    return Eyes(place, None if bot is None else names.index(bot))


def _viewer(eyes: Eyes, names: tuple[str, ...]) -> str | None:
    if eyes.bot is not None:
        return names[eyes.bot]
    return None if eyes.place is None else f"seat {eyes.place}"


def _result(found: Resimulation) -> FilmResult | None:
    end = found.end
    return None if end is None else FilmResult(end.scores, end.winner, end.end)


def _deals(
    found: Resimulation,
    held: HeldDeals,
    lines: ActLines,
    eyes: Eyes,
    only: DealChoice | DecksOver | None,
) -> Iterator[DealFilm]:
    for number, deal in enumerate(held.and_the_last(), 1):
        acts, leg = lines.take(number), found.totals.leg
        if only is not None and not only.is_meant(number, leg, deal.start.deal):
            continue
        try:
            viewer = eyes.seat(deal)
        except NotSeated:
            continue  # it has dropped out
        yield DealFilm(
            called=found.called(deal, number),
            dealer=deal.start.dealer,
            viewer=viewer,
            bots=deal.start.bots,
            partners=tuple(side for side in deal.game.partners if len(side) > 1),
            frames=tuple(frames(deal, viewer, acts)),
            outcome=_outcome(deal, viewer),
        )


def _outcome(deal: DealResult, viewer: int | None) -> DealOutcome:
    """Return what a deal has come to; where others are at fault, a viewer hears of no details."""
    bots = deal.start.bots
    own = None if viewer is None else bots[viewer]
    faults = [
        FaultShown(
            fault.bot,
            fault.code,
            fault.detail if own in (None, fault.bot) else "",
            fault.act if own is None else UNSET,
        )
        for fault in deal.faults
    ]
    return DealOutcome(
        reason=deal.reason,
        points=deal.account.points,
        scores=deal.by_seat,
        sides=deal.account.sides,
        faults=tuple(faults),
    )

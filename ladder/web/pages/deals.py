"""The deals of a match as a table: who sat where, and what each has brought."""

from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from ladder.store.store import Store
from ladder.web.content import Asked, Content, Finding, Missing, Page
from ladder.web.pages.game import pool_of
from ladder.web.pages.match_found import match_of, names_of, record_of
from referee.errors import RefereeError
from referee.match.leg import DealReason, DealResult
from referee.match.verdict import FaultCode
from referee.record.held_deals import HeldDeals
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation

SHOWN: Final = 50
"""On one page; and to find these takes no longer, however many there are."""


class SeatOfDeal(Struct, frozen=True):
    """A seat: which bot of the match sat there, its card points, its deal value."""

    bot: int
    points: int
    value: int


class DealFault(Struct, frozen=True):
    """A fault in a deal; `bot` is a place of the match."""

    bot: int
    code: FaultCode
    detail: str


class DealLine(Struct, frozen=True):
    """A deal, by what `referee replay --deal` calls it; `seats` has them in their order."""

    deal: str
    dealer: int
    reason: DealReason
    seats: tuple[SeatOfDeal, ...]
    faults: tuple[DealFault, ...]


class DealsJson(Struct, frozen=True):
    """Deals of a match, `SHOWN` at most.

    Attributes:
        next: where those begin that come after these; null where there are none.
        trouble: why the record shows no more of them; null where it shows all.
    """

    match: int
    deals: tuple[DealLine, ...]
    next: int | None
    trouble: str | None


class BotOfDeal(Struct, frozen=True):
    """What a deal has brought a bot; `seats` is more than one where it holds a side."""

    seats: tuple[int, ...]
    dealt: bool
    points: int
    value: int


class Found(Struct, frozen=True):
    """The deals of a record, in order: all, or the first ones."""

    deals: tuple[DealLine, ...]
    trouble: str | None


def finding_of(store: Store, match: str, begin: int) -> Finding | None:
    """Return how the deals of a match are found; None where it has no record.

    Args:
        store: has it.
        match: as the address has it.
        begin: the first deal that is wanted; for later ones all have to be found.

    Raises:
        Missing: there is no such match.
    """
    number, found = match_of(store, match)
    path = record_of(store, number, found)
    if path is None:
        return None
    most = None if begin > 1 else SHOWN + 1
    return Finding(("deals", found.record, most), partial(_find, path, most), path)


def _find(path: Path, most: int | None) -> bytes:
    """Return the first deals of a record, or all; no name is in them, as names may go."""
    try:
        with RecordReader(path) as reader:
            found = Resimulation(reader)
            held = HeldDeals(found)
            lines = tuple(
                _line(deal, found.called(deal, number))
                for number, deal in enumerate(islice(held, most), 1)
            )
            trouble = held.trouble or found.unfinished
    except (RefereeError, Mismatch):  # a game that this machine has not, or no record
        lines, trouble = (), "it cannot be read here"
    return msgspec.json.encode(Found(lines, trouble))


def _line(deal: DealResult, called: str) -> DealLine:
    rows = zip(deal.start.bots, deal.account.points, deal.by_seat, strict=True)
    return DealLine(
        deal=called,
        dealer=deal.start.dealer,
        reason=deal.reason,
        seats=tuple(SeatOfDeal(*row) for row in rows),
        faults=tuple(DealFault(one.bot, one.code, one.detail) for one in deal.faults),
    )


def deals_json(number: int, asked: Asked, begin: int) -> DealsJson | None:
    """Return the deals of a match from one on; None where no record says what they were.

    Args:
        number: of the match.
        asked: with what was found.
        begin: the first one, from 1.
    """
    if not asked.found:
        return None
    found = msgspec.json.decode(asked.found, type=Found)
    after = begin + SHOWN
    more = after if len(found.deals) >= after else None
    return DealsJson(number, found.deals[begin - 1 : after - 1], more, found.trouble)


def by_bot(deal: DealLine, bots: int) -> tuple[BotOfDeal | None, ...]:
    """Return what a deal has brought each bot of a match; None for one that did not sit."""
    return tuple(_of_bot(deal, bot) for bot in range(bots))


def _of_bot(deal: DealLine, bot: int) -> BotOfDeal | None:
    seats = tuple(seat for seat, one in enumerate(deal.seats) if one.bot == bot)
    if not seats:
        return None
    points = sum(deal.seats[seat].points for seat in seats)
    return BotOfDeal(seats, deal.dealer in seats, points, deal.seats[seats[0]].value)


def shown_deals(found: DealsJson | None, bots: int) -> dict[str, object]:
    """Return what a template needs of some deals, for so many bots."""
    lines = () if found is None else found.deals
    return {
        "deals": found,
        "deal_rows": [(one, by_bot(one, bots)) for one in lines],
        "with_faults": any(one.faults or one.reason != DealReason.PLAYED for one in lines),
    }


def _begin(asked: Asked) -> int:
    return int(asked.query.get("from", "1"))


def _finds(store: Store, asked: Asked) -> Finding | None:
    return finding_of(store, asked.path["match"], _begin(asked))


def _make(store: Store, asked: Asked) -> Content:
    number, match = match_of(store, asked.path["match"])
    begin = _begin(asked)
    found = deals_json(number, asked, begin)
    if found is None or record_of(store, number, match) is None:  # it may have gone meanwhile
        raise Missing(f"Match {number} has no record, or not any more.")
    if begin > 1 and not found.deals:
        raise Missing(f"The record of match {number} has no deal {begin}.")
    names, pool = names_of(store, match.job), pool_of(store, str(match.job.pool))
    last = begin + len(found.deals) - 1
    return Content(
        title=f"Match {number}: deals",
        description=f"Deals {begin} to {last} of match {number}: {' - '.join(names)}.",
        template="deals.html",
        value=found,
        shown={
            "names": names,
            "pool": pool,
            "first": begin,
            "last": last,
            "before": max(begin - SHOWN, 1) if begin > 1 else None,
            **shown_deals(found, len(names)),
        },
    )


DEALS = Page(
    name="deals",
    path="/matches/{match}/deals",
    about="The deals of a match: who sat where, card points, deal values, faults.",
    type=DealsJson,
    make=_make,
    query={"from": f"Deals from this one on, {SHOWN} at most; 1 is the first."},
    finds=_finds,
    lives=False,
)

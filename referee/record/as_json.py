"""A record as one plain value: what `referee replay --json` prints (SPEC 9.1)."""

from collections.abc import Iterable
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from referee.match.leg import DealResult
from referee.match.lines import BotLine
from referee.match.outcome import FaultFound
from referee.record.deal_choice import DealChoice
from referee.record.verify import Resimulation
from referee.rules.cards import Card, Suit
from referee.rules.game import DealAccount, Sides, Trick


class DealJson(Struct, frozen=True, kw_only=True):
    """A deal with the cards open; seats are numbered from 0, and scores are by side.

    Attributes:
        deck: the top card first.
        seats: the bots by seat.
        acts: seat and action, in the order of play; `auction` likewise.
        faults: those after the last deal of a leg stand behind that deal's own.
        stand_in: the seats that the referee's stand-in played for, if any.
        black_hand: the seat that has won by it, if one has.
        caller: who won the auction, if there was one; with `pledge`, the `called` cards, and the
            scores by seat, since those of a side differ.
    """

    deck: tuple[Card, ...]
    dealer: int
    seats: tuple[int, ...]
    trump: Suit | None
    turn_up: Card | None
    sides: Sides
    acts: tuple[tuple[int, str], ...]
    auction: tuple[tuple[int, str], ...]
    tricks: tuple[Trick, ...]
    points: tuple[int, ...]
    scores: tuple[int, ...]
    faults: list[FaultFound]
    stand_in: tuple[int, ...] | UnsetType = UNSET
    black_hand: int | UnsetType = UNSET
    caller: int | UnsetType | None = UNSET
    pledge: int | UnsetType | None = UNSET
    called: tuple[Card, ...] | UnsetType = UNSET
    seat_scores: tuple[int, ...] | UnsetType = UNSET


class ResultJson(Struct, frozen=True):
    """How a match ended: scores and winners by bot; `winner` is null where there is none."""

    scores: tuple[int, ...]
    winner: tuple[int, ...] | None
    reason: str


class ReplayJson(Struct, frozen=True):
    """A match that was recorded, as far as its record holds."""

    game: str
    options: dict[str, str]
    bots: tuple[BotLine, ...]
    deals: tuple[DealJson, ...]
    result: ResultJson
    game_digest: str


def match_object(
    found: Resimulation, deals: Iterable[DealResult], only: DealChoice | None
) -> ReplayJson:
    """Return everything that was played, with the cards open.

    Args:
        found: the record, played again; `deals` are what it hands out.
        deals: all of them, or as many as hold.
        only: the one deal to keep; None keeps all.
    """
    kept: list[DealJson] = []
    last_of_leg: dict[int, DealJson] = {}
    for number, deal in enumerate(deals, 1):
        entry = _deal(deal)
        last_of_leg[found.totals.leg] = entry
        leg = found.totals.leg
        if only is None or only.is_meant(number, leg, deal.start.deal):
            kept.append(entry)
    for fault in found.last_faults:
        last_of_leg[fault.leg].faults.append(fault)
    header = found.header
    result = found.totals.result(header.legs)
    return ReplayJson(
        game=header.terms.game,
        options=header.terms.options,
        bots=header.bots,
        deals=tuple(kept),
        result=ResultJson(
            scores=result.scores,
            winner=None if found.unfinished else result.winner,
            reason="unfinished" if found.unfinished and found.end is None else result.end,
        ),
        game_digest=result.game_digest,
    )


def _deal(deal: DealResult) -> DealJson:
    account = deal.account
    return DealJson(
        deck=deal.start.deck,
        dealer=deal.start.dealer,
        seats=deal.start.bots,
        trump=account.trump,
        turn_up=account.turn_up,
        sides=account.sides,
        acts=deal.acts,
        auction=account.auction,
        tricks=account.tricks,
        points=account.points,
        scores=deal.scores,
        faults=list(deal.faults),
        stand_in=deal.start.benched or UNSET,
        **_extras(account, deal.by_seat),
    )


def _extras(account: DealAccount, by_seat: tuple[int, ...]) -> dict[str, Any]:  # as DealJson has it
    """What only some deals have; after an auction the seats of a side do not score the same."""
    if account.black_hand is not None:
        return {"black_hand": account.black_hand}
    if not account.auction:
        return {}
    return {
        "caller": account.caller,
        "pledge": account.pledge,
        "called": account.called,
        "seat_scores": by_seat,
    }

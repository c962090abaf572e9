"""A record as one plain value: what `referee replay --json` prints (DESIGN 8)."""

from collections.abc import Iterable
from typing import Any

from referee.match.leg import DealFault, DealResult
from referee.record.verify import Resimulation

Object = dict[str, Any]  # JSON


def match_object(found: Resimulation, deals: Iterable[DealResult], only: int | None) -> Object:
    """Everything that was played, with the cards open.

    Args:
        found: the record, played again; `deals` are what it hands out.
        deals: all of them, or as many as hold.
        only: the one deal to keep, counted from 1 through all legs; None keeps all.
    """
    kept: list[Object] = []
    last_of_leg: dict[int, Object] = {}
    for number, deal in enumerate(deals, 1):
        entry = _deal_object(deal)
        last_of_leg[found.totals.leg] = entry
        if only in (None, number):
            kept.append(entry)
    for leg, fault in found.last_faults:
        last_of_leg[leg]["faults"].append(_fault_object(fault))
    header = found.header
    result = found.totals.result(header.legs)
    return {
        "game": header.terms.game,
        "options": dict(header.terms.options),
        "bots": [{"name": bot.name, "hash": bot.hash} for bot in header.bots],
        "deals": kept,
        "result": {
            "scores": list(result.scores),
            "winner": None if result.winner is None or found.unfinished else list(result.winner),
            "reason": "unfinished" if found.unfinished and found.end is None else result.end,
        },
        "game_digest": result.game_digest,
    }


def _deal_object(deal: DealResult) -> Object:
    account = deal.account
    return {
        "deck": list(deal.start.deck),
        "dealer": deal.start.dealer,
        "seats": list(deal.start.bots),
        "trump": account.trump,
        "turn_up": account.turn_up,
        "sides": [list(side) for side in account.sides],
        "acts": [list(act) for act in deal.acts],
        "auction": [list(call) for call in account.auction],
        "tricks": [
            {
                "leader": trick.leader,
                "cards": list(trick.cards),
                "winner": trick.winner,
                "points": trick.points,
            }
            for trick in account.tricks
        ],
        "points": list(account.points),
        "scores": list(deal.scores),
        "faults": [_fault_object(fault) for fault in deal.faults],
        **({"stand_in": list(deal.start.benched)} if deal.start.benched else {}),
        **_extras(deal),
    }


def _extras(deal: DealResult) -> Object:
    """What only some deals have; after an auction the seats of a side do not score the same."""
    account = deal.account
    if account.black_hand is not None:
        return {"black_hand": account.black_hand}
    if not account.auction:
        return {}
    return {
        "caller": account.caller,
        "pledge": account.pledge,
        "called": list(account.called),
        "seat_scores": list(deal.by_seat),
    }


def _fault_object(fault: DealFault) -> Object:
    return {"seat": fault.seat, "code": str(fault.code), "act": fault.act}

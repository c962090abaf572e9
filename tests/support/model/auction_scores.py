"""Game points of a deal with an auction: RULES 6, 11.6, 15, U08, U20 and U25."""

from support.model.auction import PLAIN_PLEDGE
from support.model.outcome import Outcome

ALL_POINTS = 120


def auction_scores(deal: Outcome) -> list[int]:
    """By seat."""
    if deal.all_passed or _is_drawn(deal):
        return [0] * deal.rules.seats
    if deal.rules.family == "sueca-italiana":
        return _sueca_italiana(deal)
    times = _bid_multiplier(deal) * _capot_multiplier(deal)
    return [score * times for score in _tokens(deal)]


def _caller_points(deal: Outcome) -> int:
    return deal.side_points[0]


def _is_made(deal: Outcome) -> bool:
    return _caller_points(deal) >= deal.pledge


def _is_drawn(deal: Outcome) -> bool:
    """RULES U08: 60-60 with a pledge of 61."""
    if deal.rules.option("draw_60_in_auction") == "lose":
        return False
    return deal.pledge == PLAIN_PLEDGE and _caller_points(deal) == 60


def _tokens(deal: Outcome) -> list[int]:
    """RULES 6 and 11.6, before anything is doubled."""
    caller, *partners = deal.sides[0]
    if not partners:
        own, each_partner, each_opponent = 4, 0, -1
    elif len(partners) == 1:
        own, each_partner, each_opponent = 2, 1, -1
    else:  # RULES U25: two partners, two opponents
        own, each_partner, each_opponent = 2, 1, -2
    sign = 1 if _is_made(deal) else -1
    tokens = [sign * each_opponent] * deal.rules.seats
    tokens[caller] = sign * own
    for partner in partners:
        tokens[partner] = sign * each_partner
    return tokens


def _capot_multiplier(deal: Outcome) -> int:
    """RULES 11.6: the winning side took all 120 points."""
    if not deal.rules.yes("capot_double"):
        return 1
    taken = _caller_points(deal)
    return 2 if taken == (ALL_POINTS if _is_made(deal) else 0) else 1


def _bid_multiplier(deal: Outcome) -> int:
    """RULES 11.6: 71+ is worth 2, 81+ 3 and, by tens, 91+ 4, 101+ 5, 111+ 6."""
    option = deal.rules.option("bid_multipliers")
    steps = {"off": [], "tens": [71, 81, 91, 101, 111], "71_81": [71, 81]}[option]
    return 1 + len([step for step in steps if deal.pledge >= step])


def _sueca_italiana(deal: Outcome) -> list[int]:
    """RULES 15 and U20: made +g to the caller's side; missed -g, and +g to each opponent."""
    winning = 0 if _is_made(deal) else 1
    worth = 2 if deal.took_all_tricks(winning) else 1
    return deal.by_seat([worth, 0] if winning == 0 else [-worth, worth])

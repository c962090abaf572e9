"""Game points of a deal without an auction: RULES 1.6, 5, 8.2, 8.5, 10, 13 and 14."""

from support.model.auction_scores import auction_scores
from support.model.outcome import Outcome


def deal_scores(deal: Outcome) -> list[int]:
    """By seat."""
    if deal.rules.auction:
        return auction_scores(deal)
    return deal.by_seat(_side_scores(deal))


def deal_values(deal: Outcome) -> list[int]:
    """By seat: points of the side times the number of sides, less the points of all."""
    if deal.rules.auction:
        return auction_scores(deal)
    points = deal.side_points
    if deal.black_hand is not None:  # as if its side had all card points of the pack
        points = [0] * len(deal.sides)
        points[deal.black_hand] = deal.pack_points
    return deal.by_seat([own * len(points) - sum(points) for own in points])


def _side_scores(deal: Outcome) -> list[int]:
    if deal.black_hand is not None:  # RULES 8.5
        worth = {"one": 1, "pennycook": 1, "three_hand_40": 2, "cumulative": 120}
        return _only(deal, deal.black_hand, worth[deal.rules.option("deal_scoring")])
    if deal.rules.family == "bisca":
        return _bisca_scores(deal)
    if deal.rules.family == "sueca":
        return _sueca_scores(deal)
    return _plain_scores(deal, deal.rules.option("deal_scoring"))


def _plain_scores(deal: Outcome, scoring: str) -> list[int]:
    """RULES 1.6, 5, 7, 8.2, 10."""
    if scoring == "cumulative":  # 60-60 simply adds 60 to each side
        return list(deal.side_points)
    if scoring == "pennycook":
        return [_pennycook(points) for points in deal.side_points]
    if scoring == "three_hand_40":
        return _three_hand_40(deal.side_points)
    return _only(deal, _leading_side(deal), 1)


def _only(deal: Outcome, side: int | None, worth: int) -> list[int]:
    """One side scores; with no such side the deal is void."""
    return [worth if i == side else 0 for i in range(len(deal.sides))]


def _leading_side(deal: Outcome) -> int | None:
    """RULES 5, 8.2, 13: strictly most points; of two sides that is 61 or more, 121 or more."""
    best = max(deal.side_points)
    leading = [i for i, points in enumerate(deal.side_points) if points == best]
    return leading[0] if len(leading) == 1 else None


def _pennycook(points: int) -> int:
    """RULES 8.2: 61 to 90, 91 to 119, 120."""
    if points == 120:
        return 3
    if points >= 91:
        return 2
    return 1 if points >= 61 else 0


def _three_hand_40(points: list[int]) -> list[int]:
    """RULES 8.2: "over 40" is strict; the sum is 120, so one or two are over 40, or nobody."""
    over = [own for own in points if own > 40]
    worth = {0: 0, 1: 2, 2: 1}[len(over)]
    if over == [120]:
        worth = 3
    return [worth if own > 40 else 0 for own in points]


def _bisca_scores(deal: Outcome) -> list[int]:
    """RULES 13, U10, U11."""
    side = _leading_side(deal)
    if deal.rules.option("bisca_threshold") == "60_reached_first":
        side = side if deal.first_to_half is None else deal.first_to_half
    worth = 0 if side is None else _bisca_worth(deal, side)
    return _only(deal, side, worth)


def _bisca_worth(deal: Outcome, side: int) -> int:
    """RULES 13: by the final points of the winner; with two packs the bands double."""
    scale, packs = deal.rules.option("bisca_scale"), deal.rules.packs
    points = deal.side_points[side]
    if scale == "91_120":
        if points == 120 * packs:
            return 4
        return 2 if points >= 91 * packs else 1
    if scale == "82_all":
        if deal.took_all_tricks(side):
            return 4
        return 2 if points >= 82 * packs else 1
    return 1


def _sueca_scores(deal: Outcome) -> list[int]:
    """RULES 14 and U16."""
    side = _leading_side(deal)
    if side is None:
        return _only(deal, None, 0)
    points = deal.side_points[side]
    all_points = deal.rules.option("sueca_flag") == "points_120" and points == 120
    if deal.took_all_tricks(side) or all_points:
        return _only(deal, side, 4)
    return _only(deal, side, 2 if points >= 91 else 1)

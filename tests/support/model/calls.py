"""What the caller may call: RULES 6, 11.2 to 11.5, U25 and U29."""

from support.model.auction import ALL_POINTS
from support.model.cards import SUITS
from support.model.rules import Rules

BLIND_PLEDGE = 62  # RULES 11.5: the blind trick may be limited to bids of 62 or more


def legal_calls(rules: Rules, rank: str | None, pledge: int, own: set[str]) -> list[str]:
    """`rank` is the rank that was bid (None in an auction of points), `own` the caller's hand."""
    fixed = _fixed_rank(rules, rank)
    calls = _single_calls(rules, fixed)
    if pledge == ALL_POINTS and rules.yes("two_cards_at_120"):
        calls += _two_card_calls(rules, fixed)
    if not rules.yes("own_card_allowed"):
        # RULES U29; where every call would be an own card there is no other way than to allow it
        calls = [call for call in calls if own.isdisjoint(call)] or calls
    actions = ["call " + " ".join(call) for call in calls]
    return actions + (["blind"] if _may_go_blind(rules, rank, pledge, own) else [])


def legal_suits(rules: Rules, own: set[str]) -> list[str]:
    """RULES 11.5: after the blind trick; `own` holds the caller's own cards, played or not."""
    suits = [suit for suit in SUITS if rules.yes("own_card_allowed") or "2" + suit not in own]
    return [f"suit {suit}" for suit in suits]


def _fixed_rank(rules: Rules, rank: str | None) -> str | None:
    """The rank that was bid, or the two where only the suit is named (RULES 11.3)."""
    if rank is None and rules.option("called_rank_fixed") == "2":
        return "2"
    return rank


def _single_calls(rules: Rules, fixed: str | None) -> list[list[str]]:
    ranks = fixed or rules.profile.order
    return [[rank + suit] for suit in SUITS for rank in ranks]


def _two_card_calls(rules: Rules, fixed: str | None) -> list[list[str]]:
    """RULES 11.3: two different cards of one suit, the higher first; one is of the fixed rank."""
    order = rules.profile.order
    return [
        [high + suit, low + suit]
        for suit in SUITS
        for place, high in enumerate(order)
        for low in order[place + 1 :]
        if fixed is None or fixed in {high, low}
    ]


def _may_go_blind(rules: Rules, rank: str | None, pledge: int, own: set[str]) -> bool:
    """RULES 11.5: only for a two, whose suit then comes after the first trick."""
    option = rules.option("blind_first_trick")
    if option == "off" or rank not in {None, "2"}:
        return False
    if option == "only_if_bid_ge_62" and pledge < BLIND_PLEDGE:
        return False
    return rules.yes("own_card_allowed") or any("2" + suit not in own for suit in SUITS)

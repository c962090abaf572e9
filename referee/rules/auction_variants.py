"""Variants with an auction from data: the options, and how they become rules."""

from collections.abc import Mapping
from typing import Final

import msgspec
from msgspec import Struct

from referee.errors import RefereeError
from referee.rules.auction_game import AuctionGame, Blind, Calling
from referee.rules.bids import CONTRACT, Bidding, BidKind
from referee.rules.contract import Capot, Pay, Payment
from referee.rules.layout import Follow, Layout, Trump, check
from referee.rules.match_end import EndingKind, parse_match
from referee.rules.options import (
    BRISCOLA,
    POINTS,
    PROJECT,
    SISTERS,
    TARGET,
    VOID_KEEPS_DEALER,
    choice,
    match,
    match_as_played,
    rank_profile,
)
from referee.rules.rules_text import Rows, shared_rows
from referee.rules.variants import MatchRules, Option, Options, Raise, Variant

_SEATS, _CARDS, _ALL_POINTS = 5, 8, 120


class AuctionFamily(Struct, frozen=True):
    """One game with an auction, before any option.

    Attributes:
        profile: ranks and card points.
        bids: what is bid.
        match: what is played for.
        capot: what doubles a deal, unless `capot_double` says that nothing does.
        source: the document that the rules come from.
        sources: where some of the shared rules come from instead, by point.
        rows: rules of this game alone.
    """

    profile: str
    bids: BidKind
    match: str
    options: tuple[Option, ...]
    pay: Pay
    capot: Capot
    source: str
    sources: Mapping[str, str]
    rows: Rows


COMMON: Final = (
    choice(
        "all_pass",
        "redeal_next_dealer redeal_next_double",
        "after a deal that is void: just the next; or the next counts twice",
        SISTERS,
    ),
    choice(
        "first_lead_auction",
        "dealer_right caller",
        "who leads first",
        SISTERS,
    ),
    VOID_KEEPS_DEALER,
)
DRAW_60: Final = choice("draw_60_in_auction", "lose draw", "60-60 where 61 are pledged", SISTERS)
FORCE_BID: Final = choice(
    "force_bid", "on off", "a bid can freeze the rank: later ones must raise the points", BRISCOLA
)
OVER_PLAIN: Final = Option(
    "bid_min", ("N",), "62", "the least points over a plain rank", f"{BRISCOLA}; 62: {SISTERS}"
)
TWO_CARDS: Final = choice(
    "two_cards_at_120", "true false", "who pledges 120 may call two cards of a suit", BRISCOLA
)
FIXED_RANK: Final = choice(
    "called_rank_fixed", "none 2", "the called card is a two: only its suit is chosen", BRISCOLA
)
CAPOT: Final = choice(
    "capot_double", "true false", "all 120 card points for one side count twice", BRISCOLA
)
MULTIPLIERS: Final = choice(
    "bid_multipliers",
    "off tens 71_81",
    "high pledges count more: from 71 twice, from 81 three times, and so on with tens",
    SISTERS,
)


def bid_numbers(source: str) -> tuple[Option, ...]:
    """The options of an auction by points."""
    return (
        Option("bid_min", ("N",), "61", "the least points of a first bid", source),
        Option("bid_max", ("N",), "120", "the most points that can be bid", PROJECT),
        Option("bid_step", ("N",), "1", "bids are the least and multiples of this more", SISTERS),
    )


def blind(*values: str) -> Option:
    """The option of a two called without its suit."""
    return choice(
        "blind_first_trick",
        " ".join(values),
        "the caller of a two may name its suit after the first trick; twos lie covered in it",
        BRISCOLA,
    )


def opener_must_bid(default: str, source: str) -> Option:
    """The option that whoever speaks first must bid."""
    other = {"true": "false", "false": "true"}[default]
    meaning = "whoever is asked first cannot pass"
    return choice("opener_must_bid", f"{default} {other}", meaning, source)


def own_card(default: str, source: str) -> Option:
    """The option that the caller may call a card of the own hand."""
    other = {"true": "false", "false": "true"}[default]
    meaning = "the caller may call an own card, and play alone"
    return choice("own_card_allowed", f"{default} {other}", meaning, source)


def follow() -> Option:
    """The option of a duty to follow."""
    return choice(
        "follow",
        "free must",
        "whether the suit led must be followed",
        f"{BRISCOLA}; must: {SISTERS}",
    )


def _layout(profile: str, follow: Follow) -> Layout:
    return Layout(
        rank_profile=profile,
        seats=_SEATS,
        hand=_CARDS,
        packet=_CARDS // 2,
        trump=Trump.CALLED,
        follow=follow,
    )


def build(options: Options, family: AuctionFamily) -> MatchRules:
    """The rules of a match with auctions.

    Raises:
        RefereeError: the options do not go together.
    """
    layout = _layout(options["rank_profile"], Follow(options.get("follow", "free")))
    check(layout)
    bidding = _bidding(options, family, layout)
    calling = Calling(
        fixed_rank=None if options.get("called_rank_fixed", "none") == "none" else "2",
        own_card=options["own_card_allowed"] == "true",
        two_at_120=options.get("two_cards_at_120") == "true",
        blind=Blind(options.get("blind_first_trick", "off")),
        caller_leads=options["first_lead_auction"] == "caller",
    )
    payment = Payment(
        pay=family.pay,
        capot=Capot.NONE if options.get("capot_double") == "false" else family.capot,
        multipliers=options.get("bid_multipliers", "off"),
        draw_at_60=options.get("draw_60_in_auction") == "draw",
    )
    text = match_as_played(options.get("match"), family.match, options.get("target"))
    ending = parse_match(text, drop_out=False)
    most = ending.max_deals
    if ending.kind is EndingKind.DEALS:  # those in which all pass are not among them
        most = max(most, 2 * ending.number)
    ending = msgspec.structs.replace(ending, shared=True, max_deals=most)
    if ending.kind is EndingKind.POINTS and ending.number > payment.most * ending.max_deals:
        raise RefereeError(f"match={text}: {ending.max_deals} deals cannot bring that much")
    as_played = {name: value for name, value in options.items() if name != TARGET.name}
    as_played["match"] = text
    doubles = options["all_pass"] == "redeal_next_double"  # noqa: S105  # no password
    return MatchRules(
        game=AuctionGame(layout, bidding, calling, payment),
        ending=ending,
        options=as_played,
        data={
            "layout": msgspec.to_builtins(layout),
            "profile": msgspec.to_builtins(layout.profile),
            "bidding": msgspec.to_builtins(bidding),
            "calling": msgspec.to_builtins(calling),
            "payment": msgspec.to_builtins(payment),
            "ending": msgspec.to_builtins(ending),
            "options": as_played,
        },
        void_keeps_dealer=options["void_keeps_dealer"] == "true",
        after_void=Raise(times=2) if doubles else Raise(),
    )


def _bidding(options: Options, family: AuctionFamily, layout: Layout) -> Bidding:
    least, most = int(options.get("bid_min", 61)), int(options.get("bid_max", _ALL_POINTS))
    step = int(options.get("bid_step", 1))
    lowest = CONTRACT + (family.bids is BidKind.MIXED)
    if family.bids is not BidKind.RANK and least < lowest:
        raise RefereeError(f"bid_min={least}: at least {lowest} are pledged")
    if most > _ALL_POINTS:
        raise RefereeError(f"bid_max={most}: a deal has {_ALL_POINTS} points")
    if least > most or (step > 1 and least + step > most):
        raise RefereeError(f"bid_min={least}, bid_step={step}, bid_max={most}: nobody can raise")
    return Bidding(
        kind=family.bids,
        ranks=layout.profile.order,
        least=least,
        most=most,
        step=step,
        force=options.get("force_bid") == "on",
        opener_must_bid=options["opener_must_bid"] == "true",
    )


def variant(name: str, title: str, family: AuctionFamily) -> Variant:
    """A variant with an auction."""

    def make(chosen: Options) -> MatchRules:
        return build(chosen, family)

    source = family.source
    call = "the caller names a card: its suit is trump, its holder the silent partner"
    before_play = (*_AUCTION_ROWS[family.bids], ("call", call, source))
    layout = _layout(family.profile, Follow.FREE)
    return Variant(
        id=name,
        title=title,
        seats=(_SEATS,),
        options=(
            rank_profile(family.profile, cards=_SEATS * _CARDS),
            match(*POINTS, source=family.source),
            TARGET,
            *family.options,
            *COMMON,
        ),
        build=make,
        rules=(
            *shared_rows(layout, source, (_SEATS,), family.sources, before_play),
            *family.rows,
        ),
    )


_AUCTION_ROWS: Final[Mapping[BidKind, Rows]] = {
    BidKind.POINTS: (
        (
            "auction",
            "from the dealer's right: card points, higher each time; a pass is final",
            f"sbiro.eu, {BRISCOLA}",
        ),
    ),
    BidKind.RANK: (
        ("auction", "from the dealer's right: a rank, lower each time; a pass is final", BRISCOLA),
    ),
    BidKind.MIXED: (
        ("auction", "from the dealer's right: a rank, lower each time; a pass is final", BRISCOLA),
        ("", "a two, or a rank that was forced, is beaten by more points on it", BRISCOLA),
    ),
}

"""The games of five with an auction and a called card (RULES 6, 11, 15)."""

from referee.rules.auction_variants import (
    CAPOT,
    DRAW_60,
    FIXED_RANK,
    FORCE_BID,
    MULTIPLIERS,
    OVER_PLAIN,
    TWO_CARDS,
    AuctionFamily,
    bid_numbers,
    blind,
    follow,
    opener_must_bid,
    own_card,
    variant,
)
from referee.rules.bids import BidKind
from referee.rules.contract import Capot, Pay
from referee.rules.options import BRISCOLA, PROJECT, SBIRO, SISTERS, with_default

_SOURCES = {
    "deal": f"{BRISCOLA}; packets: {SISTERS}",
    "lead": SISTERS,
    "next dealer": SISTERS,
}
_TOKENS = (
    ("deal won by", "caller and partner with the points pledged", BRISCOLA),
    ("score", "2 to the caller, 1 to the partner, from 1 of each of the others; or paid", SISTERS),
    ("", "alone: 1 from or to each of the others; all 120 points count twice", BRISCOLA),
    ("match", "to 10 points; level at the top plays on", BRISCOLA),
)
_WITH_POINTS = (TWO_CARDS, MULTIPLIERS, blind("off", "on", "only_if_bid_ge_62"))
_CHIAMATA = (
    (BidKind.RANK, "ranks are bid", (blind("off", "on"),)),
    (BidKind.POINTS, "points are bid", (*bid_numbers(BRISCOLA), FIXED_RANK, *_WITH_POINTS)),
    (BidKind.MIXED, "ranks are bid, then points", (OVER_PLAIN, FORCE_BID, *_WITH_POINTS)),
)

VARIANTS = (
    variant(
        "auction-biscambiggia",
        "auction biscambiggia for 5, with a hidden partner",
        AuctionFamily(
            profile="gen7",
            bids=BidKind.POINTS,
            match="deals:5",
            options=(
                *bid_numbers(SBIRO),
                opener_must_bid("true", SBIRO),
                own_card("true", SBIRO),
                DRAW_60,
            ),
            pay=Pay.TOKENS,
            capot=Capot.NONE,
            source=SBIRO,
            sources={},
            rows=(
                ("deal won by", "caller and partner with the points pledged", SBIRO),
                (
                    "score",
                    "each opponent pays 1: 2 to the caller, 1 to the partner; or is paid",
                    SBIRO,
                ),
                ("", "alone: 1 from or to each of the others", SBIRO),
                ("match", "5 deals, most tokens; all who are level win", f"{SBIRO}; 5: {PROJECT}"),
            ),
        ),
    ),
    *(
        variant(
            f"briscola-chiamata-{bids}",
            f"briscola chiamata for 5: {how}, with a hidden partner",
            AuctionFamily(
                profile="it3",
                bids=bids,
                match="points:10",
                options=(
                    *options,
                    opener_must_bid("false", PROJECT),
                    own_card("true", BRISCOLA),
                    DRAW_60,
                    CAPOT,
                ),
                pay=Pay.TOKENS,
                capot=Capot.POINTS,
                source=BRISCOLA,
                sources=_SOURCES,
                rows=_TOKENS,
            ),
        )
        for bids, how, options in _CHIAMATA
    ),
    variant(
        "sueca-italiana",
        "sueca italiana for 5: points are bid, with a hidden partner",
        AuctionFamily(
            profile="pt7",
            bids=BidKind.POINTS,
            match="points:10",
            options=(
                *bid_numbers(BRISCOLA),
                opener_must_bid("false", PROJECT),
                own_card("false", SISTERS),
                DRAW_60,
                with_default(TWO_CARDS, "false"),
                FIXED_RANK,
                blind("off", "on", "only_if_bid_ge_62"),
                follow(),
            ),
            pay=Pay.ITALIANA,
            capot=Capot.TRICKS,
            source=BRISCOLA,
            sources=_SOURCES,
            rows=(
                ("deal won by", "caller and partner with the points pledged", SISTERS),
                (
                    "score",
                    "made: 1 each to caller and partner; else -1 to them, 1 to the others",
                    SISTERS,
                ),
                ("", "all tricks for the side that wins count twice", SISTERS),
                ("match", "to 10 points; level at the top plays on", PROJECT),
            ),
        ),
    ),
)

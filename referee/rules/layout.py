"""The numbers of a game: everything in which games without phases of their own can differ.

A field that an option chooses has the option's name, and the option's values.
"""

from enum import StrEnum
from functools import lru_cache
from typing import Final

from msgspec import Struct

from referee.errors import RefereeError
from referee.rules.cards import PROFILES, Card, Profile, Suit, pack
from referee.rules.game import Sides
from referee.rules.tricks import sides_of


class Trump(StrEnum):
    """Where the trump suit comes from."""

    TURN_UP = "turn_up"
    """The card after the last one dealt; the talon lies on it."""
    EXPOSED = "exposed"
    """A card that is dealt to the dealer, who shows it."""
    NONE = "none"
    """There is none."""
    CALLED = "called"
    """Whoever wins the auction names it."""


class Follow(StrEnum):
    """When the suit led must be followed."""

    FREE = "free"
    MUST = "must"
    AFTER_STOCK = "after_stock"
    AFTER_STOCK_TRUMP_LED = "after_stock_trump_led"


class FirstLead(StrEnum):
    """Who leads to the first trick."""

    DEALER_RIGHT = "dealer_right"
    CUTTER = "cutter"
    """The dealer's left, who cut (RULES U01)."""


class Exchange(StrEnum):
    """When a low trump may be exchanged for the turn-up (RULES 8.3, 8.4, 13)."""

    OFF = "off"
    FIRST_TRICK = "first_trick"
    """Before the seat has played its first card."""
    WHILE_TURNUP = "while_turnup"
    """After a trick won, as long as the turn-up lies there; the two takes 7 and below."""
    WHILE_STOCK = "while_stock"
    """At any own turn, as long as the talon lasts."""


class BlackHand(StrEnum):
    """Whether ace, king and the ten-point trump in one hand win the deal (RULES 8.5)."""

    OFF = "off"
    ON = "on"
    AUTOMATIC = "automatic"


class TeamView(StrEnum):
    """When partners see each other's hands (RULES 8.6)."""

    NONE = "none"
    BEFORE_FIRST = "before_first"
    TALON_EMPTY = "talon_empty"
    BOTH = "both"


class Signals(StrEnum):
    """Whether partners may signal, and who sees it (RULES 8.7)."""

    OFF = "off"
    ON = "on"
    PUBLIC = "public"


class Teams(StrEnum):
    """Who scores together."""

    SOLO = "solo"
    PAIRS = "pairs"
    """Two and two, opposite."""
    ALTERNATE = "alternate"
    """Two sides of every other seat."""


class Exposed(StrEnum):
    """Which card of the deck the dealer exposes; the packet that holds it is the dealer's."""

    LAST = "last"
    TOP = "top"


class EqualCards(StrEnum):
    """Which of two equal cards wins (RULES U02)."""

    FIRST_WINS = "first_wins"
    LAST_WINS = "last_wins"


MARRIAGE: Final = 20
"""Points of a king and queen; twice as many in trumps (RULES U13)."""


class Layout(Struct, frozen=True, kw_only=True):
    """The numbers of a game.

    Attributes:
        rank_profile: a name of `PROFILES`.
        hand: cards in a hand.
        packet: cards dealt at a time.
        cards_each: cards that each seat plays to a trick, in turn.
        open: hands and the next card of the talon lie open (RULES 9).
        marriages: king and queen of a suit can be shown for points (RULES U13).
        removed_two: the suit of the first two to leave a pack that cannot be shared out, or
            "random": the two of the suit of the deck's bottom card.
        first_to: the side that first takes so many card points wins, out of one pack.
        scoring: a name of `referee.rules.deal_scoring.SCORINGS`.
    """

    rank_profile: str
    seats: int = 2
    hand: int = 3
    packet: int = 1
    packs: int = 1
    cards_each: int = 1
    teams: Teams = Teams.SOLO
    trump: Trump = Trump.TURN_UP
    follow: Follow = Follow.FREE
    first_lead: FirstLead = FirstLead.DEALER_RIGHT
    open: bool = False
    marriages: bool = False
    exposed_card: Exposed = Exposed.LAST
    exchange_two: Exchange = Exchange.OFF
    exchange_seven: Exchange = Exchange.OFF
    black_hand: BlackHand = BlackHand.OFF
    team_view: TeamView = TeamView.NONE
    signals: Signals = Signals.OFF
    equal_cards: EqualCards = EqualCards.FIRST_WINS
    removed_two: str = "S"
    first_to: int | None = None
    scoring: str = "one"

    @property
    def profile(self) -> Profile:
        """Ranks and points."""
        return PROFILES[self.rank_profile]

    @property
    def sides(self) -> Sides:
        """The seats that score together."""
        count = {
            Teams.SOLO: self.seats,
            Teams.PAIRS: self.seats // 2,
            Teams.ALTERNATE: 2,
        }
        return sides_of(self.seats, count[self.teams])

    @property
    def pack(self) -> tuple[Card, ...]:
        """The cards of a deck; with a two removed at random it is the deal that removes it."""
        return _pack(self)

    @property
    def total(self) -> int:
        """The card points of a deal; RULES 1.3: 120 in each pack, whatever the profile."""
        return 120 * self.packs

    @property
    def most_points(self) -> int:
        """The most points that one seat can get: all the cards, and every marriage."""
        return self.total + (5 * MARRIAGE if self.marriages else 0)

    @property
    def ten(self) -> str:
        """The rank that is worth 10."""
        return next(rank for rank, worth in self.profile.points.items() if worth == 10)


@lru_cache(maxsize=256)
def _pack(layout: Layout) -> tuple[Card, ...]:
    if layout.removed_two == "random":
        return pack(layout.profile, 1)
    suit = Suit(layout.removed_two)
    return pack(layout.profile, layout.seats, packs=layout.packs, removed_two=suit)


def leaves_a_two(layout: Layout) -> bool:
    """Whether the twos of one suit, and no others, leave the pack, so that one can be chosen."""
    whole = 4 * len(layout.profile.order) * layout.packs
    return whole % layout.seats == layout.packs


def check(layout: Layout) -> None:
    """Refuses what makes no sense.

    Raises:
        RefereeError: naming the option, and what stands against it.
    """
    for name, trouble in (
        ("exchange_two", _no_two(layout)),
        ("exchange_seven", _no_seven(layout)),
    ):
        if getattr(layout, name) is not Exchange.OFF and trouble:
            raise RefereeError(f"{name}={getattr(layout, name)}: {trouble}")
    partners = len(layout.sides) < layout.seats
    for name, off in (("team_view", TeamView.NONE), ("signals", Signals.OFF)):
        if getattr(layout, name) is not off and not partners:
            raise RefereeError(f"{name}={getattr(layout, name)}: nobody has a partner here")
    if layout.teams is not Teams.SOLO and (layout.seats < 4 or layout.seats % 2):
        raise RefereeError(f"teams={layout.teams}: {layout.seats} seats play for themselves")
    if layout.equal_cards is not EqualCards.FIRST_WINS and layout.packs == 1:
        raise RefereeError(f"equal_cards={layout.equal_cards}: one pack has no equal cards")
    _check_shares(layout)


def _no_two(layout: Layout) -> str | None:
    if not any(card[0] == "2" for card in layout.pack):
        return f"the pack of {layout.seats} players has no twos"
    return None


def _no_seven(layout: Layout) -> str | None:
    if "7" not in layout.profile.order:
        return f"rank_profile={layout.rank_profile} has no sevens"
    if "7" in layout.profile.points:
        return f"the seven is worth {layout.profile.points['7']} points in {layout.rank_profile}"
    return None


def _check_shares(layout: Layout) -> None:
    """Every seat gets as many cards as every other (RULES 2)."""
    cards = len(layout.pack)
    if layout.removed_two == "random":
        if cards % layout.seats != 1:
            raise RefereeError("removed_two=random: there is no single two to leave out")
        cards -= 1
    talon = cards - layout.seats * layout.hand
    whole_deal = layout.trump in (Trump.EXPOSED, Trump.CALLED)
    if talon < 0 or talon % (layout.seats * layout.cards_each) or (whole_deal and talon):
        raise RefereeError(
            f"rank_profile={layout.rank_profile}: {cards} cards do not go round "
            f"{layout.seats} seats with {layout.hand} each"
        )

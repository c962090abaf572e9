"""Card points laid on tricks that an opponent holds: what the acts of a deal say of favours. Pure.

At a table of three and more a bot can lay its points on a friend's tricks: it loses by it, but the
others pay most of it. What a block brings says little of that, since cards scatter far more. The
acts say it: each time a seat plays to a trick that an opponent holds as it lies, the card leaves
some points with that opponent, or none.

How many depends on the hand and on the trick, and so on who plays before whom and how strongly. So
with each gift stands the position, as far as it bears on gifts: what lies there, and what each card
would have left. Who gives to a friend gives more than in such a position to others
(`ladder.stats.favours`).
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from msgspec import Struct

from referee.match.leg import DealReason, DealResult
from referee.rules.auction_game import AuctionGame, CalledState
from referee.rules.cards import Card, Suit, strengths, worths
from referee.rules.deal import DealState
from referee.rules.layout import EqualCards, Layout
from referee.rules.plain_game import PlainGame
from referee.rules.tricks import Beaters, beaters, winner

NUMBERS: Final = 16
"""How many numbers say what a giver saw, the first of them always 1."""

_TRUMP_KEPT: Final = 10
"""What a trump is worth to the plain player beside its points, in card points."""

_BEST: Final = 11.0
"""The points of the best card: gifts are measured in it, so that all numbers are of one size."""

_CARD: Final = 2
"""Letters in an action that plays a card."""


class Gift(Struct, frozen=True, gc=False):
    """A card that a bot has played to a trick which an opponent held.

    Attributes:
        giver: the bot, by its number in the match.
        holder: the opponent's, likewise.
        points: the card points that it left with the holder, 0 where it took the trick.
        position: what the giver saw, as `Position.packed` writes it.
    """

    giver: int
    holder: int
    points: int
    position: bytes


class Choice(NamedTuple):
    """A card that can be played to a trick which an opponent holds.

    Attributes:
        worth: its card points.
        leaves: whether that opponent holds the trick after it, too.
        is_trump: whether it is a trump.
    """

    worth: int
    leaves: bool
    is_trump: bool

    @property
    def laid(self) -> int:
        """The points that it leaves with the holder."""
        return self.worth * self.leaves


class Position(Struct, frozen=True):
    """What a giver sees of a trick that an opponent holds, as far as it bears on gifts.

    Attributes:
        cards: how many lie there.
        points: what they are worth, in card points.
        holds_trump: whether the card that holds it is a trump.
        is_last: whether the giver's card completes it.
        talon_is_empty: whether nothing can be drawn any more.
        holder_called: whether the holder won the auction.
        choices: the giver's legal cards, the least first.
    """

    cards: int
    points: int
    holds_trump: bool
    is_last: bool
    talon_is_empty: bool
    holder_called: bool
    choices: tuple[Choice, ...]

    def packed(self) -> bytes:
        """Return it in a few bytes, of which the last is not zero; equal ones have the same."""
        return bytes((self.cards, self.points, self._flags(), *map(_packed, self.choices)))

    def _flags(self) -> int:
        return (
            self.holds_trump + 2 * self.is_last + 4 * self.holder_called + 8 * self.talon_is_empty
        )

    def kinds(self) -> tuple[bytes, ...]:
        """Return what kinds of position it is one of, the widest first, and last itself."""
        where = bytes((self.cards, self._flags() & 7))
        left = bytes(sorted(_packed(one._replace(worth=one.laid)) for one in self.choices))
        laid = [one.laid for one in self.choices]
        takes = {one.is_trump for one in self.choices if not one.leaves}
        gist = bytes((self.points, self.plain().laid, max(laid), min(laid)))
        return (
            where + bytes((len(self.choices),)),
            where + gist + bytes((True in takes, False in takes)),
            where + left,
            self.packed(),
        )

    def plain(self) -> Choice:
        """Return what a plain player plays, who weighs the trick against its card kept."""

        def outlook(one: Choice) -> int:
            kept = _TRUMP_KEPT + one.worth if one.is_trump else 0
            return (-1 if one.leaves else 1) * (self.points + one.worth) - kept

        return max(self.choices, key=outlook)

    def numbers(self) -> tuple[float, ...]:
        """Return it in numbers."""
        each = [one.laid / _BEST for one in self.choices]
        most, plain = max(each), self.plain().laid / _BEST
        table = self.points / (3 * _BEST)
        return (
            1.0,
            plain,
            most,
            sum(each) / len(each),
            min(each),
            float(self.is_last),
            table,
            float(self.holds_trump),
            plain * self.is_last,
            most * self.is_last,
            most * self.holds_trump,
            most * table,
            sum(one.leaves for one in self.choices) / len(each),
            float(self.talon_is_empty),
            len(each) / 10,
            float(self.holder_called),
        )


def unpacked(packed: bytes) -> Position:
    """Return a position that `Position.packed` has written."""
    cards, points, flags, *choices = packed
    return Position(
        cards,
        points,
        holds_trump=bool(flags & 1),
        is_last=bool(flags & 2),
        holder_called=bool(flags & 4),
        talon_is_empty=bool(flags & 8),
        choices=tuple(
            Choice((one - 1) >> 2, bool((one - 1) & 2), bool((one - 1) & 1)) for one in choices
        ),
    )


def _packed(one: Choice) -> int:
    """A choice in a byte, never zero: what pads bytes with zeros changes none."""
    return 1 + 4 * one.worth + 2 * one.leaves + one.is_trump


class _Sight(Struct, frozen=True):
    """What cards of a layout are worth, and which beats which, by trump."""

    worth: Mapping[Card, int]
    beaten_by: Mapping[Suit | None, Beaters]


@lru_cache(maxsize=64)
def _sight(layout: Layout) -> _Sight:
    last_wins = layout.equal_cards is EqualCards.LAST_WINS
    beaten_by = beaters(strengths(layout.profile), last_wins=last_wins)
    return _Sight(worths(layout.profile), beaten_by)


def gifts(deal: DealResult) -> Iterator[Gift]:
    """Yield all gifts of a deal, in the order of its acts.

    None of a deal with a fault, or in which the referee's stand-in played: what it lays is no
    favour of a bot.

    Args:
        deal: it is played once more, by its acts.
    """
    game, start = deal.game, deal.start
    if deal.reason is not DealReason.PLAYED or deal.faults or start.benched:
        return
    if not isinstance(game, PlainGame | AuctionGame):
        return
    side_of = {seat: at for at, side in enumerate(deal.account.sides) for seat in side}
    sight, caller = _sight(game.layout), deal.account.caller
    state, _ = game.deal(start.deck, start.dealer)
    for seat, action in deal.acts:
        play = state.play if isinstance(state, CalledState) else state
        if play.trick and len(action) == _CARD:
            holder = (play.leader + winner(play.trick, sight.beaten_by[play.trump])) % game.seats
            if side_of[holder] != side_of[seat]:
                legal = [Card(one) for one in game.legal(state) if len(one) == _CARD]  # type: ignore[arg-type]  # its own state
                look = _Look(sight, play, holder)
                position = look.position(legal, game.layout.cards_each, holder == caller)
                laid = look.choice(Card(action)).laid
                yield Gift(start.bots[seat], start.bots[holder], laid, position.packed())
        game.apply(state, action)  # type: ignore[arg-type]  # its own state


class _Look:
    """A trick that an opponent holds, before a card is played to it."""

    def __init__(self, sight: _Sight, play: DealState, holder: int) -> None:
        self._sight, self._play, self._holder = sight, play, holder
        self._beaten_by = sight.beaten_by[play.trump]

    def choice(self, card: Card) -> Choice:
        """Return what a card would do."""
        play = self._play
        taker = (play.leader + winner((*play.trick, card), self._beaten_by)) % len(play.hands)
        return Choice(self._sight.worth[card], taker == self._holder, card[1] == play.trump)

    def position(self, legal: Iterable[Card], cards_each: int, called: bool) -> Position:
        """Return what the seat to play sees; `called`: whether the holder won the auction."""
        play, seats = self._play, len(self._play.hands)
        holding = play.trick[(self._holder - play.leader) % seats]
        return Position(
            cards=len(play.trick),
            points=sum(self._sight.worth[card] for card in play.trick),
            holds_trump=holding[1] == play.trump,
            is_last=len(play.trick) == seats * cards_each - 1,
            talon_is_empty=not play.talon,
            holder_called=called,
            choices=tuple(sorted(map(self.choice, legal))),
        )

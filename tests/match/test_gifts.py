"""What a card leaves with an opponent who holds the trick, and what its giver saw."""

import random

import pytest
from msgspec.structs import replace

from referee.games import catalogue, find
from referee.match.gifts import NUMBERS, gifts, unpacked
from referee.match.leg import DealReason, DealResult
from referee.match.outcome import FaultFound
from referee.match.verdict import FaultCode
from referee.rules.cards import Card, worths
from referee.rules.layout import EqualCards, Layout
from support.players import play_out
from support.strategies import any_options, likely

BEST = 11


def dealt(game_id: str, dice: random.Random) -> DealResult:
    """A deal of any options, played by any actions."""
    game = find(game_id).rules_of(any_options(game_id, dice))[0].game
    deck = list(game.pack)
    dice.shuffle(deck)
    return play_out(game, deck, 0, [lambda _, legal: likely(legal, dice)] * game.seats)


@pytest.mark.parametrize("game_id", catalogue())
def test_a_gift_is_one_of_those_that_the_giver_could_make(game_id: str) -> None:
    """In every game, to an opponent, and with numbers that say the least and the most of it."""
    dice = random.Random(game_id)
    for _ in range(20):
        deal = dealt(game_id, dice)
        side_of = {seat: at for at, side in enumerate(deal.account.sides) for seat in side}
        for gift in gifts(deal):
            assert side_of[gift.giver] != side_of[gift.holder]
            position = unpacked(gift.position)
            assert position.packed() == gift.position
            assert gift.points in {one.laid for one in position.choices}
            assert len(position.numbers()) == NUMBERS
            one, plain, most, mean, least = position.numbers()[:5]
            assert one == 1
            assert least <= min(gift.points / BEST, plain, mean) + 1e-9
            assert most >= max(gift.points / BEST, plain, mean) - 1e-9
            assert all(0 <= number <= 4 for number in position.numbers())


@pytest.mark.parametrize("game_id", catalogue())
def test_what_stays_with_the_last_holder_of_a_trick_is_what_it_takes(game_id: str) -> None:
    """The last card of a trick is a gift of all its points, or takes the trick."""
    dice = random.Random(f"{game_id} last")
    deal = dealt(game_id, dice)
    worth = worths(_layout(deal).profile)
    side_of = {seat: at for at, side in enumerate(deal.account.sides) for seat in side}
    given = iter(gifts(deal))
    for trick in deal.account.tricks:
        for at in range(1, len(trick.cards)):
            seats = [(trick.leader + place) % deal.game.seats for place in range(len(trick.cards))]
            holder = _holder(deal, trick.cards[:at], trick.leader)
            if side_of[holder] == side_of[seats[at]]:
                continue
            gift = next(given)
            assert (gift.giver, gift.holder) == (seats[at], holder)
            if at == len(trick.cards) - 1:
                kept = worth[trick.cards[at]] if trick.winner == holder else 0
                assert gift.points == kept
    assert next(given, None) is None


def _layout(deal: DealResult) -> Layout:
    layout: Layout = deal.game.layout  # type: ignore[attr-defined]  # those of the catalogue have one
    return layout


def _holder(deal: DealResult, cards: tuple[Card, ...], leader: int) -> int:
    """Who holds a trick so far, by what each card beats."""
    layout = _layout(deal)
    trump, order = deal.account.trump, layout.profile.order
    last_wins = layout.equal_cards is EqualCards.LAST_WINS
    best = 0
    for at, card in enumerate(cards):
        other = cards[best]
        higher = order.index(card[0]) < order.index(other[0]) or (last_wins and card == other)
        if at and ((card[1] == other[1] and higher) or card[1] == trump != other[1]):
            best = at
    return (leader + best) % deal.game.seats


def test_a_deal_with_a_fault_has_no_gifts() -> None:
    """What the referee's stand-in plays for a bot is no favour of that bot."""
    deal = dealt("briscola-3", random.Random(1))
    assert list(gifts(deal))
    fault = FaultFound(leg=0, deal=1, act=3, seat=0, bot=0, code=FaultCode.LATE, detail="late")
    assert not list(gifts(replace(deal, faults=(fault,))))
    assert not list(gifts(replace(deal, start=replace(deal.start, benched=(1,)))))
    assert not list(gifts(replace(deal, reason=DealReason.UNFINISHED)))

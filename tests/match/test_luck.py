"""Luck counts what chance brought, and nothing of how it was played."""

import hashlib
import json
import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations
from statistics import fmean, pvariance, stdev

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.games import catalogue, find
from referee.match.leg import DealReason, DealResult
from referee.match.luck import (
    POINTS,
    REVISION,
    VALUES,
    VALUES_DIGEST,
    Reckoner,
    family_of,
    luck_of,
    values_of,
)
from referee.match.seating import Seating, legs
from referee.match.verdict import OnFault
from referee.rules.cards import Card
from referee.rules.deal import DealState
from referee.rules.game import Trick
from referee.rules.layout import Trump
from referee.rules.plain_game import PlainGame
from support.drive import CRASH, one_deal, play
from support.players import PLAYERS, play_out
from support.strategies import Chance, deals
from support.watcher import Watcher

FAR = 3.5
"""Standard errors; several dozen means are looked at, and 3 would be too near for all of them."""

PLAIN = tuple(
    game_id for game_id in catalogue() if isinstance(find(game_id).rules_of({})[0].game, PlainGame)
)


def game_of(game_id: str, **options: str) -> PlainGame:
    game = find(game_id).rules_of(options)[0].game
    assert isinstance(game, PlainGame)
    return game


def reckoner_of(game: PlainGame) -> Reckoner:
    family = family_of(game)
    assert family is not None
    return Reckoner(game.layout, VALUES[family])


def counted(deal: DealResult) -> tuple[int, ...]:
    found = luck_of(deal)
    assert found is not None
    return found


def decks(game: PlainGame, seed: str) -> Iterator[list[Card]]:
    dice = random.Random(seed)
    while True:
        yield dice.sample(game.pack, len(game.pack))


def errors_from_nought(found: Sequence[int]) -> float:
    """How many standard errors the mean is away."""
    return abs(fmean(found)) / (stdev(found) / math.sqrt(len(found)))


@pytest.mark.slow
@given(deals(PLAIN), st.data())
def test_a_model_that_only_watches_what_is_shown_counts_the_same(
    chance: Chance, data: st.DataObject
) -> None:
    """In every game under any options, up to what is rounded off for each side."""
    game = chance.game
    assert isinstance(game, PlainGame)
    names = data.draw(st.lists(st.sampled_from(sorted(PLAYERS)), min_size=8, max_size=8))
    watched = play_out(game, chance.deck, chance.dealer, [PLAYERS[name](game) for name in names])
    watcher = Watcher(game)
    watcher.watch(chance.deck, chance.dealer, [PLAYERS[name](game) for name in names])

    found = counted(watched)
    assert all(
        abs(mine - slow) <= len(game.partners)
        for mine, slow in zip(found, watcher.luck(), strict=True)
    )
    assert sum(found[side[0]] for side in game.partners) == 0
    assert all(len({found[seat] for seat in side}) == 1 for side in game.partners)


# Exact laws.


@pytest.mark.parametrize(
    ("game_id", "options", "place"),
    [
        ("briscola-2", {}, 6),
        ("biscambiggia-3", {}, 9),
        ("briscolone", {}, 0),
        ("sueca", {}, -1),
        ("sueca", {"exposed_card": "top"}, 0),
    ],
)
def test_the_deal_brings_nothing_on_average_exactly(
    game_id: str, options: dict[str, str], place: int
) -> None:
    """Over decks that lay each card in each place beside each card that shows the trump there."""
    game = game_of(game_id, **options)
    reckoner, pack = reckoner_of(game), list(game.pack)
    sums = [0] * len(game.partners)
    for shown in pack:
        others = [card for card in pack if card != shown]
        for turn in range(len(others)):
            deck = others[turn:] + others[:turn]
            deck.insert(place % len(pack), shown)
            found = reckoner.by_side(deck, 0, ())
            sums = [one + more for one, more in zip(sums, found, strict=True)]

    assert len(set(sums)) == 1


def hidden_from(game: PlainGame) -> int:
    """Where the hidden talon begins in a deck."""
    shown = game.layout.trump is Trump.TURN_UP
    return game.layout.hand * game.seats + shown


def turned(game: PlainGame, deck: list[Card], begin: int, turn: int) -> list[Card]:
    """The deck with the cards from `begin` on moved up by so many places, round and round.

    The removed two of a random choice stays: it is its own suit's bottom card.
    """
    fixed = deck[-1:] if game.layout.removed_two == "random" else []
    cards = deck[begin : len(deck) - len(fixed)]
    return [*deck[:begin], *cards[turn:], *cards[:turn], *fixed]


@pytest.mark.parametrize(
    ("game_id", "options"),
    [
        ("briscola-2", {}),
        ("brisca-2", {"exchange_two": "while_turnup", "exchange_seven": "while_turnup"}),
        ("biscambiggia-3", {"removed_two": "random"}),
        ("briscola-scoperta", {"seats": "2"}),
        ("briscola-scoperta", {"seats": "3"}),
        ("briskula-dupla", {}),
        ("briscolone", {}),
        ("bisca-sete", {"seats": "6"}),
    ],
)
def test_whatever_card_comes_next_the_draws_bring_nothing_on_average_exactly(
    game_id: str, options: dict[str, str]
) -> None:
    """After every trick: over all turns of the cards that nobody has seen yet."""
    game = game_of(game_id, **options)
    reckoner = reckoner_of(game)
    deck = list(game.pack)
    random.Random(game_id).shuffle(deck)
    if game.layout.removed_two == "random":
        deck.remove(Card("2D"))
        deck.append(Card("2D"))
    careful = PLAYERS["careful"](game)
    tricks = play_out(game, deck, 0, [careful] * game.seats).account.tricks
    full = game.seats * game.layout.cards_each
    end = len(deck) - (game.layout.removed_two == "random")
    for done in range(len(tricks)):
        begin = hidden_from(game) + done * full + game.layout.open
        before = reckoner.by_side(deck, 0, tricks[:done])
        sums = [0] * len(before)
        for turn in range(end - begin):
            found = reckoner.by_side(turned(game, deck, begin, turn), 0, tricks[: done + 1])
            sums = [one + more for one, more in zip(sums, found, strict=True)]

        assert sums == [max(0, end - begin) * one for one in before]


def _has_trumps(state: DealState) -> bool:
    """Whether the seat to move holds two trumps: a time to fault for who believes in luck."""
    return sum(card[1] == state.trump for card in state.hands[state.turn]) >= 2


@pytest.mark.parametrize(
    ("game_id", "tail", "gives_up"),
    [
        ("briscola-2", 5, None),
        ("briscola-2", 5, _has_trumps),
        ("biscambiggia-3", 5, None),
        ("briscola-4", 3, None),
        ("briscola-4", 3, _has_trumps),
    ],
)
def test_every_end_of_a_deal_played_out_adds_nothing_on_average_exactly(
    game_id: str, tail: int, gives_up: Callable[[DealState], bool] | None
) -> None:
    """All orders of the last hidden cards, really played, by bots that fault when they like."""
    game = game_of(game_id)
    reckoner = reckoner_of(game)
    deck = next(decks(game, game_id))
    names = ("careful", "worst", "throws trumps", "spender")
    players = [PLAYERS[name](game) for name in names[: game.seats]]
    begin = len(deck) - tail
    drawn = (begin - hidden_from(game)) // game.seats
    late = None if gives_up is None else lambda state: len(state.tricks) > drawn and gives_up(state)
    tricks = play_out(game, deck, 1, players).account.tricks[:drawn]
    before, sums, orders = reckoner.by_side(deck, 1, tricks), [0] * len(game.partners), 0
    faults = 0
    for order in permutations(deck[begin:]):
        deal = play_out(game, [*deck[:begin], *order], 1, players, late)
        assert deal.account.tricks[:drawn] == tricks
        found = reckoner.by_side(deal.start.deck, 1, deal.account.tricks)
        sums = [one + more for one, more in zip(sums, found, strict=True)]
        orders += 1
        faults += deal.reason is DealReason.FAULT

    assert sums == [orders * one for one in before]
    assert (faults > 0) is (gives_up is not None)


# Statistical laws.

PAIRS = (
    ("careful", "thrifty"),
    ("careful", "worst"),
    ("throws trumps", "careful"),
    ("worst", "throws trumps"),
    ("anything", "spender"),
)


@pytest.mark.slow
@pytest.mark.parametrize("pair", PAIRS)
def test_the_mean_luck_is_nought_for_good_and_bad_bots(
    pair: tuple[str, str], *, many_cases: bool
) -> None:
    """In the main game, 100,000 deals in all; also of bots that play badly on purpose."""
    game = game_of("briscola-2")
    players = [PLAYERS[name](game) for name in pair]
    shuffles = decks(game, str(pair))
    found = [
        counted(play_out(game, next(shuffles), deal % 2, players))[0]
        for deal in range((100_000 if many_cases else 3_000) // len(PAIRS))
    ]

    assert errors_from_nought(found) < FAR


@pytest.mark.parametrize(
    ("game_id", "options"),
    [
        ("biscambiggia-2", {}),
        ("bisca-sete", {"seats": "2"}),
        ("mariagio", {}),
        ("briscolone", {}),
        ("briscola-scoperta", {"seats": "2"}),
        ("briscola-3", {"removed_two": "random"}),
        ("briscola-4", {}),
        ("bisca-tres", {"seats": "4", "teams": "solo"}),
        ("bisca-tres", {"seats": "6"}),
        ("sueca", {}),
        ("sueca", {"exposed_card": "top"}),
    ],
)
def test_the_mean_luck_is_nought_at_every_seat_of_every_family(
    game_id: str, options: dict[str, str], *, many_cases: bool
) -> None:
    """The same dealer all the time, and bots of every kind beside each other."""
    game = game_of(game_id, **options)
    players = [PLAYERS[name](game) for name in (*PLAYERS, *PLAYERS)][: game.seats]
    shuffles = decks(game, game_id)
    found = [
        counted(play_out(game, next(shuffles), 0, players))
        for _ in range(4_000 if many_cases else 120)
    ]

    for side in game.partners:
        assert errors_from_nought([seats[side[0]] for seats in found]) < FAR


@pytest.mark.slow
@pytest.mark.parametrize("spell", ["has trumps", "has none"])
def test_the_mean_luck_is_nought_for_a_bot_that_faults_when_it_likes(
    spell: str, *, many_cases: bool
) -> None:
    """Whether it faults when the cards are good or when they are bad."""
    game = game_of("briscola-2")
    players = [PLAYERS["careful"](game)] * 2

    def gives_up(state: DealState) -> bool:
        trumps = any(card[1] == state.trump for card in state.hands[0])
        return state.turn == 0 and len(state.tricks) > 4 and trumps is (spell == "has trumps")

    shuffles = decks(game, spell)
    played = [
        play_out(game, next(shuffles), deal % 2, players, gives_up)
        for deal in range(20_000 if many_cases else 500)
    ]

    assert sum(deal.reason is DealReason.FAULT for deal in played) > len(played) / 2
    assert errors_from_nought([counted(deal)[0] for deal in played]) < FAR


@pytest.mark.slow
def test_taking_luck_out_makes_near_equal_bots_vary_less() -> None:
    """In briscola for two, where each deck is played once and where both seatings are played."""
    game = game_of("briscola-2")
    pair = [PLAYERS["careful"](game), PLAYERS["thrifty"](game)]
    shuffles = decks(game, "pairs")
    raw, less = [], []
    for _ in range(400):
        deck = next(shuffles)
        there, back = play_out(game, deck, 0, pair), play_out(game, deck, 0, pair[::-1])
        raw.append((1000 * there.by_seat[0], 1000 * back.by_seat[1]))
        less.append((counted(there)[0], counted(back)[1]))
    single = [one - off for (one, _), (off, _) in zip(raw, less, strict=True)]
    double = [sum(ones) - sum(offs) for ones, offs in zip(raw, less, strict=True)]

    assert pvariance(single) < 0.8 * pvariance([one for one, _ in raw])
    assert pvariance(double) < pvariance(list(map(sum, raw)))


# What it is counted for.


@pytest.mark.parametrize("game_id", PLAIN)
def test_two_copies_of_one_bot_have_no_luck_in_a_block(game_id: str) -> None:
    """Over all seatings of a deck that everybody plays alike it is exactly nought for each."""
    game = game_of(game_id, **({"seats": "3"} if game_id.startswith("bisca-") else {}))
    deck = next(decks(game, game_id))
    places = tuple((seat,) for seat in range(game.seats))
    held = places if len(game.partners) == game.seats else game.partners
    block = [0] * len(held)
    for leg in legs(Seating.ROTATE, held, game.partners):
        found = counted(play_out(game, deck, 0, [PLAYERS["careful"](game)] * game.seats))
        for bot in range(len(held)):
            block[bot] += found[leg.index(bot)]

    assert block == [0] * len(held)


@pytest.mark.parametrize("game_id", catalogue())
def test_luck_is_counted_in_all_games_but_those_with_an_auction(game_id: str) -> None:
    """For every number of seats."""
    counts = find(game_id).seats
    for seats in counts:
        options = {"seats": str(seats)} if len(counts) > 1 else {}
        game = find(game_id).rules_of(options)[0].game
        assert (family_of(game) in VALUES) is (game_id in PLAIN)
        assert (values_of(game) is not None) is (game_id in PLAIN)


def test_an_auction_has_no_luck_to_tell() -> None:
    """The caller chooses the trump: nothing is counted, which is not the same as nought."""
    game = find("sueca-italiana").rules_of({})[0].game
    leg = one_deal(game, game.pack, 0)
    (deal,), _ = play(leg, lambda _, legal: legal[0])

    assert luck_of(deal) is None


def test_a_deal_that_a_fault_ends_has_the_luck_of_the_cards_that_had_come() -> None:
    """The side at fault has the least there is, whatever its luck."""
    game = game_of("briscola-2")
    deck = next(decks(game, "fault"))
    acts = iter(range(100))
    leg = one_deal(game, deck, 0)
    (deal,), _ = play(leg, lambda _, legal: CRASH if next(acts) == 11 else legal[0])

    assert (deal.reason, deal.faults[0].act) == (DealReason.FAULT, 11)
    assert sorted(deal.by_seat) == [-120, 120]
    tricks = deal.account.tricks
    assert len(tricks) == 5
    assert luck_of(deal) == reckoner_of(game).luck(deck, 0, tricks)
    assert luck_of(deal) != reckoner_of(game).luck(deck, 0, ())


def test_a_deal_that_is_played_on_after_a_fault_has_the_luck_of_all_its_cards() -> None:
    """The default actions are as good as any bot's."""
    game = game_of("briscola-4")
    deck = next(decks(game, "fault"))
    acts = iter(range(100))
    leg = one_deal(game, deck, 0, OnFault.PLAY_ON)
    (deal,), _ = play(leg, lambda _, legal: CRASH if next(acts) == 11 else legal[0])

    assert (deal.reason, len(deal.account.tricks)) == (DealReason.PLAYED, 10)
    assert luck_of(deal) == reckoner_of(game).luck(deck, 0, deal.account.tricks)


def test_a_deal_that_was_not_played_has_no_luck() -> None:
    """A bot that plays no more was dealt nothing."""
    game = game_of("briscola-2")
    deal = play_out(game, next(decks(game, "none")), 0, [PLAYERS["careful"](game)] * 2)
    unplayed = msgspec.structs.replace(deal, reason=DealReason.UNPLAYED)

    assert counted(deal) != (0, 0)
    assert luck_of(unplayed) == (0, 0)


def test_the_luck_of_a_deal_is_worked_out_by_hand() -> None:
    """Three trumps against three noughts; then an ace among noughts, drawn by the other seat."""
    game = game_of("biscambiggia-2")
    hand, draw = VALUES["two"].hand, VALUES["two"].draw
    front = ["AH", "2C", "7H", "3C", "KH", "4C", "2H", "AD"]
    behind = [card for card in game.pack if card not in front]
    deck = [*map(Card, front), *behind]
    counts, dealt = reckoner_of(game), 100 * sum(hand.trump[:3])

    assert counts.luck(deck, 0, ()) == (-dealt, dealt)
    assert counts.luck(deck, 1, ()) == (dealt, -dealt)

    worths = dict(zip(POINTS, zip(draw.trump, draw.plain, strict=True), strict=True))
    points = game.layout.profile.points
    rest = sum(worths[points.get(card[0], 0)][card[1] != "H"] for card in behind)
    ace = draw.plain[0] - Fraction(draw.plain[0] + rest, 33)
    nought = draw.trump[5] - Fraction(rest, 32)
    trick = Trick(leader=1, cards=(Card("KH"), Card("2C")), winner=1, points=4)

    assert behind[0] == "3H"
    assert counts.luck(deck, 0, (trick,))[1] == pytest.approx(
        float(dealt + 100 * (ace - nought)), abs=1
    )


def test_the_numbers_are_those_that_were_published() -> None:
    """Nobody changes them without changing their digest, and this line."""
    text = json.dumps(
        {
            "points": list(POINTS),
            "revision": REVISION,
            "values": {
                name: {
                    part: {"plain": list(worth.plain), "trump": list(worth.trump)}
                    for part, worth in (("draw", values.draw), ("hand", values.hand))
                }
                for name, values in VALUES.items()
            },
        },
        sort_keys=True,
        separators=(",", ":"),
    )

    assert hashlib.sha256(text.encode()).hexdigest() == VALUES_DIGEST
    assert VALUES_DIGEST.startswith("efa347c363960e07")

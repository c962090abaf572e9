"""Fields in which a bot faults on purpose, and what its friend and itself have of it.

For the tests, and with larger numbers for `tests/faults_pay.py`. Deals are played by the rules up
to their last trick; then a leg goes on with them, without processes. With one card in each hand it
is settled what a deal brings, so an attacker that sees all hands knows whether to fault; and what
it does changes no card, so that without faults it is its own honest twin.
"""

import random
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final, NamedTuple, cast

from msgspec import Struct
from msgspec.structs import replace

from ladder.results import Pairing, Round, RoundResult, TableResult
from protocol.events import HandDealt
from protocol.messages import Answer, Ready
from referee.games import find
from referee.match.chance import block_key, event_key
from referee.match.leg import Leg
from referee.match.outcome import BlockResult
from referee.rules.auction_game import AuctionGame, CalledState
from referee.rules.cards import Card
from referee.rules.deal import DealState
from referee.rules.game import EventsBySeat, Game
from referee.rules.match_end import EndingKind, MatchEnd
from referee.rules.plain_game import PlainGame
from referee.rules.variants import MatchRules
from referee.workers.block_sums import Blocks
from support.drive import AT_ONCE, CRASH, leg_plan
from support.players import Sight

STATES: Final = 200
"""Deals that are played up to their last trick, for each seat that an attacker may have."""

_READY: Final = Ready(1, "simulated")


class SimulatedBot(Struct, frozen=True):
    """A bot that plays carefully, but for its slips.

    Attributes:
        slips: in what share of its acts it does anything that is legal.
        bids: in what share of its acts in an auction it bids rather than passes.
    """

    slips: float = 0.5
    bids: float = 0.2


class Prospect(NamedTuple):
    """What an attacker knows when it plays its last card.

    Attributes:
        bots: the entrants at the table, by seat.
        me: its own seat.
        values: the deal values by seat, if the deal is played to its end.
    """

    bots: tuple[int, ...]
    me: int
    values: tuple[int, ...]


Attack = Callable[[Prospect], bool]
"""Whether the attacker commits a fault now."""


def never(_: Prospect) -> bool:
    """Play every card, as the honest twin does."""
    return False


def when_not_first(prospect: Prospect) -> bool:
    """Fault in each deal that another bot would win, or share."""
    return not _wins(prospect.values, prospect.me)


def when_last(prospect: Prospect) -> bool:
    """Fault in each deal that brings the attacker least, where that seems to cost it nothing."""
    return prospect.values[prospect.me] == min(prospect.values)


def for_a_friend(friend: int) -> Attack:
    """Return the attack of a bot that faults in each deal which its friend would not win."""

    def attack(prospect: Prospect) -> bool:
        bots = prospect.bots
        return friend in bots and not _wins(prospect.values, bots.index(friend))

    return attack


def _wins(values: Sequence[int], seat: int) -> bool:
    return all(values[seat] > other for at, other in enumerate(values) if at != seat)


class Field(Struct, frozen=True):
    """A field of bots that meet at tables drawn by lot; blocks are of one deal.

    Attributes:
        game: its id.
        seats: how many sit at a table.
        bots: how many bots there are; number 0 is the attacker, number 1 its friend.
        attacker: how it plays.
        others: how all others do.
        blocks: how many blocks a match has: with more than three, a bot can be benched in it.
        rounds: how many matches each bot plays.
    """

    game: str
    seats: int
    bots: int
    attacker: SimulatedBot
    others: SimulatedBot
    blocks: int
    rounds: int = 24


ATTACKER: Final = 0
FRIEND: Final = 1


class _LastTrick:
    """A game of which no more than the last trick is left to play."""

    def __init__(self, game: PlainGame | AuctionGame, states: Sequence[Any]) -> None:
        self._game = game
        self._states = states

    def __getattr__(self, name: str) -> Any:  # everything else is the game's own
        return getattr(self._game, name)

    def deal(self, deck: Sequence[Card], dealer: int) -> tuple[Any, EventsBySeat]:
        """Return a state that the deck decides on."""
        state = self._states[random.Random(f"{dealer} {' '.join(deck)}").randrange(STATES)]
        state = self._game.copy(state)
        return state, tuple((HandDealt(tuple(hand)),) for hand in _tricks(state).hands)


@cache
def _game(field: Field, seat: int | None) -> Game[Any]:
    """Return the game in which the attacker sits at this seat, or at none."""
    options = {"seats": str(field.seats)} if len(find(field.game).seats) > 1 else {}
    game = find(field.game).rules_of(options)[0].game
    assert isinstance(game, PlainGame | AuctionGame)
    bots = [field.attacker if at == seat else field.others for at in range(field.seats)]
    dice = random.Random(f"{field.game} {seat} {bots}")
    return cast(
        Game[Any], _LastTrick(game, [_up_to_last_trick(game, bots, dice) for _ in range(STATES)])
    )


def _up_to_last_trick(
    game: PlainGame | AuctionGame, bots: Sequence[SimulatedBot], dice: random.Random
) -> Any:
    """Play a deal until one card is left in each hand, or all have passed."""
    rules, sight = cast(Game[Any], game), Sight(game)
    deck = list(game.pack)
    dice.shuffle(deck)
    state, _ = rules.deal(deck, dice.randrange(game.seats))
    while (seat := rules.to_move(state)) is not None:
        play = _tricks(state)
        if not play.talon and not play.trick and len(play.hands[seat]) == 1:
            break
        action = _action(sight, bots[seat], state, rules.legal(state), dice)
        rules.apply(state, action)
    return state


def _tricks(state: Any) -> DealState:
    found: DealState = state.play if isinstance(state, CalledState) else state
    return found


def _action(
    sight: Sight, bot: SimulatedBot, state: Any, legal: tuple[str, ...], dice: random.Random
) -> str:
    if legal[0] == "pass" and dice.random() >= bot.bids:
        return "pass"
    cards = [Card(action) for action in legal if len(action) == 2]
    if not cards or dice.random() < bot.slips:
        return dice.choice(legal)
    play = _tricks(state)
    return max(cards, key=lambda card: sight.outlook(play, card, 10))


def results(field: Field, seed: str, attack: Attack) -> tuple[RoundResult, ...]:
    """Play all rounds; with another attack, the same bots meet with the same cards."""
    found = []
    for number in range(field.rounds):
        order = list(range(field.bots))
        random.Random(f"{seed} {number}").shuffle(order)
        begins = range(0, len(order) - field.seats + 1, field.seats)
        tables = tuple(
            _table(
                field, tuple(order[at : at + field.seats]), number, f"{seed} {number} {at}", attack
            )
            for at in begins
        )
        played = Round(tuple(one.table for one in tables), number * field.blocks, field.blocks)
        found.append(RoundResult(played, tables))
    return tuple(found)


def _table(
    field: Field, bots: tuple[int, ...], number: int, key: str, attack: Attack
) -> TableResult:
    """Play a match."""
    apart = ATTACKER in bots and field.attacker != field.others
    game = _game(field, bots.index(ATTACKER) if apart else None)
    rules = MatchRules(
        game=game, ending=MatchEnd(EndingKind.DEALS, field.blocks), options={}, data={}
    )
    event = event_key(key)
    plan = leg_plan(
        rules,
        decks=field.blocks,
        dealer=number % field.seats,
        block=lambda block: (block_key(event, block), None),
    )
    leg = Leg(plan)
    none = (0,) * field.seats
    blocks = _blocks(leg, bots, number * field.blocks, attack)
    return TableResult(Pairing(bots), blocks, 0, none, 0, (), none, "", "")


def _blocks(leg: Leg, bots: tuple[int, ...], first: int, attack: Attack) -> tuple[BlockResult, ...]:
    """Play a leg as `verify` does: no byte is read, since none is in doubt."""
    blocks = Blocks(first, leg.course.plan.decks or 0, len(bots), 1)
    while leg.next_deal() is not None:
        for place in leg.to_start():
            leg.greet(place).connection.replay(_READY)
        leg.open_deal()
        while (ask := leg.ask()) is not None:
            seat, table = ask.place, leg.deal.table
            state = table._state
            if bots[seat] == ATTACKER and attack(Prospect(bots, seat, _outcome(leg, state))):
                leg.faulted(replace(CRASH, place=seat))
                continue
            answer = Answer(ask.id, table.legal[0])
            ask.connection.replay(answer)
            leg.answered(answer, AT_ONCE)
        blocks.add(leg.close_deal())
    return blocks.finished()


def _outcome(leg: Leg, state: Any) -> tuple[int, ...]:
    """Return the deal values by seat, once the last cards are played."""
    game = leg.course.game
    state = game.copy(state)
    while game.to_move(state) is not None:
        game.apply(state, game.default(state))
    return game.tally(state).values

"""Plays legs without processes: the tests' own conductor over `Leg`."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from msgspec.structs import replace

from protocol.messages import Answer, Hello, Limits, Rules, TimeControl
from referee.match.chance import BlockKey
from referee.match.clock import parse_time
from referee.match.leg import Ask, DealResult, Leg
from referee.match.leg_state import LegPlan
from referee.match.terms import Terms
from referee.match.verdict import FaultCode, OnFault, Receipt, Verdict
from referee.rules.cards import Card
from referee.rules.game import Game
from referee.rules.match_end import EndingKind, MatchEnd
from referee.rules.variants import MatchRules

KEY = BlockKey("00" * 32)
AT_ONCE = Receipt(0, 0, 0, 0)
Choice = Callable[[Ask, tuple[str, ...]], str | Verdict]
"""What a place answers: an action, or the fault that it commits instead."""

HELLO = Hello(
    protocol=(1,),
    game="g",
    options={},
    decks=None,
    rules=Rules("g", 1, ""),
    bot=0,
    bots=2,
    limits=Limits(1, 1, 1, 1),
    time=TimeControl(1, 1, 1, 1, 1, 1),
    seed="",
)
"""Any first message."""

CRASH = Verdict(0, FaultCode.CRASHED, "the process ended: exit status 3")


def one_deal(
    game: Game[Any], deck: Sequence[Card], dealer: int, on_fault: OnFault | None = None
) -> Leg:
    """A leg of one deal that stands alone, with a bot for each seat."""
    rules = MatchRules(game=game, ending=MatchEnd(EndingKind.DEALS, 1), options={}, data={})
    plan = leg_plan(
        rules, decks=1, dealer=dealer, on_fault=on_fault, block=lambda _: (KEY, tuple(deck))
    )
    return Leg(plan)


def leg_plan(
    rules: MatchRules,
    seating: tuple[int, ...] | None = None,
    *,
    decks: int | None = None,
    dealer: int = 0,
    on_fault: OnFault | None = None,
    block: Callable[[int], Any] = lambda _: (KEY, None),
    game: str = "test",
) -> LegPlan:
    """A plan with the default clock and no options, with a bot for each seat."""
    return LegPlan(
        number=0,
        terms=Terms(game=game, options={}, time=parse_time(""), on_fault=on_fault),
        name=Rules(game, 1, "0" * 64),
        rules=rules,
        seating=tuple(range(rules.game.seats)) if seating is None else seating,
        decks=decks,
        dealer=dealer,
        block=block,
    )


def heard(ask: Ask, said: dict[str, object]) -> None:
    """Lets a place's connection hear an answer."""
    ask.connection.receive(json.dumps(said).encode() + b"\n")
    ask.connection.next_message()


def play(leg: Leg, choose: Choice) -> tuple[list[DealResult], dict[int, bytes]]:
    """Plays a leg to its end; returns its deals, and every byte that each place was sent."""
    sent = {voice.place: b"" for voice in leg.voices}
    deals = []
    while leg.next_deal() is not None:
        deals.append(play_deal(leg, choose, sent))
    for place, line in leg.end_lines().items():
        sent[place] += line
    return deals, sent


def play_deal(leg: Leg, choose: Choice, sent: dict[int, bytes]) -> DealResult:
    """Plays the deal that `next_deal` has begun."""
    for place in leg.to_start():
        ask = leg.greet(place)
        sent[place] += ask.line
        heard(ask, {"type": "ready", "protocol": 1, "name": "test"})
    leg.open_deal()
    while (asked := leg.ask()) is not None:
        sent[asked.place] += asked.line
        found = choose(asked, leg.deal.table.legal)
        if isinstance(found, Verdict):
            sent[asked.place] += leg.faulted(replace(found, place=asked.place))
            continue
        heard(asked, {"id": asked.id, "action": found})
        answer = Answer(asked.id, found)
        assert leg.check_answer(answer, AT_ONCE) is None
        leg.answered(answer, AT_ONCE)
    return leg.close_deal()

"""The conversations that SPEC shows, as the referee itself would hold them."""

from collections.abc import Iterator

from protocol.messages import Answer
from referee.games import find
from referee.match.leg import Leg
from referee.match.plan import make_plan
from support.drive import AT_ONCE, heard
from support.terms import config_of

DECK = (
    "4H AD JD 5C 2S QS 6H 3D KD 7C 4S AH JH 5D 2C QC 6S 3H KH 7D "
    "4C AS JS 5H 2D QD 6C 3S KS 7H 4D AC JC 5S 2H QH 6D 3C KC 7S"
)
READY = {"type": "ready", "protocol": 1, "name": "first", "version": "1"}
RANKS = ("bid A", "bid K", "pass", "bid 7", "pass", "bid 4", "pass", "pass", "call 4S")
"""An auction by rank, from seat 1 on, and its call."""


def conversation(
    game: str = "biscambiggia-2", script: tuple[str, ...] = ()
) -> Iterator[tuple[str, str]]:
    """Both sides of a deal as the bot at seat 0 sees it: ("to" or "from", line).

    Args:
        game: what is played; seat 0 deals.
        script: the first actions of the deal; after them everybody plays the first legal one.
    """
    bots = find(game).seats[0]
    plan = make_plan(config_of(game=game, bots=bots, key="spec", deck=DECK, dealer=0, time=""))
    leg, todo = Leg(plan.leg(0)), iter(script)
    leg.next_deal()
    for place in leg.to_start():
        ask = leg.greet(place)
        if place == 0:
            yield "to", ask.line.decode()
            yield "from", '{"type":"ready","protocol":1,"name":"first","version":"1"}\n'
        heard(ask, READY)
    leg.open_deal()
    while (asked := leg.ask()) is not None:
        action = next(todo, leg.deal.table.legal[0])
        assert action in leg.deal.table.legal
        if asked.place == 0:
            for line in asked.line.decode().splitlines(keepends=True):
                yield "to", line
            yield "from", f'{{"id":"{asked.id}","action":"{action}"}}\n'
        heard(asked, {"id": asked.id, "action": action})
        leg.answered(Answer(asked.id, action), AT_ONCE)
    leg.close_deal()
    for line in leg.end_lines()[0].decode().splitlines(keepends=True):
        yield "to", line

"""A program: a match of a person, or a bot far away, with bots of the ladder; it is not rated.

It reads an order, one line of JSON, from its stdin, and says what came of it in lines of JSON. It
is a process of its own, so that no match holds up the site; the first seat is asked at a socket.
"""

import sys
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct
from msgspec.structs import replace

from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.errors import HostError, RefereeError, innermost
from referee.match.clock import NO_TIME, parse_time
from referee.match.leg import DealResult
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.terms import Terms
from referee.people.par import Par, par_of
from referee.people.with_people import WithPeople, relay_to
from referee.play.conductor import play_match
from referee.play.interrupts import interruptible
from referee.record.writer import Recorder
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName

ADVISER: Final = "sample:greedy"
"""The strongest of the sample bots, which plays for par."""


MOST_FAULTS: Final = 10
"""So many are told in words; the record has all."""


class TableOrder(Struct, frozen=True, kw_only=True):
    """What is to be played.

    Attributes:
        terms: of the match, those of one of the ladder's games.
        seats: how many sit there.
        bot: who sits in all other seats, as a person would type it.
        called: what the record calls the bot.
        deals: how many decks, each standing alone.
        key: the text that cards, ids and seeds come from.
        socket: where the first seat is asked.
        person: what the record calls who sits at the first seat.
        record: the file to write.
        sandbox: where bots run.
        time: the clock of the first seat.
        compares: whether par is told after each deal.
    """

    terms: Terms
    seats: int
    bot: str
    called: str
    deals: int
    key: str
    socket: str
    person: str
    record: str
    sandbox: SandboxName
    time: str = NO_TIME
    compares: bool = True


class Compared(Struct, frozen=True, tag=True):
    """A deal is over: its par, where there is one."""

    deal: int
    par: Par | None


class Ended(Struct, frozen=True, tag=True):
    """The match is over.

    Attributes:
        scores: by bot, the first seat's first.
        given_up: why the machine gave it up; "" if it did not.
        faults: of the first seat, in words; the first ones.
    """

    scores: tuple[int, ...]
    given_up: str = ""
    faults: tuple[str, ...] = ()


TableReport = Compared | Ended


def plan_of(order: TableOrder) -> MatchPlan:
    """Return the match of an order: who sits at the first seat is the first of its bots."""
    return make_plan(
        MatchConfig(
            terms=order.terms,
            bots=order.seats,
            deals=order.deals,
            key=order.key,
            clocks={0: parse_time(order.time)},
        )
    )


async def played(order: TableOrder) -> None:
    """Play the match, and say what came of it.

    Raises:
        RefereeError: the bot cannot play here.
        HostError: the machine does not let us.
    """
    plan, settings, playing = plan_of(order), read_settings(), trio.CancelScope()
    found = find(order.bot, settings)
    _, person = relay_to(order.socket, order.person)
    async with (
        interruptible(playing),
        opened_for(order.sandbox, [found], settings, strangers=True) as sandbox,
    ):
        bot = replace(await sandbox.prepare(found), name=order.called, idle=True)
        specs = dict.fromkeys(range(1, order.seats), bot)
        instead = replace(await sandbox.prepare(find(ADVISER, settings)), idle=True)
        recorder = Recorder(Path(order.record))

        async def compare(deal: DealResult) -> None:
            par = await par_of(plan, deal, 0, {0: instead, **specs}, sandbox)
            _say(Compared(deal.start.deal, par))

        async with trio.open_nursery() as nursery:
            result = await play_match(
                plan,
                [person, *specs.values()],
                WithPeople(sandbox, person),
                recorder,
                interrupt=playing,
                watch=lambda deal: nursery.start_soon(compare, deal) if order.compares else None,
            )
            if playing.cancel_called:
                nursery.cancel_scope.cancel()
        recorder.close()
        mishap = result.given_up
        faults = tuple(fault.detail for fault in result.totals.faults if fault.bot == 0)
        why = "" if mishap is None else mishap.detail
        _say(Ended(result.end.scores, why, faults[:MOST_FAULTS]))


def _say(report: TableReport) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(report) + b"\n")
    sys.stdout.buffer.flush()


def main() -> int:
    """Play what stdin orders; return 1 where it cannot be played, and say why on stderr."""
    try:
        trio.run(played, msgspec.json.decode(sys.stdin.buffer.readline(), type=TableOrder))
    except Exception as error:
        found = innermost(error)
        if not isinstance(found, RefereeError | HostError):
            raise
        sys.stderr.write(f"{found}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A program: a match of people, or a bot far away, with bots of the ladder; it is not rated.

It reads an order, one line of JSON, from its stdin, and says what came of it in lines of JSON. It
is a process of its own, so that no match holds up the site; seats of people are asked at sockets.
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
from referee.rules.game import Sides
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
        partners: the seats that score together.
        people: what the record calls those who are elsewhere, by the index of their seat.
        bot: who sits in all other seats, if there are any, as a person would type it.
        called: what the record calls the bot.
        entrant: its number on the ladder.
        pool: the number of the game there.
        deals: how many decks, each standing alone.
        key: the text that cards, ids and seeds come from.
        socket: where people are asked: followed by the index of a seat, the path of a socket.
        record: the file to write.
        sandbox: where bots run.
        time: the clock of people.
        compares: whether par is told after each deal, of one who sits there alone with bots.
    """

    terms: Terms
    seats: int
    people: dict[int, str]
    partners: Sides
    bot: str
    called: str
    entrant: int
    pool: int
    deals: int
    key: str
    socket: str
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
        scores: by bot, that is by seat.
        given_up: why the machine gave it up; "" if it did not.
        faults: of those who are elsewhere, in words; the first ones.
    """

    scores: tuple[int, ...]
    given_up: str = ""
    faults: tuple[str, ...] = ()


TableReport = Compared | Ended


def socket_of(order: TableOrder, seat: int) -> str:
    """Return the path of the socket at which who sits there is asked."""
    return f"{order.socket}{seat}"


def plan_of(order: TableOrder) -> MatchPlan:
    """Return the match of an order: its bots are those who sit there, in the order of seats."""
    return make_plan(
        MatchConfig(
            terms=order.terms,
            bots=order.seats,
            deals=order.deals,
            key=order.key,
            clocks=dict.fromkeys(order.people, parse_time(order.time)),
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
    people = {
        at: relay_to(socket_of(order, at), name)[1] for at, name in sorted(order.people.items())
    }
    async with (
        interruptible(playing),
        opened_for(order.sandbox, [found], settings, strangers=True) as sandbox,
    ):
        bot = replace(await sandbox.prepare(found), name=order.called, idle=True)
        specs = {at: people.get(at, bot) for at in range(order.seats)}
        instead = replace(await sandbox.prepare(find(ADVISER, settings)), idle=True)
        recorder = Recorder(Path(order.record))

        async def compare(deal: DealResult) -> None:
            (person,) = people
            par = await par_of(plan, deal, person, {**specs, person: instead}, sandbox)
            _say(Compared(deal.start.deal, par))

        async with trio.open_nursery() as nursery:
            result = await play_match(
                plan,
                list(specs.values()),
                WithPeople(sandbox, *people.values()),
                recorder,
                interrupt=playing,
                watch=lambda deal: nursery.start_soon(compare, deal) if order.compares else None,
            )
            if playing.cancel_called:
                nursery.cancel_scope.cancel()
        recorder.close()
        mishap = result.given_up
        faults = tuple(fault.detail for fault in result.totals.faults if fault.bot in people)
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

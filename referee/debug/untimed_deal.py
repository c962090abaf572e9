"""One deal on known cards, played to its end by bots without clocks."""

from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from protocol.codec import decode_ready
from protocol.errors import RemoteProtocolError
from protocol.messages import Answer
from referee.bots.find import BotSpec
from referee.debug.fed_process import FedProcess
from referee.debug.what_if import answer_with
from referee.errors import RefereeError
from referee.match.leg import Ask, DealResult, DealStart, Leg
from referee.match.leg_state import LegPlan
from referee.play.start import launched
from referee.sandbox import Sandbox


async def untimed_deal(
    plan: LegPlan,
    start: DealStart,
    specs: Mapping[int, BotSpec],
    sandbox: Sandbox,
    given: Iterable[str] = (),
) -> DealResult:
    """Play a deal alone, as if it were one of decks that stand alone.

    Args:
        plan: of a leg with the same terms.
        start: who sits where, who deals, the cards and the key.
        specs: what is started for each bot that sits there.
        sandbox: where.
        given: the first actions, whatever the bots say.

    Raises:
        RefereeError: a bot goes wrong.
    """
    alone = replace(
        plan,
        number=0,
        seating=start.bots,
        decks=1,
        dealer=start.dealer,
        block=lambda _: (start.key, start.deck),
    )
    leg, processes = Leg(alone), dict[int, FedProcess]()
    leg.next_deal()
    try:
        for place in leg.to_start():
            spec = specs[start.bots[place]]
            await _greet(leg.greet(place), spec, sandbox, processes)
        leg.open_deal()
        first = iter(given)
        while (asked := leg.ask()) is not None:
            reply = await processes[asked.place].ask(asked.line)
            answer_with(leg, asked, next(first, None) or _chosen(asked, reply.answer(asked.id)))
    finally:
        for process in processes.values():
            process.end()
    return leg.close_deal()


async def _greet(
    ask: Ask, spec: BotSpec, sandbox: Sandbox, processes: dict[int, FedProcess]
) -> None:
    try:
        processes[ask.place] = process = FedProcess(ask.place, await launched(spec, sandbox))
        reply = await process.ask(ask.line)
    except OSError as error:
        raise RefereeError(f"{spec.name} cannot be started: {error}") from error
    try:
        ask.connection.replay(decode_ready(reply.line[:-1].removesuffix(b"\r")))
    except RemoteProtocolError as error:
        why = reply.exit or error.detail
        raise RefereeError(f"{spec.name} did not get ready: {why}") from error


def _chosen(asked: Ask, answer: Answer | str) -> str:
    """Return the action of an answer.

    Raises:
        RefereeError: there is none, or it is not legal.
    """
    if isinstance(answer, Answer) and answer.action in asked.legal:
        return answer.action
    said = answer.action if isinstance(answer, Answer) else answer
    raise RefereeError(f"the bot at place {asked.place} went wrong: {said}")

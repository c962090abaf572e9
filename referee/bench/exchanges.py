"""What of an act is the exchange alone: less an act cannot cost, whatever the referee does beside.

The questions of a match are there beforehand. They are written to the same bots as in a match, and
the answers read, by the same call; no card is played, and nothing is looked at, counted or written
down.
"""

import os
import time
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Final

from protocol.codec import plain_answer
from protocol.messages import Answer
from referee.bench.matches import SEATS, end, first_line, questions
from referee.bots.find import BotSource
from referee.errors import HostError
from referee.match.leg import Ask
from referee.match.verdict import Freeze
from referee.play.exchange import READ_MOST, exchange
from referee.play.seat import SYNC_WAIT_MS
from referee.sandbox import BotProcess, Sandbox

_LONGEST_MS: Final = 10_000
"""How long an answer may take that does not come at once."""


async def cost_of_exchanges(
    sandbox: Sandbox, bot: BotSource, freeze: Freeze, deals: int
) -> float | None:
    """Return how many microseconds an exchange with two processes of a bot takes.

    None where the bot is to be stopped between its acts, and no file does that.

    Raises:
        HostError: the bot does not answer with its first legal action, as it does in a match.
    """
    spec = await sandbox.prepare(bot)
    asked = questions(deals)
    with ExitStack() as stack:
        processes = []
        for ask in asked[:SEATS]:
            processes.append(process := await sandbox.launch(spec))
            stack.callback(end, process)
            await first_line(process, ask.line, bot, sandbox)
            os.read(process.stdout, READ_MOST)
            if freeze is Freeze.ALWAYS and not _stopped_by_file(process):
                return None
        return _microseconds(processes, asked[SEATS:])


def _stopped_by_file(process: BotProcess) -> bool:
    """Stop it; whether a file does that after each act from now on.

    Where both versions of control groups are, a bot comes to the quicker one when it is stopped for
    the second time.
    """
    process.freeze()
    process.thaw()
    process.freeze()
    return bool(process.freezer().freeze)


def _microseconds(processes: Sequence[BotProcess], asked: Sequence[Ask]) -> float:
    """Ask all of it, and return how long a question took on average."""
    ends = [(one.stdin, one.stdout, one.stderr, one.freezer()) for one in processes]
    answers = []
    begin = time.perf_counter_ns()
    for ask in asked:
        to, source, errors, file = ends[ask.place]
        line, wait_ms = ask.line, SYNC_WAIT_MS
        while True:
            data = exchange(to, source, errors, line, ask.id, ask.legal, wait_ms, *file)[2]
            if data or wait_ms != SYNC_WAIT_MS:
                break
            line, wait_ms = b"", _LONGEST_MS  # nothing more is said, and its answer awaited
        answers.append(data)
    spent_us = (time.perf_counter_ns() - begin) / 1000
    if [*map(plain_answer, answers)] != [Answer(ask.id, ask.legal[0]) for ask in asked]:
        raise HostError("bench: a bot did not answer with its first legal action")
    return spent_us / len(asked)

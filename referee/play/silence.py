"""What is seen of a bot from which no answer has come."""

from itertools import islice
from typing import Final

from protocol.errors import Mistake
from referee.sandbox import BotProcess
from referee.sandbox.procfs import is_running, sleeps

_MOST_READY: Final = 8
"""With more threads of its own that want the processor, a bot has taken it from itself."""

_MOST_LOOKED_AT: Final = 256


def is_crowd(process: BotProcess) -> bool:
    """Return whether so many threads of a bot want the processor that they wait for each other."""
    return sum(map(is_running, islice(process.threads(), _MOST_LOOKED_AT))) > _MOST_READY


def why_late(
    process: BotProcess, *, has_closed: bool, has_begun: bool
) -> tuple[str, Mistake | None]:
    """Say why a bot is late, as far as can be seen.

    Args:
        process: the bot.
        has_closed: whether it has closed its standard output.
        has_begun: whether part of its answer has come.
    """
    if has_closed:
        return "it has closed its standard output", None
    if has_begun:
        return "part of a line came: does it end with a newline?", None
    if process.unread():
        return "it has not read the question", None
    return _what_it_does(process)


def _what_it_does(process: BotProcess) -> tuple[str, Mistake | None]:
    """Look at its threads, at all of them: one may sleep while another works."""
    threads = tuple(islice(process.threads(), _MOST_LOOKED_AT))
    if any(map(is_running, threads)):
        return "it was still at work", None
    if process.waits_for_input():
        why = "it has read the question and waits for input: did you flush your answer?"
        return why, Mistake.SILENT
    if any(map(sleeps, threads)):
        return "it slept", None
    return "it waited for something of its own", None

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


def what_it_does(process: BotProcess) -> tuple[str, Mistake | None]:
    """Say what is seen of its threads, of all of them: one may sleep while another works."""
    threads = tuple(islice(process.threads(), _MOST_LOOKED_AT))
    if any(map(is_running, threads)):
        return "it was still at work", None
    if process.waits_for_input():
        why = "it has read the question and waits for input: did you flush your answer?"
        return why, Mistake.SILENT
    if any(map(sleeps, threads)):
        return "it slept", None
    return "it waited for something of its own", None

"""One act over a bot's pipes: its line is written, and its answer awaited for a moment and read."""

import os
import select
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from protocol.codec import plain_answer
from referee.sandbox.freezer_file import has_stopped

READ_MOST: Final = 4096
"""Bytes of an answer that are read at once."""

STDERR_READ_MOST: Final = 16384
"""Bytes of stderr, likewise."""

Exchange = tuple[int, int, bytes, int, int, int, bytes, str | None]
"""What came of it; of what did not happen, 0 and nothing.

- when it began, in nanoseconds of `time.perf_counter_ns`;
- how many bytes the pipe took: all, too, where the bot has closed its end and may still answer;
- what was read;
- when the line was written and when the answer was read, in microseconds since the beginning, and
  between them how long the calls on the pipes took, none of which waits;
- what it had written to stderr when its answer was there: read within its act, whatever holds that
  up is its own time;
- the action, where the answer is one plain line with this id and one of the legal actions, and the
  bot, if it was to stop again, has come to a stop within the same time. None says nothing of it:
  the conversation is asked then.
"""


def plain_exchange(  # noqa: PLR0917  # as the compiled one, to which names would cost time
    to: int,
    source: int,
    errors: int,
    line: bytes,
    id_: str,
    legal: tuple[str, ...],
    wait_ms: int,
    freezer: int,
    thaw: bytes,
    freeze: bytes,
    state: int,
    stopped: bytes,
) -> Exchange:
    """Make an exchange, call by call.

    Args:
        to: the pipe to the bot; neither blocks.
        source: the one from it.
        errors: its stderr.
        line: what it is told.
        id_: what its answer has to name.
        legal: what it may answer.
        wait_ms: for how long its answer is awaited.
        freezer: the file that has stopped the bot; -1: it is not stopped, or not by a file.
        thaw: what is written to it once the bot was told the line, to let it go on.
        freeze: likewise when it has answered one of `legal`, to stop it again; may be empty.
        state: the file that tells whether it has come to a stop.
        stopped: what that contains then.

    Raises:
        OSError: the descriptors are no such pipes.
    """
    data, talk, came, held, action = b"", b"", 0, 0, None
    begin = time.perf_counter_ns()
    try:
        written = os.write(to, line)
    except BlockingIOError:
        written = 0
    except OSError:
        written = len(line)
    if freezer >= 0:
        begin = time.perf_counter_ns()  # it cannot have read it before
        _tell(freezer, thaw)
    sent = held = time.perf_counter_ns() - begin
    if written == len(line) and _is_readable(source, wait_ms):
        polled = time.perf_counter_ns() - begin
        with suppress(OSError):  # nothing is there, or it is not open
            talk = os.read(errors, STDERR_READ_MOST)
        try:
            data = os.read(source, READ_MOST)
        except BlockingIOError:  # poll was mistaken
            return begin, written, b"", sent // 1000, held // 1000, 0, talk, None
        came = time.perf_counter_ns() - begin
        held += came - polled
        answer = plain_answer(data) if data.endswith(b"\n") else None
        if answer is not None and answer.id == id_ and answer.action in legal:
            _tell(freezer, freeze)
            if freezer < 0 or not freeze or _stands_still(state, stopped, wait_ms):
                action = answer.action
    return begin, written, data, sent // 1000, held // 1000, came // 1000, talk, action


def _tell(freezer: int, what: bytes) -> None:
    if freezer >= 0 and what:
        with suppress(OSError):  # its group is gone, and the bot with it
            os.write(freezer, what)


def _stands_still(state: int, stopped: bytes, most_ms: int) -> bool:
    """Whether a bot that was told to stop has, or is gone.

    Each of its threads needs the core for that, which is theirs until then, or for so long.
    """
    until = time.perf_counter_ns() + most_ms * 1_000_000
    with suppress(OSError):  # its group is gone
        while not has_stopped(state, stopped):
            if time.perf_counter_ns() > until:
                return False
            os.sched_yield()
    return True


def _is_readable(descriptor: int, wait_ms: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(wait_ms))


exchange: Callable[
    [int, int, int, bytes, str, tuple[str, ...], int, int, bytes, bytes, int, bytes], Exchange
]
"""As `plain_exchange`, and quicker where it was compiled."""
try:
    from referee.native import exchange as _native
except ImportError:  # not compiled: a few microseconds more an act
    exchange = plain_exchange
else:
    exchange = _native.exchange

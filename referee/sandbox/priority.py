"""Comes before bots where the kernel lets us: an answer is heard when it is there.

A bot that thinks on after its answer takes the processor, and one that we wake then would pay for
what we wait for. To come first at each act would cost half as much again as the act itself, so this
is for waits that are long, and for threads that only look.
"""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

_FIRST: Final = os.SCHED_RR | os.SCHED_RESET_ON_FORK
"""Processes and threads that are started then have no such priority."""

_LOOKS: Final = os.sched_param(1)
_HEARS: Final = os.sched_param(2)
"""The thread that waits for an answer comes before others of ours, which look."""

_SOON: Final = -5
"""As `nice` has it."""

LATER: Final = 10
"""As `nice` has it: a weight of 110, where 1,024 is usual."""

_ORDINARY: Final = os.SCHED_OTHER | os.SCHED_RESET_ON_FORK
"""To take that flag off again is for the superuser alone."""


class _Blocks(threading.local):
    """How many blocks of `coming_first` a thread is in."""

    open = 0


_blocks: Final = _Blocks()


def come_first(*, with_threads: bool = False, how: os.sched_param = _LOOKS) -> bool:
    """Have this thread run before all that has an ordinary priority; return whether it may.

    The superuser may, and a user whom RLIMIT_RTPRIO lets. A thread that was given another priority
    (`nice`, `chrt`) keeps it.

    Args:
        with_threads: whether threads that it starts do, too, from their first moment on: one that
            has Python's lock and not the processor holds up the others. Before such a thread starts
            a process, it says `start_none_that_comes_first`.
        how: before which others that do.
    """
    is_ordinary = os.sched_getscheduler(0) in {os.SCHED_OTHER, _ORDINARY}
    if not is_ordinary or os.getpriority(os.PRIO_PROCESS, 0) > 0:
        return False
    try:
        os.sched_setscheduler(0, os.SCHED_RR if with_threads else _FIRST, how)
    except OSError:
        return False
    return True


def start_none_that_comes_first() -> None:
    """Have processes and threads that this thread starts run when their turn is."""
    if os.sched_getscheduler(0) == os.SCHED_RR:
        os.sched_setscheduler(0, _FIRST, os.sched_getparam(0))


def come_as_others_do() -> None:
    """Have this thread run when its turn is, as threads do. Idempotent."""
    if os.sched_getscheduler(0) == _FIRST:
        os.sched_setscheduler(0, _ORDINARY, os.sched_param(0))


def answer_soon() -> None:
    """Have this thread weigh three times what another does, where the kernel lets us.

    For one that answers many who wait, beside bots that use all cores; bots still have most of
    them, however many ask. What it starts weighs as usual. Linux shares cores out by session first,
    so a session of our own weighs as much; one that others are in is left as it is.
    """
    if os.getpriority(os.PRIO_PROCESS, 0):
        return  # the user or service that started us has said how much we are to weigh
    with suppress(OSError):
        os.sched_setscheduler(0, _ORDINARY, os.sched_param(0))
        os.setpriority(os.PRIO_PROCESS, 0, _SOON)
        if os.getsid(0) == os.getpid():
            Path("/proc/self/autogroup").write_text(str(_SOON))


def come_after_matches() -> None:
    """Have this process and what it starts weigh a tenth of another, as bots do in their trials.

    Where Linux shares cores out by session, that takes a session of our own.
    """
    os.nice(LATER)
    with suppress(OSError):
        if os.getsid(0) == os.getpid():
            Path("/proc/self/autogroup").write_text(str(LATER))


@contextmanager
def coming_first() -> Iterator[None]:
    """Come first until the block is left, or until `come_as_others_do`; blocks may overlap."""
    come_first(how=_HEARS)
    _blocks.open += 1
    try:
        yield
    finally:
        _blocks.open -= 1
        if not _blocks.open:
            come_as_others_do()


def come_first_again() -> None:
    """Come first until the block of `coming_first` is left, after a `come_as_others_do` in it."""
    if _blocks.open:  # else nothing would take it back
        come_first(how=_HEARS)

"""We come before bots while we wait for one, as far as the kernel lets us, and only then."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TypeVar

import pytest

from referee.sandbox.priority import (
    come_as_others_do,
    come_first,
    come_first_again,
    coming_first,
    start_none_that_comes_first,
)
from support.sandboxes import lacking

T = TypeVar("T")

_LOWEST = os.sched_param(1)


def in_a_thread(look: Callable[[], T]) -> T:
    """What a thread sees that has its priority to itself."""
    seen: list[T] = []
    thread = threading.Thread(target=lambda: seen.append(look()))
    thread.start()
    thread.join()
    return seen[0]


def policy() -> int:
    return os.sched_getscheduler(0) & ~os.SCHED_RESET_ON_FORK


def may_come_first() -> bool:
    """Whether the kernel lets this user; not in many a container."""
    try:
        os.sched_setscheduler(0, os.SCHED_RR, _LOWEST)
    except PermissionError:
        return False
    return True


@pytest.fixture
def allowed() -> int:
    """The policy of a thread that comes first here."""
    return os.SCHED_RR if in_a_thread(may_come_first) else os.SCHED_OTHER


def test_we_come_first_until_the_block_is_left(allowed: int) -> None:
    def seen() -> list[int]:
        found = [policy()]
        with coming_first():
            found.append(policy())
            with coming_first():
                found.append(policy())
            found.append(policy())
        return [*found, policy()]

    assert in_a_thread(seen) == [os.SCHED_OTHER, allowed, allowed, allowed, os.SCHED_OTHER]


def child_policy() -> str:
    done = subprocess.run(
        ["python3", "-c", "import os; print(os.sched_getscheduler(0))"],
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def test_blocks_that_overlap_leave_nothing_behind(allowed: int) -> None:
    """Nor does a wait in no block, as that for a bot's start."""

    def seen() -> list[int]:
        found = []
        with ExitStack() as one, ExitStack() as other:
            one.enter_context(coming_first())
            other.enter_context(coming_first())
            one.close()
            come_as_others_do()
            come_first_again()
            found.append(policy())
        found.append(policy())
        come_first_again()
        return [*found, policy()]

    assert in_a_thread(seen) == [allowed, os.SCHED_OTHER, os.SCHED_OTHER]


def test_whom_we_start_then_does_not() -> None:
    """A bot, above all."""

    def seen() -> str:
        with coming_first():
            return child_policy()

    assert in_a_thread(seen) == str(os.SCHED_OTHER)


def test_threads_come_first_from_their_first_moment_on_where_it_is_asked_for(allowed: int) -> None:
    """And what they start does not, once they say so."""

    def seen() -> tuple[int, str]:
        def started() -> tuple[int, str]:
            first = policy()
            start_none_that_comes_first()
            return first, child_policy()

        come_first(with_threads=True)
        return in_a_thread(started)

    assert in_a_thread(seen) == (allowed, str(os.SCHED_OTHER))


def test_we_do_not_where_we_are_told_to_leave_the_processor_to_others() -> None:
    """By `nice`, or as what runs when nothing else does."""

    def nice() -> tuple[bool, int]:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 5)
        return come_first(), policy()

    def idle() -> tuple[bool, int]:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        return come_first(), policy()

    def batch() -> tuple[bool, int]:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
        with coming_first():
            start_none_that_comes_first()
        return come_first(), policy()

    assert in_a_thread(nice) == (False, os.SCHED_OTHER)
    assert in_a_thread(idle) == (False, os.SCHED_IDLE)
    assert in_a_thread(batch) == (False, os.SCHED_BATCH)


def test_a_real_time_priority_that_we_were_given_is_kept(allowed: int) -> None:
    """By `chrt`, which the organiser alone can say before the command."""
    if allowed == os.SCHED_OTHER:
        lacking("the kernel gives this user's threads no real-time priority that could be kept")

    def seen() -> tuple[int, int]:
        os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(7))
        with coming_first():
            come_as_others_do()
        return policy(), os.sched_getparam(0).sched_priority

    assert in_a_thread(seen) == (os.SCHED_RR, 7)


def test_a_user_who_may_not_goes_on_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    def forbidden(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", forbidden)
    with coming_first():
        assert policy() == os.SCHED_OTHER
    assert not come_first()


def test_a_user_whom_a_limit_lets_comes_first_again_and_again(allowed: int) -> None:
    """Such a user may not take back that processes which are started are ordinary."""

    def seen() -> list[int]:
        found = []
        for _ in range(2):
            with coming_first():
                found.append(policy())
            found.append(policy())
        return found

    assert in_a_thread(seen) == [allowed, os.SCHED_OTHER] * 2


def weights(call: str, *, own_session: bool) -> list[str]:
    """The `nice` of a process after a call, of its session, and of what it starts.

    Then whether a thread of it may come first.
    """
    script = (
        "import os, subprocess\n"
        "from pathlib import Path\n"
        "from referee.sandbox import priority\n"
        f"priority.{call}()\n"
        "print(os.getpriority(os.PRIO_PROCESS, 0))\n"
        "session = Path('/proc/self/autogroup')\n"
        "words = session.read_text().split() if session.exists() else []\n"
        "print(words[-1] if words else 'none')  # a session of the kernel's own has no weight\n"
        "print(subprocess.run(['nice'], capture_output=True, text=True).stdout)\n"
        "print(priority.come_first())\n"
    )
    return subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        start_new_session=own_session,
    ).stdout.split()


def test_who_answers_many_weighs_more_and_what_it_starts_does_not() -> None:
    """A process that shares its session with others leaves the session as it is."""
    tried = subprocess.run(["nice", "-n", "-5", "true"], capture_output=True, check=True)
    may = not tried.stderr
    for own in (True, False):
        nice, session, started, _ = weights("answer_soon", own_session=own)
        assert nice == ("-5" if may else "0")
        assert session in ("none", "-5" if may and own else "0")
        assert started == "0"


def test_what_comes_after_matches_weighs_a_tenth_and_what_it_starts_too() -> None:
    """Nor does a thread of it come first, as one of a match does."""
    for own in (True, False):
        nice, session, started, comes_first = weights("come_after_matches", own_session=own)
        assert nice == started == "10"
        assert session in ("none", "10" if own else "0")
        assert comes_first == "False"


def test_who_was_started_with_another_weight_keeps_it() -> None:
    script = (
        "import os; from referee.sandbox.priority import answer_soon; answer_soon(); "
        "print(os.getpriority(os.PRIO_PROCESS, 0))"
    )
    words = ["nice", "-n", "10", sys.executable, "-c", script]
    assert subprocess.run(words, capture_output=True, text=True, check=True).stdout == "10\n"

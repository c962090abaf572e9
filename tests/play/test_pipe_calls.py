"""Other bots are looked at while a call that has to do with one lasts, by another thread."""

import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from referee.match.verdict import Freeze, Verdict
from referee.play import seat as seat_module
from referee.play.exchange import Exchange, plain_exchange
from referee.play.off_turn import OFF_TURN_US, OffTurn
from referee.play.pipe_calls import PipeCalls
from referee.play.seat import Seat
from support.fake_process import READY, FakeProcess, asked

LONG_S = 5.0
"""For how long a test waits for what is to come at once."""


@pytest.fixture
def friend() -> Iterator[FakeProcess]:
    """One that works from its own act on."""
    found = FakeProcess()
    yield found
    found.release()


class Table:
    """Whose bots off turn are these."""

    def __init__(self, *bots: OffTurn) -> None:
        self._bots = bots

    def off_turn_bots(self) -> tuple[OffTurn, ...]:
        return self._bots


def until(is_so: Callable[[], bool]) -> bool:
    """Waits, in the thread of a call that lasts, until it is so; whether it came to be."""
    end = time.monotonic() + LONG_S
    while not is_so() and time.monotonic() < end:
        threading.Event().wait(0.001)
    return is_so()


def seats(process: FakeProcess, friend: FakeProcess) -> tuple[Seat, Seat]:
    """One that is to move, and its friend that thinks on and has not been seen at it."""
    thinker = Seat(1, friend, Freeze.AUTO)
    thinker.off_turn.begin()
    friend.worked_us += OFF_TURN_US + 1
    return Seat(0, process, Freeze.AUTO, seats=[thinker]), thinker


async def test_a_friend_that_thinks_on_is_stopped_while_the_pipe_of_another_is_held(
    process: FakeProcess, friend: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two friends won a second so, once in each life: one held its stderr, and we saw neither."""
    holder, thinker = seats(process, friend)
    stopped = list[bool]()

    def held(*words: object) -> Exchange:
        stopped.append(until(lambda: friend.frozen))
        return plain_exchange(*words)  # type: ignore[arg-type]  # as it takes them

    monkeypatch.setattr(seat_module, "exchange", held)
    os.write(process.says, READY)
    with holder.calls.watched():
        assert isinstance(await holder.ask(asked()), tuple)

    assert stopped == [True]
    assert thinker.off_turn.used_us == OFF_TURN_US + 1


async def test_a_friend_is_stopped_while_a_daemon_is_asked_how_another_has_ended(
    process: FakeProcess, friend: FakeProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One left a bad line and died in its friend's act, who thought on when it was asked next."""
    holder, _ = seats(process, friend)
    monkeypatch.setattr(process, "status", lambda: str(until(lambda: friend.frozen)))
    os.write(process.says, b"x\n")
    with holder.calls.watched():
        found = await holder.ask(asked())

    assert isinstance(found, Verdict)
    assert found.evidence.exit == "True"


@pytest.mark.parametrize("at_once", [True, False])
def test_no_daemon_is_asked_while_a_call_lasts(friend: FakeProcess, *, at_once: bool) -> None:
    """It can take two seconds, and the bot whose call it is would pay for them."""
    bot, friend.at_once = OffTurn(friend, Freeze.AUTO), at_once
    bot.begin()
    friend.worked_us += OFF_TURN_US + 1
    calls = PipeCalls()
    with calls.during(Table(bot)):
        assert calls.call is not None
        calls.look_in(calls.call)
    assert friend.frozen is at_once


def test_no_bot_is_looked_at_when_the_call_is_over(friend: FakeProcess) -> None:
    """The main thread may let a bot go on then, which another would stop in its own act."""
    bot = OffTurn(friend, Freeze.AUTO)
    bot.begin()
    friend.worked_us += OFF_TURN_US + 1
    calls = PipeCalls()
    with calls.during(Table(bot)):
        call = calls.call
    assert call is not None
    calls.look_in(call)
    assert not friend.frozen
    with calls.during(Table(bot)):
        calls.look_in(call)
        assert not friend.frozen


def test_the_end_of_a_call_waits_until_the_bots_were_seen_to(friend: FakeProcess) -> None:
    """Else one could be let go on and stopped at the same time."""
    bot, calls, order = OffTurn(friend, Freeze.AUTO), PipeCalls(), list[str]()
    looks, goes_on = threading.Event(), threading.Event()

    def check() -> bool:
        looks.set()
        goes_on.wait(LONG_S)
        order.append("looked")
        return True

    bot.check = check  # type: ignore[method-assign]  # it takes long
    with calls.watched():
        with calls.during(Table(bot)):
            assert looks.wait(LONG_S)
            threading.Timer(0.02, goes_on.set).start()
        order.append("ended")
    assert order == ["looked", "ended"]


def test_a_daemon_that_does_not_stop_a_bot_ends_no_thread(friend: FakeProcess) -> None:
    """The next look of the main thread says it."""
    bot, calls, often = OffTurn(friend, Freeze.AUTO), PipeCalls(), list[int]()

    def check() -> bool:
        often.append(1)
        raise OSError

    bot.check = check  # type: ignore[method-assign]  # as a daemon that does not answer
    with calls.watched(), calls.during(Table(bot)):
        assert until(lambda: len(often) > 1)


def test_the_thread_ends_with_the_match_however_that_ends() -> None:
    """A match that raises leaves none behind."""
    calls = PipeCalls()
    with pytest.raises(ValueError, match="a bug"), calls.watched():
        raise ValueError("a bug")
    assert "pipe calls" not in {thread.name for thread in threading.enumerate()}

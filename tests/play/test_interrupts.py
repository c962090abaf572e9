"""A wish to stop is heard whenever it comes."""

import signal

import pytest
import trio

from referee.play.interrupts import interruptible
from referee.signals import SIGNALS, heard


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("fails", [False, True])
def test_a_signal_that_comes_while_we_are_busy_to_the_end_is_heard(
    number: signal.Signals, *, fails: bool
) -> None:
    """As while what a bot has read is dropped; trio itself would fail over it after the block."""
    before, scope = len(heard), trio.CancelScope()

    async def busy() -> None:
        async with interruptible(scope):
            signal.raise_signal(number)
            if fails:
                raise ValueError("what went wrong")

    try:
        trio.run(busy)
    except* ValueError:
        assert fails
    assert heard[before:] == [number]
    assert scope.cancel_called
    del heard[before:]

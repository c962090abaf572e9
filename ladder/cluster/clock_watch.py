"""Asks machines what their clocks say, and leaves out those whose clocks are wrong."""

from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final

import trio

from ladder.cluster import machine
from ladder.cluster.clock import FIRST_S, Reading
from ladder.cluster.connection import MachineGone
from ladder.cluster.peers import Peer, Peers

_LOOK_S: Final = 1.0
_MOST_DIGITS: Final = 25
"""A clock that has gone for as long as the world, in nanoseconds, says fewer."""

Call = Callable[[Peer, Callable[[], bytes]], Awaitable[bytes]]
LeaveOut = Callable[[Peer, str], None]


async def watch_clocks(peers: Peers, call: Call, leave_out: LeaveOut) -> None:
    """Look for ever at the clocks of the machines that play.

    Args:
        peers: the machines.
        call: calls a function on one.
        leave_out: gives one no more jobs, and says why.
    """
    async with trio.open_nursery() as nursery:
        while True:
            now = trio.current_time()
            for peer in peers.playing:
                if peer.clock.is_due(now):
                    peer.clock.ask(now)
                    nursery.start_soon(_look_at, peer, call, leave_out)
            await trio.sleep(_LOOK_S)


async def _look_at(peer: Peer, call: Call, leave_out: LeaveOut) -> None:
    """Read the clock of a machine; of one that does not answer in time nothing is known."""
    asked = trio.current_time()
    with trio.move_on_after(FIRST_S), suppress(MachineGone):
        data = await call(peer, machine.clock)
        try:
            theirs = int(data) / 1e9 if len(data) <= _MOST_DIGITS else None
        except ValueError:
            theirs = None
        if theirs is None:
            leave_out(peer, "it does not answer as a machine does")
            return
        rate = peer.clock.read(Reading(theirs, asked, trio.current_time()))
        if rate is not None:
            leave_out(
                peer,
                f"its clock, by which bots have their time, goes {rate:.2f} times as fast as ours",
            )

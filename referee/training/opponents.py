"""Who plays the seats that the learner does not: functions in this process, or real bots."""

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from referee.match.table import Table
from referee.training.encoding import Encoding

Policy = Callable[[Any, Any], int]  # arrays here, and bytes in the process of a trained bot
"""A decision: takes an observation and its action mask; returns the number of a legal action."""


class Opponent(Protocol):
    """One seat's player, deal after deal."""

    def deal(self, table: Table, seat: int) -> None:
        """Sit down at this seat for a deal that was just dealt."""

    def act(self, table: Table, seat: int) -> str:
        """Return one of `table.legal`: it is this seat's turn."""

    def deal_end(self, table: Table, seat: int) -> None:
        """Be told that the deal is over."""

    def close(self) -> None:
        """Give back what is held."""


class _InProcess:
    """An opponent that needs to be told nothing but what it is asked."""

    def deal(self, table: Table, seat: int) -> None:
        """Nothing has to be done."""

    def deal_end(self, table: Table, seat: int) -> None:
        """Nothing has to be done."""

    def close(self) -> None:
        """Nothing is held."""


class RandomOpponent(_InProcess):
    """Plays any legal action, each as likely."""

    def __init__(self, dice: Callable[[], np.random.Generator]) -> None:
        """Roll the dice that `dice` returns: those of the environment, which its seed sets."""
        self._dice = dice

    def act(self, table: Table, seat: int) -> str:
        """Return a legal action."""
        legal = table.legal
        return legal[int(self._dice().integers(len(legal)))]


class FirstOpponent(_InProcess):
    """Plays the first of the legal actions, as the bot `sample:first` does."""

    def act(self, table: Table, seat: int) -> str:
        """Return the first legal action."""
        return table.legal[0]


class PolicyOpponent(_InProcess):
    """Plays what a function says: a policy that is being trained, or was."""

    def __init__(self, policy: Policy, encoding: Encoding) -> None:
        """Ask `policy`, which is shown what `encoding` makes of the view."""
        self._policy = policy
        self._encoding = encoding

    def act(self, table: Table, seat: int) -> str:
        """Return what the policy says; the table refuses it if that is not legal."""
        return self._encoding.actions[int(self._policy(*seen(table, seat, self._encoding)))]


def seen(table: Table, seat: int, encoding: Encoding) -> tuple[NDArray[np.uint8], NDArray[Any]]:
    """Return the observation of a seat, and the mask of its legal actions, if it is to move."""
    view, _ = table.view(seat)
    legal = table.legal if seat == table.to_move else ()
    observation = np.frombuffer(encoding.observe(view), np.uint8)
    return observation, np.frombuffer(encoding.mask(legal), np.int8)

"""Many deals at once, each with all its seats: what self-play learns from."""

from collections.abc import Mapping, Sequence

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from referee.training.deals import Deals
from referee.training.of_game import encoding_of, rules_of
from referee.training.opponents import seen


class Finished(Struct, frozen=True):
    """A deal of a batch that is over: its index, and what it brought by seat."""

    index: int
    values: tuple[int, ...]


class DealBatch:
    """Deals side by side; in each it is some seat's turn. One that is over makes room for the next.

    Attributes:
        encoding: how views become numbers, and which action has which number.
        observations: what the seat to move knows, by deal: (count, `encoding.size`), uint8.
        masks: which actions are legal, by deal: (count, actions), int8.
        seats: whose turn it is, by deal: (count,).
    """

    def __init__(
        self,
        game: str = "briscola-2",
        options: Mapping[str, str] | None = None,
        *,
        count: int,
        seed: int | None = None,
    ) -> None:
        """Deal `count` decks of a stream that a seed begins.

        Raises:
            RefereeError: there is no such game or option, or the options do not go together.
        """
        self.encoding = encoding_of(game, options)
        self._deals = Deals(rules_of(game, options).game, seed)
        self._tables = [self._deals.next() for _ in range(count)]
        self.observations: NDArray[np.uint8] = np.zeros((count, self.encoding.size), np.uint8)
        self.masks: NDArray[np.int8] = np.zeros((count, len(self.encoding.actions)), np.int8)
        self.seats: NDArray[np.int64] = np.zeros(count, np.int64)
        for index in range(count):
            self._look(index)

    def _look(self, index: int) -> None:
        """Write down what the seat to move knows in one deal."""
        table = self._tables[index]
        assert table.to_move is not None  # noqa: S101  # a deal that is over has made room
        self.seats[index] = table.to_move
        self.observations[index], self.masks[index] = seen(table, table.to_move, self.encoding)

    def step(self, actions: Sequence[int] | NDArray[np.int64]) -> list[Finished]:
        """Play one action in each deal; return the deals that are over, which were replaced.

        The arrays are the same ones, written anew: copy what has to be kept.

        Raises:
            IllegalAction: one is not legal; the deals before it were played.
        """
        finished, names = [], self.encoding.actions
        for index, table in enumerate(self._tables):
            table.play(names[actions[index]])
            if table.to_move is None:
                finished.append(Finished(index, table.tally().values))
                self._tables[index] = self._deals.next()
            self._look(index)
        return finished

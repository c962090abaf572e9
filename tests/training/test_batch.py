"""Many deals side by side, for self-play."""

import numpy as np
import pytest

from referee.games import catalogue
from referee.match.table import IllegalAction
from referee.training.batch import DealBatch
from referee.training.deals import Deals
from referee.training.of_game import rules_of
from referee.training.opponents import seen


@pytest.mark.parametrize("game_id", catalogue())
def test_a_batch_is_its_deals_one_by_one(game_id: str) -> None:
    """What is shown, whose turn it is, and what deals bring, are those of the same deals alone."""
    batch, dice = DealBatch(game_id, count=3, seed=4), np.random.default_rng(1)
    stream = Deals(rules_of(game_id).game, 4)
    tables = [stream.next() for _ in range(3)]
    finished = 0
    while finished < 6:
        actions = []
        for index, table in enumerate(tables):
            seat = int(batch.seats[index])
            assert table.to_move == seat
            observation, mask = seen(table, seat, batch.encoding)
            assert (batch.observations[index] == observation).all()
            assert (batch.masks[index] == mask).all()
            actions.append(int(dice.choice(np.flatnonzero(mask))))
        over = {one.index: one.values for one in batch.step(actions)}
        for index, table in enumerate(tables):
            table.play(batch.encoding.actions[actions[index]])
            assert (table.to_move is None) == (index in over)
            if table.to_move is None:
                assert over[index] == table.tally().values
                tables[index] = stream.next()
                finished += 1


def test_an_action_that_is_not_legal_is_an_error() -> None:
    """It names the action."""
    batch = DealBatch("briscola-2", count=2, seed=1)
    wrong = int(np.flatnonzero(batch.masks[0] == 0)[0])
    with pytest.raises(IllegalAction, match=batch.encoding.actions[wrong]):
        batch.step([wrong, wrong])

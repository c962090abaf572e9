"""One seat of a deal as an environment of Gymnasium: others play the rest of the table."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from referee.errors import RefereeError
from referee.match.table import Table
from referee.sandbox.names import SandboxName
from referee.terminal.act_view import view_lines
from referee.text import plural
from referee.training.bot_process import BotOpponent
from referee.training.deals import Deals
from referee.training.of_game import encoding_of, rules_of
from referee.training.opponents import (
    FirstOpponent,
    Opponent,
    Policy,
    PolicyOpponent,
    RandomOpponent,
    seen,
)

Observation = dict[str, NDArray[Any]]  # uint8 and int8
Said = dict[str, Any]  # as Gymnasium has it: options of `reset`, what else there is to say


class SeatEnv(gymnasium.Env[Any, Any]):  # its spaces have types of their own
    """One deal an episode: the learner has one seat, and its reward is the deal value at the end.

    An action that is not legal ends the deal as a fault does in a match: the reward is the least
    of the scale, and `info["illegal"]` says so. `reset(seed=N)` begins the stream of deals N;
    without a seed the next deal of the stream comes. `options` of `reset` may have `deck`, `dealer`
    and `seat`.

    Attributes:
        encoding: how views become numbers, and which action has which number.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": ["ansi"], "render_fps": 1}  # type: ignore[misc]  # as there

    def __init__(
        self,
        game: str = "briscola-2",
        options: Mapping[str, str] | None = None,
        *,
        opponents: Sequence[str | Policy] = ("random",),
        seat: int | None = None,
        sandbox: str = "auto",
        render_mode: str | None = None,
    ) -> None:
        """Make it.

        Args:
            game: an id of the catalogue.
            options: of the game, as in `referee match -o`.
            opponents: who has the other seats, in the order of play after the learner's; one alone
                plays all of them. "random", "first", a policy, or any bot as for `referee match`,
                which runs in processes of its own.
            seat: the learner's; None: any, rolled anew for each deal.
            sandbox: where bots run, as for `referee match`.
            render_mode: "ansi", or None.

        Raises:
            RefereeError: there is no such game, option, bot, seat or number of opponents.
        """
        rules = rules_of(game, options)
        self._game = rules.game
        self.encoding = encoding_of(game, options)
        others = self._game.seats - 1
        if len(opponents) == 1:
            opponents = list(opponents) * others
        if len(opponents) != others:
            raise RefereeError(
                f"{plural(len(opponents), 'opponent')}: {game} has {plural(others, 'other seat')}"
            )
        if seat is not None and seat not in range(self._game.seats):
            raise RefereeError(f"seat {seat}: {game} has seats 0 to {others}")
        self._given_seat = seat
        self._opponents = [
            self._opponent(one, game, dict(rules.options), SandboxName(sandbox))
            for one in opponents
        ]
        self._deals = Deals(self._game)
        self._table: Table | None = None
        self._seat = 0
        self.render_mode = render_mode
        high = np.frombuffer(self.encoding.high, np.uint8)
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(np.zeros_like(high), high, dtype=np.uint8),
                "action_mask": spaces.Box(0, 1, (len(self.encoding.actions),), np.int8),
            }
        )
        self.action_space = spaces.Discrete(len(self.encoding.actions))

    def _opponent(
        self, one: str | Policy, game: str, options: dict[str, str], sandbox: SandboxName
    ) -> Opponent:
        if one == "random":
            return RandomOpponent(lambda: self.np_random)
        if one == "first":
            return FirstOpponent()
        if isinstance(one, str):
            return BotOpponent(one, game, options, sandbox)
        return PolicyOpponent(one, self.encoding)

    def reset(
        self, *, seed: int | None = None, options: Said | None = None
    ) -> tuple[Observation, Said]:
        """Deal the next deck, and play to the learner's first act.

        Raises:
            RefereeError: the deck, dealer or seat in `options` makes no sense, or a bot goes wrong.
        """
        super().reset(seed=seed)
        self._leave_deal()
        if seed is not None:
            self._deals.restart(seed)
        given = options or {}
        table = self._deal(given)
        while table.to_move is None:  # another seat has won at once, by a black hand, say
            if "deck" in given:
                raise RefereeError("the deal is over before the learner's first act")
            self._leave_deal()
            table = self._deal(given)
        return self._observation(table), {"seat": self._seat}

    def _deal(self, options: Said) -> Table:
        """Deal the next deck, and let the others play to the learner's first act."""
        self._table = table = self._deals.next(options)
        seat = options.get("seat", self._given_seat)
        if seat is None:
            seat = int(self.np_random.integers(self._game.seats))
        elif seat not in range(self._game.seats):
            raise RefereeError(f"seat {seat!r}: a seat from 0 to {self._game.seats - 1}")
        self._seat = seat
        for place, opponent in self._others().items():
            opponent.deal(table, place)
        self._play_others(table)
        return table

    def _others(self) -> dict[int, Opponent]:
        """Return who plays the other seats, by seat."""
        seats = self._game.seats
        return {
            (self._seat + step) % seats: opponent
            for step, opponent in enumerate(self._opponents, 1)
        }

    def _play_others(self, table: Table) -> bool:
        """Let the others play to the learner's turn, or the end; return whether that has come."""
        others = self._others()
        while (seat := table.to_move) is not None and seat != self._seat:
            table.play(others[seat].act(table, seat))
        return seat is None

    def _leave_deal(self) -> None:
        """Tell the others that the deal is over, if there is one."""
        if self._table is not None:
            for place, opponent in self._others().items():
                opponent.deal_end(self._table, place)
            self._table = None

    def step(self, action: int) -> tuple[Observation, float, bool, bool, Said]:
        """Play an action, by its number, and on to the learner's next act, or the end.

        Raises:
            RefereeError: there is no deal under way, or a bot goes wrong.
        """
        table = self._table
        if table is None or table.to_move is None:
            raise RefereeError("the deal is over: reset comes first")
        name = self.encoding.actions[int(action)]
        info: Said = {"seat": self._seat}
        if name not in table.legal:
            values = table.forfeit(self._seat).values
            observation = self._observation(table)
            self._leave_deal()
            return observation, float(values[self._seat]), True, False, {**info, "illegal": name}
        table.play(name)
        over = self._play_others(table)
        observation = self._observation(table)
        if not over:
            return observation, 0.0, False, False, info
        values = table.tally().values
        self._leave_deal()
        return observation, float(values[self._seat]), True, False, {**info, "values": values}

    def _observation(self, table: Table) -> Observation:
        observation, mask = seen(table, self._seat, self.encoding)
        return {"observation": observation, "action_mask": mask}

    def render(self) -> str | None:
        """Return, in mode "ansi", what the learner knows and may do."""
        if self.render_mode != "ansi" or self._table is None:
            return None
        view, _ = self._table.view(self._seat)
        return "\n".join(line.plain for line in view_lines(view, self._table.legal))

    def close(self) -> None:
        """Let all bots leave."""
        self._leave_deal()
        for opponent in self._opponents:
            opponent.close()

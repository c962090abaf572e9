"""A deal as an environment of PettingZoo: each agent is a seat, and acts when it is its turn."""

from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from referee.rules.cards import Card
from referee.terminal.act_view import view_lines
from referee.training.deals import Deals
from referee.training.of_game import encoding_of, rules_of
from referee.training.opponents import seen

Observation = dict[str, NDArray[Any]]  # uint8 and int8
Space = spaces.Space[Any]  # PettingZoo has no types, and wants none of these
Said = dict[str, Any]  # as PettingZoo has it: options of `reset`, what else there is to say; JSON


def env(
    game: str = "briscola-2",
    options: Mapping[str, str] | None = None,
    *,
    render_mode: str | None = None,
) -> "DealEnv":
    """Return an environment of one deal after the other; the arguments are those of `DealEnv`."""
    return DealEnv(game, options, render_mode=render_mode)


class DealEnv(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """One deal: agents `seat_0`, `seat_1` and so on act in turn; then all get the deal value.

    The reward is the deal value of the seat (SPEC 11.3), at the last card; before, it is zero.
    `reset(seed=N)` begins the stream of deals N; without a seed the next deal of the stream comes.
    `options` of `reset` may have `deck` and `dealer`.

    Attributes:
        encoding: how views become numbers, and which action has which number.
        rules: of the game, for who wants to know more than a seat may.
        table: the deal under way.
    """

    def __init__(
        self,
        game: str = "briscola-2",
        options: Mapping[str, str] | None = None,
        *,
        render_mode: str | None = None,
    ) -> None:
        """Make it.

        Args:
            game: an id of the catalogue.
            options: of the game, as in `referee match -o`.
            render_mode: "ansi", or None.

        Raises:
            RefereeError: there is no such game or option, or the options do not go together.
        """
        super().__init__()
        self.rules = rules_of(game, options).game
        self.encoding = encoding = encoding_of(game, options)
        self.metadata = {
            "name": f"{game}_v0",
            "render_modes": ["ansi"],
            "is_parallelizable": False,
        }
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(encoding.seats)]
        self.agents: list[str] = []
        self._deals = Deals(self.rules)
        high = np.frombuffer(encoding.high, np.uint8)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(np.zeros_like(high), high, dtype=np.uint8),
                    "action_mask": spaces.Box(0, 1, (len(encoding.actions),), np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {
            agent: spaces.Discrete(len(encoding.actions)) for agent in self.possible_agents
        }

    def observation_space(self, agent: str) -> Space:
        """Return the space of an agent's observations: `observation` and `action_mask`."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Space:
        """Return the space of an agent's actions: their numbers in `encoding.actions`."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Said | None = None) -> None:
        """Deal the next deck; see the class.

        Raises:
            RefereeError: the deck or the dealer in `options` makes no sense.
        """
        if seed is not None:
            self._deals.restart(seed)
        self.table = self._deals.next(options)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, Said] = {agent: {} for agent in self.agents}
        self._skip_agent_selection = None
        assert self.table.to_move is not None  # noqa: S101  # a deal has at least one act
        self.agent_selection = self.possible_agents[self.table.to_move]

    @property
    def deck(self) -> tuple[Card, ...]:
        """The deck that was dealt, the top card first: more than any seat may know."""
        return self.table.deck

    def observe(self, agent: str) -> Observation:
        """Return what a seat knows as numbers, and which actions are legal if it is to move."""
        seat = self.possible_agents.index(agent)
        observation, mask = seen(self.table, seat, self.encoding)
        return {"observation": observation, "action_mask": mask}

    def view(self, agent: str) -> Said:
        """Return exactly what a bot at this seat would be told in `view` (SPEC 4.1)."""
        view, _ = self.table.view(self.possible_agents.index(agent))
        found: Said = msgspec.json.decode(msgspec.json.encode(view))
        return found

    def legal(self) -> tuple[str, ...]:
        """Return the actions of the seat to move, in the order in which a bot is told them."""
        return self.table.legal

    def step(self, action: int | None) -> None:
        """Carry out an action, by its number.

        Raises:
            IllegalAction: it is not legal; nothing has changed.
        """
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        assert action is not None  # noqa: S101  # only who has left says nothing
        table = self.table
        table.play(self.encoding.actions[action])
        self._cumulative_rewards[agent] = 0
        if table.to_move is not None:
            self.agent_selection = self.possible_agents[table.to_move]
            return
        self.rewards = dict(zip(self.agents, table.tally().values, strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self._deads_step_first()

    def render(self) -> str | None:
        """Return, in mode "ansi", what the seat to move knows and may do."""
        if self.render_mode != "ansi" or self.table.to_move is None:
            return None
        view, _ = self.table.view(self.table.to_move)
        return "\n".join(line.plain for line in view_lines(view, self.table.legal))

    def close(self) -> None:
        """Nothing is held that has to be given back."""

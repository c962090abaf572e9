"""The games for OpenSpiel: one deal, whose cards chance turns over one by one, then the acts.

`load(game, options)` returns a `pyspiel.Game`. Its algorithms for games in Python run on it, such
as information set Monte Carlo tree search: a state can be drawn anew from what a seat knows
(`resample_from_infostate`), each deck that agrees being as likely.
"""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pyspiel
from numpy.typing import NDArray

from protocol.events import Event
from protocol.messages import View
from referee.match.chance import BlockKey, event_key
from referee.match.worlds import Worlds
from referee.rules.cards import Card
from referee.rules.game import Game, best_value
from referee.rules.views import apply_events
from referee.training.of_game import encoding_of, rules_of

_encode = msgspec.json.Encoder().encode


def load(
    game: str = "briscola-2", options: Mapping[str, str] | None = None, *, dealer: int = 0
) -> "DealGame":
    """Return a game for OpenSpiel.

    Args:
        game: an id of the catalogue.
        options: of the game, as in `referee match -o`.
        dealer: the seat that deals.

    Raises:
        RefereeError: there is no such game or option, or the options do not go together.
    """
    return DealGame({"game": game, "options": dict(options or {}), "dealer": dealer})


class DealGame(pyspiel.Game):  # type: ignore[misc]  # OpenSpiel has no types
    """One deal of a game of the catalogue; a player is a seat, its return the deal value.

    Attributes:
        encoding: which action has which number.
        rules: what is played.
        dealer: the seat that deals.
    """

    def __init__(self, given: Mapping[str, Any]) -> None:
        """Make it from the arguments of `load`."""
        self.rules: Game[Any] = rules_of(given["game"], given["options"]).game
        self.encoding = encoding_of(given["game"], given["options"])
        self.dealer: int = given["dealer"]
        seats, worst = self.rules.seats, self.rules.stakes.worst_value
        zero_sum = len(self.rules.partners) == 2 and seats == 2
        utility = pyspiel.GameType.Utility
        kind = pyspiel.GameType(
            short_name="python_" + given["game"].replace("-", "_"),
            long_name=given["game"],
            dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
            chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
            information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
            utility=utility.ZERO_SUM if zero_sum else utility.GENERAL_SUM,
            reward_model=pyspiel.GameType.RewardModel.TERMINAL,
            max_num_players=seats,
            min_num_players=seats,
            provides_information_state_string=True,
            provides_information_state_tensor=False,
            provides_observation_string=True,
            provides_observation_tensor=True,
        )
        info = pyspiel.GameInfo(
            num_distinct_actions=max(len(self.encoding.actions), len(self.encoding.cards)),
            max_chance_outcomes=len(self.encoding.cards),
            num_players=seats,
            min_utility=float(worst),
            max_utility=float(best_value(self.rules)),
            **({"utility_sum": 0.0} if zero_sum else {}),
            max_game_length=self.rules.max_acts,
        )
        super().__init__(kind, info, {})

    def new_initial_state(self) -> "DealState":
        """Return a state in which no card has been turned over."""
        return DealState(self)

    def make_py_observer(self, *_: object) -> "_Observer":
        """Return what OpenSpiel's own tools look at a state with."""
        return _Observer(self)

    def observation_tensor_shape(self) -> list[int]:
        """Return how many numbers `observation_tensor` has."""
        return [self.encoding.size]


class _Observer:
    """What OpenSpiel's own tools look at a state with.

    Attributes:
        tensor: the numbers of the state that was looked at last.
        dict: the same, as their one part.
    """

    def __init__(self, game: DealGame) -> None:
        self.tensor: NDArray[np.float32] = np.zeros(game.encoding.size, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state: "DealState", player: int) -> None:
        """Look at a state as a seat knows it."""
        self.tensor[:] = state.observation_tensor(player)

    def string_from(self, state: "DealState", player: int) -> str:
        """Return what a seat knows, as it is told a bot."""
        return state.observation_string(player)


class _Progress:
    """A deal under way: what a state of OpenSpiel copies when it branches."""

    def __init__(self, game: DealGame) -> None:
        self.game = game
        self.deck: tuple[Card, ...] = ()
        self.acts: tuple[str, ...] = ()
        self.state: Any = None
        self.shown: list[tuple[Event, ...]] = [()] * game.rules.seats

    def __deepcopy__(self, _: object) -> "_Progress":
        other = _Progress(self.game)
        other.deck, other.acts, other.shown = self.deck, self.acts, self.shown[:]
        if self.state is not None:
            other.state = self.game.rules.copy(self.state)
        return other

    def turn_over(self, card: Card) -> None:
        """Put a card below those of the deck; the last one lets the deal begin."""
        self.deck = (*self.deck, card)
        rules = self.game.rules
        if len(self.deck) == len(rules.pack):
            self.state, shown = rules.deal(self.deck, self.game.dealer)
            self.shown = list(shown)

    def play(self, action: str) -> None:
        """Carry out an action."""
        shown = self.game.rules.apply(self.state, action)
        self.acts = (*self.acts, action)
        self.shown = [(*old, *new) for old, new in zip(self.shown, shown, strict=True)]

    def view(self, seat: int) -> View:
        """Return what a seat knows."""
        view = self.game.rules.opening(seat, self.game.dealer)
        apply_events(view, self.shown[seat])
        return view


class DealState(pyspiel.State):  # type: ignore[misc]  # OpenSpiel has no types
    """A deal at some moment: before its deck is complete chance is to move, then the seats."""

    def __init__(self, game: DealGame) -> None:
        """Begin with no card."""
        super().__init__(game)
        self.progress = _Progress(game)

    def current_player(self) -> int:
        """Return the seat to move, or OpenSpiel's id of chance or of the end."""
        progress = self.progress
        if progress.state is None:
            return int(pyspiel.PlayerId.CHANCE)
        to_move = progress.game.rules.to_move(progress.state)
        return int(pyspiel.PlayerId.TERMINAL) if to_move is None else to_move

    def is_terminal(self) -> bool:
        """Return whether the deal is over."""
        return bool(self.current_player() == pyspiel.PlayerId.TERMINAL)

    def _legal_actions(self, player: int) -> list[int]:
        progress = self.progress
        if player != self.current_player() or player < 0:
            return []
        number = progress.game.encoding.number
        return sorted(number[action] for action in progress.game.rules.legal(progress.state))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """Return the cards that can come next, and how likely each is."""
        progress = self.progress
        left = Counter(progress.game.rules.pack)
        left.subtract(progress.deck)
        total = left.total()
        cards = progress.game.encoding.cards
        return [
            (number, left[Card(card)] / total)
            for number, card in enumerate(cards)
            if left[Card(card)]
        ]

    def _apply_action(self, action: int) -> None:
        encoding = self.progress.game.encoding
        if self.progress.state is None:
            self.progress.turn_over(Card(encoding.cards[action]))
        else:
            self.progress.play(encoding.actions[action])

    def _action_to_string(self, player: int, action: int) -> str:
        encoding = self.progress.game.encoding
        return encoding.cards[action] if player < 0 else encoding.actions[action]

    def returns(self) -> list[float]:
        """Return the deal value by seat; zeros before the end."""
        game, state = self.progress.game, self.progress.state
        if not self.is_terminal():
            return [0.0] * game.rules.seats
        return [float(value) for value in game.rules.tally(state).values]

    def information_state_string(self, player: int | None = None) -> str:
        """Return all that a seat was shown, event by event."""
        seat = self.current_player() if player is None else player
        return bytes(_encode(self.progress.shown[seat])).decode()

    def observation_string(self, player: int | None = None) -> str:
        """Return what a seat knows, as it is told a bot (SPEC 4.1)."""
        seat = self.current_player() if player is None else player
        return bytes(_encode(self.progress.view(seat))).decode()

    def observation_tensor(self, player: int | None = None) -> list[float]:
        """Return what a seat knows as numbers (`encoding.fields`)."""
        seat = self.current_player() if player is None else player
        return list(map(float, self.progress.game.encoding.observe(self.progress.view(seat))))

    def resample_from_infostate(self, player: int, sampler: Any) -> "DealState":
        """Return a state that the player cannot tell from this one, each deck as likely.

        Args:
            player: the seat.
            sampler: OpenSpiel's: returns a random number from 0 to 1.
        """
        progress = self.progress
        rules, dealer = progress.game.rules, progress.game.dealer
        worlds = Worlds(rules, progress.deck, dealer, progress.acts, player)
        world = next(worlds.draw(BlockKey(event_key(repr(sampler())).hex())))
        other = progress.game.new_initial_state()
        number = progress.game.encoding.number
        for card in world.deck:
            other.apply_action(number[card])
        for action in world.acts:
            other.apply_action(number[action])
        return other

    def __str__(self) -> str:
        return f"{' '.join(self.progress.deck)} / {' '.join(self.progress.acts)}"

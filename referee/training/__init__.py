"""Environments for learning: deals of every game as PettingZoo, Gymnasium and OpenSpiel have them.

What a learner may be shown comes from the view of its seat alone (`encoding`), so what it learns
can be played by a bot unchanged (`bot_folder`). Importing this registers the environments that the
installed libraries have a registry for. Processes and sandboxes are `referee.play` and
`referee.sandbox`; nothing of the referee needs what stands here. Begin with `aec`.
"""

from importlib.util import find_spec
from typing import Final

from referee.games import catalogue

NAMESPACE: Final = "briscola_referee"
"""Of the ids: `briscola_referee/briscola-2-v0` and so on, one for each game of the catalogue."""


def _register() -> None:
    """Tell Gymnasium and PettingZoo the environments, by the names of what makes them."""
    ids = {f"{NAMESPACE}/{game}-v0": {"game": game} for game in catalogue()}
    if find_spec("gymnasium") is not None:
        import gymnasium  # noqa: PLC0415  # an extra

        for id_, given in ids.items():
            gymnasium.register(
                id_,
                entry_point="referee.training.seat_env:SeatEnv",
                kwargs=given,
                disable_env_checker=True,
            )
    if find_spec("pettingzoo") is not None:
        import pettingzoo  # noqa: PLC0415  # an extra

        for id_, given in ids.items():
            pettingzoo.register("aec", id_, "referee.training.aec:env", kwargs=given)


_register()

"""The catalogue: every module here and every installed plug-in that has `VARIANTS`.

Data only, one file a family; how a game is played is `referee.rules`. Begin with `briscola`.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from importlib.metadata import entry_points
from types import MappingProxyType
from typing import Final

from referee.errors import RefereeError
from referee.rules.variants import Variant

PLUG_INS = "briscola_referee.games"
"""The entry-point group for other people's games: each names a tuple of `Variant`."""

_LONGEST_ID: Final = 100


def _all() -> Iterator[Variant]:
    for module in sorted(pkgutil.iter_modules(__path__), key=lambda found: found.name):
        yield from importlib.import_module(f"{__name__}.{module.name}").VARIANTS
    for plug_in in entry_points(group=PLUG_INS):
        yield from plug_in.load()


@cache
def catalogue() -> MappingProxyType[str, Variant]:
    """Every variant by its id."""
    return MappingProxyType({variant.id: variant for variant in _all()})


def find(game: str) -> Variant:
    """The variant with this id.

    Raises:
        RefereeError: there is none; the error lists all.
    """
    try:
        return catalogue()[game]
    except KeyError:
        if len(game) > _LONGEST_ID:
            raise RefereeError(f"no game has an id of {len(game):,} characters") from None
        near = [name for name in catalogue() if name.startswith(game.lower())]
        raise RefereeError(
            f"no game {game!r}; there are {', '.join(near or catalogue())}"
        ) from None

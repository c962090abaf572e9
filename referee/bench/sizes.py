"""How much of everything is measured. Pure."""

from typing import Final

from msgspec import Struct


class Sizes(Struct, frozen=True):
    """How much of everything there is in a round.

    Attributes:
        trips: round trips in C, before each step on one core.
        deals: of the match whose acts are timed.
        starts: of one bot in one sandbox.
        slow_starts: the same in Docker.
        crowd_deals: of a match, when each core plays one.
    """

    trips: int = 10_000
    deals: int = 250
    starts: int = 20
    slow_starts: int = 3
    crowd_deals: int = 600


USUAL: Final = Sizes()
QUICK: Final = Sizes(trips=1000, deals=50, starts=3, slow_starts=1, crowd_deals=100)

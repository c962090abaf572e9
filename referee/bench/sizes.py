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
        plays: deals that the rules play by themselves.
        c_deals, python_deals: of a match, when each core plays one.
        matches: of one deal, for each core.
    """

    trips: int = 10_000
    deals: int = 250
    starts: int = 20
    slow_starts: int = 3
    plays: int = 400
    c_deals: int = 600
    python_deals: int = 300
    matches: int = 30


USUAL: Final = Sizes()
QUICK: Final = Sizes(
    trips=1000,
    deals=50,
    starts=3,
    slow_starts=1,
    plays=20,
    c_deals=100,
    python_deals=50,
    matches=5,
)

"""What a person has played at the tables of a site, as one value for programs."""

from msgspec import Struct


class PlayedJson(Struct, frozen=True):
    """The deals of a person in a game, beside what a bot of ours got with the same cards.

    Attributes:
        pool: the number of the game.
        game: its name.
        deals: how many.
        above_par: the mean of deal value less par's.
        low: where the 95 % interval of the true mean begins, which holds whenever it is looked at.
        high: where it ends.
    """

    pool: int
    game: str
    deals: int
    above_par: float
    low: float
    high: float


class PlayJson(Struct, frozen=True):
    """A person, and what they have played."""

    author: str
    games: tuple[PlayedJson, ...]

"""Ladders that nobody played: so many matches of bots whose strengths are known.

For the tests, and with a million matches for the time that standings take:
`PYTHONPATH=.:tests python -m support.synthetic`.
"""

import resource
import sys
import time
from typing import AnyStr, Final

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from numpy.typing import NDArray

from ladder.core.block_codec import UNKNOWN, Gathering, Results
from ladder.core.facts import Pool
from ladder.standings.pool import Entrant, pool_standings
from ladder.terms import LuckUse
from referee.rules.game import Sides
from support.pools import pool_of
from support.simulations import dice

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

SPREAD: Final = 20.0
"""How far deal values of a block scatter by chance, with and without luck, in their unit."""
FAULTY: Final = 0.002
"""In what part of the blocks a bot faults, if nothing else is said."""


class Blobs(Struct, frozen=True):
    """The matches of a pool as a database holds them; as `block_codec.Gathering` takes them.

    Attributes:
        strengths: what the bots were given, by entrant less one.
    """

    jobs: list[str]
    blocks: list[bytes]
    counts: list[bytes]
    places: int
    acts: list[int]
    wall_us: list[int]
    strengths: Floats

    def results(self) -> Results:
        """As arrays."""
        found = Gathering(self.places)
        found.add(self.jobs, self.blocks, self.counts, self.acts, self.wall_us)
        return found.results()


def blobs(
    bots: int,
    matches: int,
    places: int,
    seed: int,
    *,
    blocks: int = 1,
    lucky: bool = True,
    faulty: float = FAULTY,
) -> Blobs:
    """Matches between anybody, by chance; entrants are 1 to `bots`.

    Args:
        bots: how many entrants there are.
        matches: how many matches.
        places: of a table; with two, one bot's value is the other's loss.
        seed: for the dice.
        blocks: how many blocks a match has.
        lucky: whether luck was counted.
        faulty: in what part of the blocks a bot faults; a quarter of those it did not play.
    """
    roll = dice("ladder", bots, matches, places, seed)
    strengths = roll.normal(0, 1, bots)
    seated = _seated(roll, bots, matches, places)
    of = np.repeat(seated, blocks, axis=0)
    values, luck = _values(roll, strengths[of])
    faults = (roll.random(of.shape) < faulty / places).astype(np.int64)
    unplayed = faults * (roll.random(of.shape) < 1 / 4)
    index = np.tile(np.arange(blocks), matches)[:, None]
    known = np.rint(luck * 1000) if lucky else np.full_like(luck, UNKNOWN)
    used = roll.integers(1_000, 200_000, seated.shape)
    first = np.rint(values / places + roll.normal(0, SPREAD, of.shape))
    fields = (index, values, known, faults, unplayed, first, values - first)
    rows = np.column_stack(fields).astype("<i4")
    in_match = faults.reshape(matches, blocks, places).sum(axis=1)
    tallies = np.stack((seated + 1, used, np.zeros_like(used), in_match), axis=1).astype("<i8")
    return Blobs(
        jobs=_split(roll.bytes(32 * matches).hex(), matches),
        blocks=_split(rows.tobytes(), matches),
        counts=_split(tallies.tobytes(), matches),
        places=places,
        acts=[80 * blocks] * matches,
        wall_us=used.sum(axis=1).tolist(),
        strengths=strengths,
    )


def _seated(roll: np.random.Generator, bots: int, matches: int, places: int) -> Ints:
    """Different bots for each match: drawn from those that are left, matches x places."""
    found = np.zeros((matches, 0), np.int64)
    for place in range(places):
        drawn = roll.integers(0, bots - place, matches)
        for taken in np.sort(found, axis=1).T:
            drawn += drawn >= taken
        found = np.column_stack((found, drawn))
    return found


def _values(roll: np.random.Generator, strengths: Floats) -> tuple[Floats, Floats]:
    """Whole deal values of blocks, and what of them was luck."""
    luck = roll.normal(0, SPREAD, strengths.shape)
    values = SPREAD * strengths + luck + roll.normal(0, SPREAD, strengths.shape)
    if strengths.shape[1] == 2:  # two sides: what one wins the other loses
        values, luck = (
            np.column_stack((one[:, 0], -one[:, 0]))
            for one in (values - values[:, ::-1], luck - luck[:, ::-1])
        )
    return np.rint(values), luck


def _split(text: AnyStr, parts: int) -> list[AnyStr]:
    width = len(text) // max(parts, 1) or 1
    return [text[at : at + width] for at in range(0, len(text), width)]


def pool(places: int, sides: Sides = (), *, luck: LuckUse = LuckUse.SHOWN) -> Pool:
    """A pool of tables of that size; its game need not exist."""
    usual = pool_of()
    return replace(
        usual,
        name=f"tables of {places}",
        terms=replace(usual.terms, game=f"briscola-{places}"),
        seats=places,
        partners=sides,
        places=places,
        seatings=places,
        luck=luck,
    )


def entrants(bots: int) -> list[Entrant]:
    """A version of each bot, all of which play."""
    return [
        Entrant(entrant=at, name=f"bot-{at}", author=f"author-{at}", version=1, active=True)
        for at in range(1, bots + 1)
    ]


def timed(bots: int, matches: int, places: int) -> str:
    """How long standings of so many results take, from the bytes on; in a line."""
    given, who = blobs(bots, matches, places, 1), entrants(bots)
    begun = time.perf_counter(), time.process_time()
    found = given.results()
    read = time.perf_counter() - begun[0]
    table = pool_standings(pool(places), who, found)
    wall, cpu = time.perf_counter() - begun[0], time.process_time() - begun[1]
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return (
        f"{len(table.rows)} bots, {table.blocks:,} blocks at tables of {places}: {wall:.2f} s wall "
        f"({read:.2f} s of it to arrays), {cpu:.2f} s CPU, {most:,.0f} MiB at most"
    )


if __name__ == "__main__":
    for size in map(int, sys.argv[1:] or ("2", "3")):
        print(timed(200, 1_000_000, size))

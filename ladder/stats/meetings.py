"""Whether a bot does better in later meetings of a deck than in the first one. Pure.

A deck is played leg by leg by processes that live for one leg, so who forgets cannot know in the
second what lay where in the first. Which leg is first, and who deals first in it, is drawn with the
decks: by that draw the first leg is as good for a bot as its turns, in which the same bots sit in
the same order. So the difference is 0 on average for a bot that does not
remember, however strong, moody or slow it is; with two at a table it is as likely to be so much
above nought as below.

Where tables share decks, a bot that remembers a whole event knows both legs at every table but its
first one with the deck. So the first leg is compared with the second at first tables alone, and
blocks at later tables with those at the first, each less the bot's mean at that table: then it does
not matter who its opponents are, since each table is the first for some decks.

Luck is not taken off: it is 0 on average for a bot that does not know what will be drawn,
but one that remembers the talon takes the tricks that bring good cards, and most of its gain looks
like luck.

Blocks in which any bot was at fault do not count: faults add up in the life of a process, and the
later legs of a bot that is charged unplayed deals would be its opponent's gain.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
from msgspec import Struct
from scipy.special import stdtrit

from ladder.stats.arrays import Flags, Floats, Ints, distinct
from ladder.stats.observations import Observed
from ladder.stats.student import Means, means

RISK: Final = 0.01
"""Of naming any bot of a table that does not remember."""


class Meetings(Struct, frozen=True):
    """What later meetings brought more than first ones, a deal, by entrant.

    Attributes:
        all: of the two legs, over all blocks.
        first: the same over those in which a bot meets a deck at its first table; None where no
            deck was played at two tables.
        tables: of later tables of a deck and the first; None likewise. Without an error for bots
            with fewer match parts a table than tables, and nan for those with a table alone.
        blocks: how many counted.
        beyond: whether one of the three is above 0 by more than chance explains.
    """

    all: Means
    first: Means | None
    tables: Means | None
    blocks: Ints
    beyond: Flags


class _Rows(Struct, frozen=True):
    """A row for each place of each block that counts.

    Attributes:
        met: a number for the bot and the deck.
        first: whether it is the bot's first table with the deck, as matches were begun.
        gain: what the later legs of the block brought more than the first, a deal.
        value: the bot's deal value, a deal.
    """

    bot: Ints
    deck: Ints
    life: Ints
    table: Ints
    met: Ints
    first: Flags
    gain: Floats
    value: Floats


def meetings(seen: Sequence[Observed], entrants: int) -> Meetings:
    """Compare later meetings with first ones.

    Args:
        seen: the blocks; of those that were begun in the same step of a round, the first table's
            come first.
        entrants: how many there are.
    """
    shared = sum(len(distinct(part.block)) for part in seen) < sum(len(part.block) for part in seen)
    rows = _rows(seen, entrants)
    lives = (rows.life, rows.deck) if shared else (rows.life,)
    found = [means(rows.gain, rows.bot, entrants, lives)]
    if shared:
        at = rows.first
        found.append(means(rows.gain[at], rows.bot[at], entrants, (rows.life[at],)))
        found.append(_tables(rows, entrants))
    blocks = np.bincount(rows.bot, minlength=entrants)
    risk = RISK / max(int((blocks > 0).sum()), 1) / len(found)
    beyond = np.logical_or.reduce([_beyond(one, risk) for one in found])
    first, tables = found[1:] if shared else (None, None)
    return Meetings(found[0], first, tables, blocks, beyond)


def _tables(rows: _Rows, entrants: int) -> Means:
    """Compare what bots have at later tables of a deck with the first.

    Means at tables are estimated from the same parts, which costs a degree of freedom for each.
    """
    known, at = np.unique(rows.table * entrants + rows.bot, return_inverse=True)
    rest = rows.value - (np.bincount(at, rows.value) / np.bincount(at))[at]
    most = int(rows.met.max(initial=-1)) + 1
    again = np.bincount(rows.met[~rows.first], minlength=most)
    later = np.bincount(rows.met[~rows.first], rest[~rows.first], most) / np.maximum(again, 1)
    begun = np.flatnonzero(rows.first & (again[rows.met] > 0))
    found = means(
        later[rows.met[begun]] - rest[begun], rows.bot[begun], entrants, (rows.life[begun],)
    )
    free = found.free + 1 - np.bincount(known % entrants, minlength=entrants)
    with np.errstate(invalid="ignore", divide="ignore"):
        error = np.where(free > 0, found.error * np.sqrt(found.free / free), np.nan)
    return Means(found.value, error, np.maximum(free, 0))


def _rows(seen: Sequence[Observed], entrants: int) -> _Rows:
    """Return what counts."""
    numbers: list[list[Ints]] = []
    figures: list[list[Floats]] = []
    lives = tables = 0
    for part in seen:
        places = part.bots.shape[1]
        counts = part.known & ~np.logical_or.reduce(part.at_fault, axis=1)
        each = (part.block, part.life + lives, part.lineup + tables, part.begun, counts)
        numbers.append([part.bots.ravel(), *(np.repeat(one, places) for one in each)])
        gain = part.met[:, 1] / (places - 1) - part.met[:, 0]
        figures.append([gain.ravel(), part.means.ravel()])
        lives += int(part.life.max(initial=-1)) + 1
        tables += int(part.lineup.max(initial=-1)) + 1
    none = np.zeros(0, np.int64)
    bot, deck, life, table, begun, counts = (
        np.concatenate([none, *(rows[at] for rows in numbers)]) for at in range(6)
    )
    gain, value = (np.concatenate([none, *(rows[at] for rows in figures)]) for at in range(2))
    met = np.unique(deck, return_inverse=True)[1] * entrants + bot
    order = np.argsort(begun, kind="stable")
    first = np.zeros(len(bot), np.bool_)
    first[order[np.unique(met[order], return_index=True)[1]]] = True
    of = np.flatnonzero(counts)
    return _Rows(bot[of], deck[of], life[of], table[of], met[of], first[of], gain[of], value[of])


def _beyond(found: Means, risk: float) -> Flags:
    """Whether means are above 0 beyond chance, each at that risk.

    Of few lives no mean is: chance alone would have them all above 0 with a probability of one half
    to the power of their number, and values that are all alike have no error.
    """
    enough = (found.free + 1) * np.log(2) >= -np.log(risk)
    with np.errstate(invalid="ignore"):
        limit = stdtrit(np.maximum(found.free, 1), 1 - risk) * found.error
        above: Flags = np.where(enough, found.value > limit, False) & (found.value > 0)
    return above

"""The choice of the next table of a ladder. Pure.

A table is chosen by this rule:

1. **The pool**: the one to which most is due, that is the number of tables of the ladder since its
   own last one, times its authors, divided by the places of a table and the blocks of a match.
2. **Whose turn it is**: an author is ahead by the places it has had at the pool's last tables, less
   an equal share of them since it first sat there (`ladder.core.candidates.places_ahead`). The turn
   is that of the author that is least ahead, and of its bots that of the one whose last table is
   longest ago. All bots of an author, and all versions of a bot, have one turn together.
3. **The first bot**: at seven tables of ten a new one, that is a version with fewer than 20 blocks
   whose author is less than 20 places ahead, if there is one; of several the one whose turn is
   next. Else the one whose turn is next, new or not. So a new bot is soon known; the places are
   lent to its author, which waits for its next turn so much longer.
4. **The others**, place by place: of each author the bot whose turn is next, and of these the three
   quarters whose turn is next. One is drawn in proportion to the cube of p (1 - p), where p is the
   chance that the first bot is ahead of it in a block, by the online ratings; p (1 - p) is what the
   block tells of their strengths. So neighbours meet more often, and a new bot soon meets its own.
   However far a bot is apart, it is drawn with a fiftieth of the weight of an equal.

In 2 to 4 the least busy authors count only, as long as they are more than a table has places: an
author is busy by its matches under way, and by all that have ended since these were chosen. So a
bot that uses all of its clock holds one match at a time, and the others go on.

So no author has more than its share of the last tables and some 20 places, whatever it hands in,
and three tables of ten at least, and all places but the first of the others, go by turns.

Two bots of one author never sit at one table, unless either has declared the other its partner and
both are on one side. Where there are fewer authors than places, those whose turn is next sit as far
as that lets them. Dice are derived from a seed, as SPEC 8 derives all chance; they decide where
turns are equal, who has which seat, and 3 and 4.
"""

import hashlib
from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from ladder.core.table_rules import Candidate, Candidates, Lineups, shuffled
from ladder.stats.online_ratings import chance_ahead
from referee.match.chance import BlockKey, below, words

__all__ = ["NEW_BLOCKS", "RULE", "Candidate", "Candidates", "TableDraw", "next_table", "why_none"]

RULE: Final = 1
"""The number of this rule: any change of it, or of what a table is chosen by, has another.

So tables of an older rule are not taken for tables of choice (`ladder.audit.drawn_tables`).
"""

NEW_BLOCKS: Final = 20
"""A version is new until it has played so many blocks."""
_LENT: Final = 20
"""A new bot whose author is so many places ahead waits for its turn."""
_NEW_TABLES: Final = (7, 10)
"""So many tables of so many are for new bots, if there are any."""
_LEAST: Final = 0.02
"""What a block is worth at least: no two bots of a field are strangers to each other for ever."""
_SHARPNESS: Final = 3
"""With 1 a new bot meets any opponents; with 3 rankings have most pairs right."""


class TableDraw(Struct, frozen=True):
    """Who is to play: entrants in the order in which they hold seats or sides."""

    pool: int
    entrants: tuple[int, ...]


def next_table(fields: Sequence[Candidates], seed: bytes) -> TableDraw | None:
    """The table to play next, or None where no pool can seat one.

    It follows from the fields, in whatever order they and their candidates are, and from the seed.

    Args:
        fields: the pools that play, each once.
        seed: what the dice are derived from; another one for each table.
    """
    dice = _Dice(seed)
    for field in sorted(fields, key=_due, reverse=True):
        lineups = Lineups(_without_busy(field))
        by_turn = sorted(shuffled(lineups.candidates, dice.below), key=lambda one: one.turn)
        ranked = _new_first(by_turn, dice)
        seated = (
            _drawn(lineups, ranked[0], by_turn, dice)
            if lineups.easy
            else lineups.table(ranked, dice.below)
        )
        if seated is not None:
            return TableDraw(field.pool, tuple(one.entrant for one in seated))
    return None


def why_none(fields: Sequence[Candidates]) -> str:
    """Why `next_table` finds no table, pool by pool, in words; "" if it finds one."""
    reasons = []
    for field in sorted(fields, key=lambda one: one.pool):
        name = field.name or f"pool {field.pool}"
        if field.paused is not None:
            reasons.append(f"{name} is paused" + (f" ({field.paused})" if field.paused else ""))
            continue
        lineups = Lineups(field)
        if lineups.easy or lineups.table(lineups.candidates, _as_it_is) is not None:
            return ""
        bots = len({one.bot for one in field.candidates})
        reason = f"{name}: a table has {field.places} places, and "
        if bots < field.places:
            reason += f"{bots or 'no'} {'bot plays' if bots == 1 else 'bots play'}"
        else:
            authors = "one author" if lineups.authors == 1 else f"{lineups.authors} authors"
            reason += f"the {bots} bots that play are of {authors}; those of one author meet only "
            reason += "as declared partners on one side"
        reasons.append(reason)
    return "; ".join(reasons) or "there is no pool"


class _Dice:
    """Chance that follows from a seed."""

    def __init__(self, seed: bytes) -> None:
        self._numbers = words(BlockKey(hashlib.sha256(seed).hexdigest()), "table")

    def below(self, limit: int) -> int:
        """A number from 0 to limit - 1, each as likely."""
        return below(limit, self._numbers)

    def weighted(self, weights: Sequence[float]) -> int:
        """An index in proportion to the weights, one of which is positive at least."""
        left = (next(self._numbers) + 0.5) / 2**32 * sum(weights)
        last = 0
        for at, weight in enumerate(weights):
            if weight > 0:
                left -= weight
                last = at
                if left < 0:
                    break
        return last


def _due(field: Candidates) -> tuple[float, int]:
    """Return what orders pools: how much is due to one, and its number."""
    authors = len({one.author for one in field.candidates})
    return field.since * authors / (field.places * field.blocks), -field.pool


def _without_busy(field: Candidates) -> Candidates:
    """Return the field without the busiest authors, if there is a choice of others.

    With no more authors than places, those who come free would meet again and again.
    """
    busy = sorted({one.author: one.busy for one in field.candidates}.values())
    if len(busy) <= field.places or busy[field.places] == busy[-1]:
        return field
    least = busy[field.places]
    return replace(field, candidates=tuple(one for one in field.candidates if one.busy <= least))


def _new_first(by_turn: list[Candidate], dice: _Dice) -> list[Candidate]:
    """Return the candidates in their order; at most tables the new ones before the others."""
    wanted, tables = _NEW_TABLES
    if dice.below(tables) >= wanted:
        return by_turn
    return sorted(by_turn, key=lambda one: one.blocks >= NEW_BLOCKS or one.ahead >= _LENT)


def _drawn(
    lineups: Lineups, first: Candidate, by_turn: Sequence[Candidate], dice: _Dice
) -> list[Candidate]:
    """Return a table by place, where there are so many authors that there always is one.

    Args:
        lineups: who may sit together.
        first: the bot that the table is for.
        by_turn: the candidates, the one first whose turn is next.
        dice: draw the others and the seats.
    """
    seated: list[Candidate | None] = [None] * lineups.places
    place, *others = shuffled(range(lineups.places), dice.below)
    seated[place] = first
    for place in others:
        next_of: dict[str, Candidate] = {}
        for one in lineups.fitting(by_turn, seated, place):
            next_of.setdefault(one.author, one)
        due = list(next_of.values())[: -(-3 * len(next_of) // 4)]
        seated[place] = due[dice.weighted([_worth(first, one) for one in due])]
    return [one for one in seated if one is not None]


def _worth(one: Candidate, other: Candidate) -> float:
    """Return how much a block of two bots is wanted: 1 at most, where they are as strong."""
    chance = chance_ahead(one.skill, other.skill)
    return max((4 * chance * (1 - chance)) ** _SHARPNESS, _LEAST)


def _as_it_is(limit: int) -> int:
    """Dice that leave everything where it is."""
    return limit - 1

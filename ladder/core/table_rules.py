"""Which bots may sit at one table of a ladder, and where. Pure.

Bots of one author meet only as partners on one side, if either has declared the other. So where
there are as many authors as places, with any of them first, the table can be filled; `Lineups`
finds out whether it can where there are fewer.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product
from typing import TypeVar

from msgspec import Struct

from ladder.stats.online_ratings import Skill
from referee.rules.game import Sides

Below = Callable[[int], int]
"""Dice: a number from 0 to its argument - 1, each as likely."""

_T = TypeVar("_T")


class Candidate(Struct, frozen=True):
    """A version of a bot that plays in a pool.

    Attributes:
        entrant: the number of the version.
        bot: the number of the bot.
        author: whose it is.
        partners: bots that its author declared to be its partners.
        skill: in this pool.
        blocks: how many it has played in this pool, or is playing.
        ahead: by how many places its author has had more than its share of the pool's last tables.
        last: the how-manieth of these was the last of this bot, in any version; 0: none was.
        busy: how many matches its author has under way, in all pools, each with how many have ended
            since it was chosen: more for one that takes long.
    """

    entrant: int
    bot: int
    author: str
    partners: tuple[int, ...]
    skill: Skill
    blocks: int
    ahead: float
    last: int
    busy: int = 0

    @property
    def turn(self) -> tuple[float, int]:
        """What orders candidates by whose turn is next: by authors, then by an author's bots."""
        return self.ahead, self.last


class Candidates(Struct, frozen=True):
    """A pool and who plays in it.

    Attributes:
        pool: its number.
        places: how many bots sit at a table.
        sides: the places that score together, equally many a side; empty where each bot scores
            for itself.
        candidates: each version once.
        name: what people call the pool; "" for its number.
        blocks: how many a match has.
        since: the last table of the pool was so many tables of the ladder ago, counted from 1.
        paused: why no table is chosen, in words; then there are no candidates. None if one is.
    """

    pool: int
    places: int
    sides: Sides
    candidates: tuple[Candidate, ...]
    name: str = ""
    blocks: int = 1
    since: int = 1
    paused: str | None = None


class Lineups:
    """The tables that a field may play."""

    def __init__(self, field: Candidates) -> None:
        """Sees who is whose partner."""
        self.places = field.places
        self.candidates = sorted(field.candidates, key=lambda one: one.entrant)
        self._authors = sorted({one.author for one in self.candidates})
        self._sides = field.sides or tuple((place,) for place in range(field.places))
        self._size = len(self._sides[0])
        self._side = {place: at for at, side in enumerate(self._sides) for place in side}
        self._partners = _partners(self.candidates) if field.sides else {}

    @property
    def authors(self) -> int:
        """How many authors have bots here."""
        return len(self._authors)

    @property
    def easy(self) -> bool:
        """Whether every table that was begun can be filled: there are enough authors."""
        return self.authors >= self.places

    def fitting(
        self, candidates: Iterable[Candidate], seated: Sequence[Candidate | None], place: int
    ) -> Iterator[Candidate]:
        """Yield those who may take a place with the bots that are seated, in their order.

        Args:
            candidates: of whom it is asked.
            seated: by place; None where a place is free.
            place: a free one.
        """
        by_author: dict[str, list[tuple[Candidate, int]]] = {}
        for at, other in enumerate(seated):
            if other is not None:
                by_author.setdefault(other.author, []).append((other, self._side[at]))
        side = self._side[place]
        for one in candidates:
            others = by_author.get(one.author)
            if others is None or all(
                where == side and other.entrant in self._partners.get(one.entrant, ())
                for other, where in others
            ):
                yield one

    def table(self, ranked: Sequence[Candidate], below: Below) -> list[Candidate] | None:
        """Return the table of the first bot of a ranking that can have one; None if none can.

        It is found even if there are few authors, whose partners have to fill the sides.

        Args:
            ranked: the candidates, the most wanted first.
            below: dice, which decide who has which seat.
        """
        authors = list(dict.fromkeys(one.author for one in ranked))
        own = {author: [one for one in ranked if one.author == author] for author in authors}
        groups = {author: self._group(own[author], []) for author in authors}
        if self._spread(list(groups.values())) is None:
            return None
        for first in ranked:
            others = [groups[author] for author in authors if author != first.author]
            found = self._spread([self._group(own[first.author], [first]), *others])
            if found is not None:
                return self._placed(found, below)
        raise AssertionError  # there is a table, so one bot is first at it

    def _group(self, others: list[Candidate], begun: list[Candidate]) -> list[Candidate]:
        """As many bots of an author as may share a side; no more than it has places.

        Args:
            others: who may join, the most wanted first.
            begun: who is one of them already.
        """
        if begun:
            partners = self._partners.get(begun[-1].entrant, ())
            others = [one for one in others if one.entrant in partners]
        best = begun
        for at, one in enumerate(others):
            if len(best) == self._size or len(begun) + len(others) - at <= len(best):
                break
            found = self._group(others[at + 1 :], [*begun, one])
            best = found if len(found) > len(best) else best
        return best

    def _spread(self, groups: list[list[Candidate]]) -> list[list[Candidate]] | None:
        """Authors to sides, so that each is full; the bots of an author are all on one side.

        The first of the first group is at the table.
        """
        if sum(map(len, groups)) < self.places:
            return None
        for chosen in product(range(len(self._sides)), repeat=len(groups)):
            sides: list[list[Candidate]] = [[] for _ in self._sides]
            for side, group in zip(chosen, groups, strict=True):
                sides[side].extend(group)
            if all(len(side) >= self._size for side in sides):
                return [side[: self._size] for side in sides]
        return None

    def _placed(self, found: list[list[Candidate]], below: Below) -> list[Candidate]:
        """The bots of each side to seats, by place."""
        seats: dict[int, Candidate] = {}
        for side, bots in zip(self._sides, shuffled(found, below), strict=True):
            seats.update(zip(side, shuffled(bots, below), strict=True))
        return [seats[place] for place in range(self.places)]


def shuffled(things: Iterable[_T], below: Below) -> list[_T]:
    """All of them in any order: Fisher-Yates from the last one down."""
    found = list(things)
    for last in range(len(found) - 1, 0, -1):
        other = below(last + 1)
        found[last], found[other] = found[other], found[last]
    return found


def _partners(candidates: Sequence[Candidate]) -> dict[int, set[int]]:
    """By entrant, those of the same author with which it may share a side."""
    versions: dict[int, list[Candidate]] = {}
    for one in candidates:
        versions.setdefault(one.bot, []).append(one)
    found: dict[int, set[int]] = {}
    for one in candidates:
        for bot in set(one.partners) - {one.bot}:
            for other in versions.get(bot, ()):
                if other.author == one.author:
                    found.setdefault(one.entrant, set()).add(other.entrant)
                    found.setdefault(other.entrant, set()).add(one.entrant)
    return found

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
        """Return a table by place, where few authors may have to fill it; None if there is none.

        The bots of the ranking take places in turn; one is passed over with which the bots that
        have places could not be joined by others to a table.

        Args:
            ranked: the candidates, the most wanted first.
            below: dice, which decide who has which seat.
        """
        own = {author: [one for one in ranked if one.author == author] for author in self._authors}
        groups = {author: _Group((), self._most(own[author], ())) for author in self._authors}
        found = self._sides_of(groups)
        if found is None:
            return None
        for one in ranked:
            if sum(len(group.seated) for group in groups.values()) == self.places:
                break
            begun = groups[one.author].seated
            if self._may_join(one, begun):
                seated = (*begun, one)
                group = _Group(seated, self._most(own[one.author], seated))
                sides = self._sides_of({**groups, one.author: group})
                if sides is not None:
                    groups[one.author], found = group, sides
        return self._placed(groups, found, below)

    def _may_join(self, one: Candidate, begun: Sequence[Candidate]) -> bool:
        """Whether a bot may share a side with others of its author."""
        partners = self._partners.get(one.entrant, ())
        return all(other.entrant in partners for other in begun)

    def _most(self, own: Sequence[Candidate], begun: tuple[Candidate, ...]) -> int:
        """How many bots of an author may share a side, some of which do; at most its places."""
        left = [one for one in own if self._may_join(one, begun)]
        most = len(begun)
        for at, one in enumerate(left):
            if most == self._size or len(begun) + len(left) - at <= most:
                break
            most = max(most, self._most(left[at + 1 :], (*begun, one)))
        return most

    def _sides_of(self, groups: dict[str, "_Group"]) -> dict[str, int] | None:
        """Return by author the side on which its bots are, so that all are filled; None if none."""
        for chosen in product(range(len(self._sides)), repeat=len(groups)):
            seated, most = [0] * len(self._sides), [0] * len(self._sides)
            for side, group in zip(chosen, groups.values(), strict=True):
                seated[side] += len(group.seated)
                most[side] += group.most
            if max(seated) <= self._size <= min(most):
                return dict(zip(groups, chosen, strict=True))
        return None

    def _placed(
        self, groups: dict[str, "_Group"], sides: dict[str, int], below: Below
    ) -> list[Candidate]:
        """The bots of each side to seats, by place."""
        found: list[list[Candidate]] = [[] for _ in self._sides]
        for author, group in groups.items():
            found[sides[author]].extend(group.seated)
        seats: dict[int, Candidate] = {}
        for places, bots in zip(self._sides, shuffled(found, below), strict=True):
            seats.update(zip(places, shuffled(bots, below), strict=True))
        return [seats[place] for place in range(self.places)]


class _Group(Struct, frozen=True):
    """The bots of one author at a table that is being made.

    Attributes:
        seated: who has a place, all on one side.
        most: how many could have one, with these.
    """

    seated: tuple[Candidate, ...]
    most: int


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

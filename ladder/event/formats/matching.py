"""Pairs for everybody, of those that may be paired. Pure.

Edmonds' algorithm with the bookkeeping of Gabow: a search from somebody without a partner for a
path along which partners are exchanged, odd rings shrunk to a point on the way. A search takes at
most in the order of n^3 steps, and there is at most one for each pair that is asked for.
"""

from collections.abc import Iterator, Sequence

_NOBODY = -1


class Matching:
    """Perfect matchings of a graph: first any, then step by step the one that is wanted."""

    def __init__(self, friends: Sequence[Sequence[int]]) -> None:
        """Looks for partners for all.

        Args:
            friends: by number, who may be paired with it; if a with b, then b with a.
        """
        self._friends = friends
        self._settled: set[int] = set()
        self._mate = [_NOBODY] * len(friends)
        for one, others in enumerate(friends):
            free = (other for other in others if self._mate[other] == _NOBODY)
            if self._mate[one] == _NOBODY and (other := next(free, None)) is not None:
                self._mate[one], self._mate[other] = other, one
        alone = [one for one, mate in enumerate(self._mate) if mate == _NOBODY]
        self.perfect = all(self._mate[one] != _NOBODY or self._extend(one) for one in alone)
        """Whether everybody has a partner."""

    def settle(self, one: int, other: int) -> bool:
        """Pairs two for good, if all the others can still be paired; returns whether it did."""
        if other not in self._friends[one] or {one, other} & self._settled:
            return False
        before, left, right = self._mate[:], self._mate[one], self._mate[other]
        self._settled |= {one, other}
        if left == other:
            return True
        self._mate[one], self._mate[other] = other, one
        self._mate[left] = self._mate[right] = _NOBODY
        if self._extend(left):
            return True
        self._mate = before
        self._settled -= {one, other}
        return False

    def _extend(self, root: int) -> bool:
        """Finds a partner for `root`; those who are settled keep theirs."""
        search = _Search(self._friends, self._mate, self._settled, root)
        end = search.end()
        if end is None:
            return False
        for one, other in list(search.path(end)):
            self._mate[one], self._mate[other] = other, one
        return True


class _Search:
    """A tree of paths along which partners can be exchanged, from one without a partner."""

    def __init__(
        self, friends: Sequence[Sequence[int]], mate: Sequence[int], settled: set[int], root: int
    ) -> None:
        self._friends, self._mate, self._root = friends, mate, root
        self._before = [_NOBODY] * len(friends)
        """Whom the path comes from, for those reached as somebody's new partner."""
        self._base = list(range(len(friends)))
        """The ring that one has been shrunk into; itself if none."""
        self._shut = [one in settled for one in range(len(friends))]
        self._queue = [root]
        self._queued = {root}

    def end(self) -> int | None:
        """Somebody else without a partner, to whom a path leads."""
        for one in self._queue:  # it grows on the way
            for other in self._friends[one]:
                if self._shut[other] or self._base[one] == self._base[other]:
                    continue
                mate = self._mate[other]
                if other == self._root or (mate != _NOBODY and self._before[mate] != _NOBODY):
                    self._shrink(one, other)
                elif self._before[other] == _NOBODY:
                    self._before[other] = one
                    if mate == _NOBODY:
                        return other
                    self._enqueue(mate)
        return None

    def path(self, end: int) -> Iterator[tuple[int, int]]:
        """The new pairs of a path, from its end to the root."""
        at = end
        while at != _NOBODY:
            one = self._before[at]
            following = self._mate[one]
            yield one, at
            at = following

    def _enqueue(self, one: int) -> None:
        if one not in self._queued:
            self._queued.add(one)
            self._queue.append(one)

    def _shrink(self, one: int, other: int) -> None:
        top = self._meeting(one, other)
        inside: set[int] = set()
        self._climb(one, top, other, inside)
        self._climb(other, top, one, inside)
        for at, base in enumerate(self._base):
            if base in inside:
                self._base[at] = top
                self._enqueue(at)

    def _climb(self, at: int, top: int, child: int, inside: set[int]) -> None:
        """Makes one half of a ring passable in the other direction as well."""
        while self._base[at] != top:
            mate = self._mate[at]
            inside |= {self._base[at], self._base[mate]}
            self._before[at] = child
            child, at = mate, self._before[mate]

    def _meeting(self, one: int, other: int) -> int:
        """Where the ways of two back to the root meet."""
        passed, at = set(), self._base[one]
        while True:
            passed.add(at)
            if self._mate[at] == _NOBODY:
                break
            at = self._base[self._before[self._mate[at]]]
        at = self._base[other]
        while at not in passed:
            at = self._base[self._before[self._mate[at]]]
        return at

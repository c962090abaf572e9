"""Chooses the copies that have to go."""

from collections.abc import Iterable

from msgspec import Struct

from referee.bots.settings import CopyLimits


class Copy(Struct, frozen=True):
    """A copy in a store, as it was found.

    Attributes:
        name: of its folder.
        size: bytes.
        files: files, links and folders in it.
        used_at: seconds since 1970, when it was used last.
        in_use: whether a process that lives uses it.
        unfinished: whether it is what a process that is gone has left half made.
    """

    name: str
    size: int
    files: int
    used_at: float
    in_use: bool = False
    unfinished: bool = False


def over(copies: Iterable[Copy], limits: CopyLimits) -> list[Copy]:
    """Choose the copies that have to go for a store to keep its limits.

    Args:
        copies: all of a store, the oldest use first.
        limits: of the store.

    Returns:
        Copies not in use, the oldest use first; what is unfinished goes in any case.
    """
    finished = [copy for copy in copies if not copy.unfinished]
    size, number = sum(copy.size for copy in finished), len(finished)
    chosen = [copy for copy in copies if copy.unfinished]
    for copy in finished:
        if size <= limits.size << 20 and number <= limits.number:
            break
        if not copy.in_use:
            chosen.append(copy)
            size, number = size - copy.size, number - 1
    return chosen


def unused_since(copies: Iterable[Copy], before: float) -> list[Copy]:
    """Choose the copies not in use that were used last at this moment, or before it.

    Args:
        copies: all of a store.
        before: seconds since 1970.

    Returns:
        Those copies in their order; what is unfinished goes in any case.
    """
    return [
        copy for copy in copies if copy.unfinished or (not copy.in_use and copy.used_at <= before)
    ]

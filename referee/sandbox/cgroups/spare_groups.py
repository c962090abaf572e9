"""Groups without processes, which take up numbers that the kernel would give to a bot's group.

Of a page of a file that it drops the kernel remembers for which memory group it did, by its number,
and how old that group was. A process that reads the page again, of a group with that number, has it
kept among those in frequent use; what such a bot then wants of memory drops the others, and a third
read tells it which were which: bits of an earlier life (`workingset` in the kernel's sources). A
group gets the lowest number that is free, so a bot's next life had that of the one before.

They are no part of the run's own group, which has a number, too: what is read in it makes it older.
"""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from random import SystemRandom
from threading import Lock
from typing import Final

from referee.sandbox.cgroups.hierarchy import Hierarchies, Kind, delegate
from referee.sandbox.janitor import SPARE

_SHIFT: Final = 128
"""A run begins with fewer numbers taken than that, how many is chance: so a life in another run has
the number of a life in this one in one case of so many."""

_MIXED: Final = 3
"""So many are taken before a bot starts, the lowest that are free: more than a bot had that has
ended. A group costs 0.1 milliseconds."""

_MOST: Final = 256
"""When there are more, half of them are let go, and which ones is chance. Each takes 16 KiB."""


class SpareGroups:
    """Those of one run, which go with all its other groups."""

    def __init__(self, hierarchies: Hierarchies, run: str) -> None:
        """Take numbers.

        Args:
            hierarchies: where.
            run: the run's name.
        """
        root = hierarchies.v1["memory"] if hierarchies.v1 else hierarchies.v2 or ""
        self._above = Path(root, SPARE, run)
        self._random = SystemRandom()
        self._names: list[str] = []
        self._lock = Lock()
        with suppress(OSError):
            for folder in (self._above.parent, self._above):
                folder.mkdir(exist_ok=True)
                if hierarchies.kind is Kind.V2:
                    delegate(folder)
        self._take(self._random.randrange(_SHIFT))

    def mix(self) -> None:
        """Take numbers, before a group is made for a bot."""
        with self._lock:
            self._take(_MIXED)
            if len(self._names) > _MOST:
                self._let_go(len(self._names) // 2)

    def _take(self, count: int) -> None:
        for _ in range(count):
            name = f"spare-{secrets.token_hex(8)}"
            with suppress(OSError):  # the machine has no more of them, for bots either
                os.mkdir(self._above / name)
                self._names.append(name)

    def _let_go(self, count: int) -> None:
        self._random.shuffle(self._names)
        gone, self._names = self._names[:count], self._names[count:]
        for name in gone:
            with suppress(OSError):
                os.rmdir(self._above / name)

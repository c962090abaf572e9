"""The tables of a site at which people play, or bots far away, and how many there are."""

import math
import traceback
from collections.abc import Callable, Collection
from typing import Final, Generic, Protocol, TypeVar

import trio

from ladder.web.content import EnoughForNow, Missing
from ladder.web.rate_limit import Rate, RateLimit
from referee.errors import HostError, RefereeError
from referee.text import printable

KEPT_S: Final = 60 * 60.0
"""So long a table that is over can be looked at."""

KEPT_OF_ONE: Final = 3
"""So many of an author can, the last ones."""

SITTING: Final = Rate(burst=10, a_second=1 / 60)
"""How often an author sits down: each time a process begins, and a use of the token is noted."""


NO_SUCH: Final = "There is no such table of yours, or not any more."


class Seated(Protocol):
    """A match at a table; for what is here see `Table`."""

    id: str
    author: str
    ended_at: float

    def has(self, author: str) -> bool:
        """Whether an author plays at it."""

    @property
    def is_over(self) -> bool:
        """Whether it is over for those who play; `ended_at` says when its process has ended."""

    async def play(self) -> str:
        """Play it to its end."""


T = TypeVar("T", bound=Seated)


class Tables(Generic[T]):
    """All tables of a kind that a site has."""

    def __init__(self, most: int, trouble: Callable[[str], None], rate: Rate = SITTING) -> None:
        """Begin without any table.

        Args:
            most: how many are played at at a time.
            trouble: is told what the organiser should know.
            rate: how often an author begins.
        """
        self._most, self._trouble = most, trouble
        self._sitting = RateLimit(rate)
        self._all: dict[str, T] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Let people play, until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            await trio.sleep_forever()

    def of(self, author: str) -> T | None:
        """Return the table at which an author plays, if at any."""
        return next((one for one in self.all() if one.has(author) and not one.is_over), None)

    def all(self) -> Collection[T]:
        """Return all tables, those that are over and can be looked at included."""
        return self._all.values()

    def find(self, table: str) -> T:
        """Return a table by its id.

        Raises:
            Missing: there is none such, or not any more.
        """
        found = self._all.get(table)
        if found is None:
            raise Missing(NO_SUCH)
        return found

    def open(self, table: T) -> T:
        """Let the author of a table play at it.

        Raises:
            EnoughForNow: no table is free, or the author has sat down too often of late.
        """
        now, author = trio.current_time(), table.author
        self._forget_old(author, now)
        if self.of(author) is not None:
            raise EnoughForNow("You play already.")
        playing = sum(math.isinf(one.ended_at) for one in self._all.values())
        if playing >= self._most or self._nursery is None:
            raise EnoughForNow("All tables are taken; come again in a few minutes.")
        if self._sitting.take(author, now):
            raise EnoughForNow("You have sat down too often of late; come again in a minute.")
        self._all[table.id] = table
        self._nursery.start_soon(self._play, table)
        return table

    def _forget_old(self, author: str, now: float) -> None:
        over = [one for one in self.all() if one.author == author and math.isfinite(one.ended_at)]
        over.sort(key=lambda one: one.ended_at)
        gone = {one.id for one in over[:-KEPT_OF_ONE]}
        gone |= {one.id for one in self.all() if now >= one.ended_at + KEPT_S}
        self._all = {key: one for key, one in self._all.items() if key not in gone}

    async def _play(self, table: T) -> None:
        try:
            wrong = await table.play()
        except (HostError, RefereeError) as error:
            wrong = str(error)
        except Exception:  # a mistake of ours costs one table, not the site
            wrong = traceback.format_exc()
        if wrong:
            self._trouble(printable(f"the table of {table.author}: {wrong}", keep="\n"))

"""The tables of a site at which people play, and how many there are."""

import traceback
from collections.abc import Callable
from typing import Final

import trio

from ladder.web.content import EnoughForNow, Missing
from ladder.web.rate_limit import Rate, RateLimit
from ladder.web.table import Table
from ladder.web.table_process import TableOrder
from referee.errors import HostError
from referee.text import printable

KEPT_S: Final = 60 * 60.0
"""So long a table that is over can be looked at, by who sits at no other one since."""

SITTING: Final = Rate(burst=10, a_second=1 / 60)
"""How often an author sits down: each time a process begins, and a use of the token is noted."""


class Tables:
    """All tables of a site."""

    def __init__(self, most: int, trouble: Callable[[str], None]) -> None:
        """Begin without any table.

        Args:
            most: at how many tables people play at a time.
            trouble: is told what the organiser should know.
        """
        self._most, self._trouble = most, trouble
        self._sitting = RateLimit(SITTING)
        self._all: dict[str, Table] = {}
        self._nursery: trio.Nursery | None = None

    async def run(self) -> None:
        """Let people play, until cancelled."""
        async with trio.open_nursery() as nursery:
            self._nursery = nursery
            await trio.sleep_forever()

    def of(self, author: str) -> Table | None:
        """Return the table at which an author plays, if at any."""
        mine = (one for one in self._all.values() if one.author == author and not one.seen.over)
        return next(mine, None)

    def find(self, author: str, table: str) -> Table:
        """Return a table of an author.

        Raises:
            Missing: there is none such, or not any more.
        """
        found = self._all.get(table)
        if found is None or found.author != author:
            raise Missing("There is no such table of yours, or not any more.")
        return found

    def open(self, author: str, order: TableOrder) -> Table:
        """Let an author play.

        Raises:
            EnoughForNow: no table is free, or the author has sat down too often of late.
        """
        now = trio.current_time()
        self._all = {
            key: one
            for key, one in self._all.items()
            if not one.seen.over or (one.author != author and now < one.ended_at + KEPT_S)
        }
        playing = sum(not one.seen.over for one in self._all.values())
        if playing >= self._most or self._nursery is None:
            raise EnoughForNow("All tables are taken; come again in a few minutes.")
        if self._sitting.take(author, now):
            raise EnoughForNow("You have sat down too often of late; come again in a minute.")
        table = Table(author, order)
        self._all[table.id] = table
        self._nursery.start_soon(self._play, table)
        return table

    async def _play(self, table: Table) -> None:
        try:
            wrong = await table.play()
        except HostError as error:
            wrong = str(error)
        except Exception:  # a mistake of ours costs one table, not the site
            wrong = traceback.format_exc()
        if wrong:
            self._trouble(printable(f"the table of {table.author}: {wrong}", keep="\n"))

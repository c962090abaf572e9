"""The next draw of a sealed ladder, whose key only the organiser's database can make."""

from typing import Final

from sqlalchemy import Connection, select, update

from ladder.core.epochs import NextDraw, draw_key
from ladder.core.facts import DrawName
from ladder.core.roster import Roster
from ladder.store import chain
from ladder.store.tables import EpochRow, table_of

_TABLE: Final = table_of(EpochRow)


def next_draw(connection: Connection, roster: Roster) -> NextDraw | None:
    """Return what the next match is drawn by; None where no epoch is under way, or its secret lost.

    Args:
        connection: reads.
        roster: who there is.
    """
    if roster.drawing is None:
        return None
    found = select(_TABLE).where(EpochRow.epoch == roster.drawing.sealed.epoch)
    row = connection.execute(found).first()
    if row is None or not row.key:
        return None
    name = DrawName(row.epoch, row.draws + 1)
    return NextDraw(name, draw_key(row.key, name.number), chain.tip(connection).seq)


def take_draw(connection: Connection, draw: DrawName) -> None:
    """No other match has this draw."""
    mine = update(_TABLE).where(EpochRow.epoch == draw.epoch)
    connection.execute(mine.values(draws=draw.number))

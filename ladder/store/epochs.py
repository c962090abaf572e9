"""The secrets of a sealed ladder, and how many draws were taken. Both are lost with the database.

An export has neither. A ladder that was imported goes on with an epoch of its own.
"""

import secrets
from collections.abc import Iterable
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, insert, select, update

from ladder.core.epochs import epoch_key
from ladder.core.facts import Begun, Revealed, Sealed
from ladder.core.matchmaking import RULE
from ladder.core.roster import Roster
from ladder.core.seal import LONGEST_BEACON, commitment, is_beacon
from ladder.store import chain, jobs
from ladder.store.chain import Damaged
from ladder.store.database import Database
from ladder.store.tables import EpochRow, Row, table_of
from referee.errors import RefereeError
from referee.text import plural, printable

_SECRET_BYTES: Final = 32
_TABLE: Final = table_of(EpochRow)


class Epochs:
    """Seals, begins and ends epochs; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def seal(self, beacon: str) -> Sealed:
        """Commit to the secret of the next epoch.

        Args:
            beacon: what is published later: whose, and of which moment.

        Raises:
            RefereeError: that is no such name.
        """
        if not beacon.strip() or printable(beacon) != beacon or len(beacon) > LONGEST_BEACON:
            raise RefereeError(
                f"beacon '{printable(beacon)}': 1 to {LONGEST_BEACON} printable characters, which "
                "name whose it is, and of which moment"
            )
        with self._database.writing() as connection:
            number = len(_roster(connection).epochs) + 1
            secret = secrets.token_hex(_SECRET_BYTES)
            fact = Sealed(
                epoch=number,
                commitment=commitment(secret),
                beacon=beacon,
                rule=RULE,
                at_ms=self._database.now_ms(connection),
            )
            row: Row = {"epoch": number, "seq": chain.append(connection, fact)}
            row |= {"secret": secret, "key": "", "draws": 0}
            connection.execute(insert(_TABLE).values(row))
        return fact

    def begin(self, beacon: str) -> tuple[Begun, list[Revealed]]:
        """Have matches drawn in the epoch that was sealed last, now that its beacon is there.

        Args:
            beacon: what was published.

        Returns:
            The fact, and those of the epochs before that are over by it.

        Raises:
            RefereeError: that is no such text, or no epoch waits for one.
        """
        if not is_beacon(beacon):
            raise RefereeError(
                f"beacon '{printable(beacon)}': 1 to {LONGEST_BEACON} printable ASCII characters "
                "without blanks"
            )
        with self._database.writing() as connection:
            roster = _roster(connection)
            last = roster.epochs.get(len(roster.epochs))
            if last is None or last.begun is not None:
                raise RefereeError("no epoch waits for its beacon: `referee ladder epoch --seal`")
            number = last.sealed.epoch
            known = _secret(connection, number)
            if known is None:
                raise RefereeError(
                    f"the secret of epoch {number} is not in this database: seal another epoch"
                )
            if commitment(known.secret) != last.sealed.commitment:
                raise Damaged(f"epoch {number}", "its secret is not the one that was committed to")
            sealed_hash = chain.hash_of(connection, known.seq)
            assert sealed_hash is not None  # noqa: S101  # it was written with the secret
            key = epoch_key(known.secret, sealed_hash, beacon)
            mine = update(_TABLE).where(EpochRow.epoch == number)
            connection.execute(mine.values(key=key))
            now = self._database.now_ms(connection)
            fact = Begun(epoch=number, beacon=beacon, at_ms=now)
            chain.append(connection, fact)
            roster.add(fact)
            return fact, reveal_earlier(connection, roster, now)

    def end(self) -> list[Revealed]:
        """Tell the secrets of all epochs that have begun; no match of them counts any more.

        Raises:
            RefereeError: matches of one are under way.
        """
        with self._database.writing() as connection:
            roster = _roster(connection)
            now = self._database.now_ms(connection)
            busy = _under_way(connection, now)
            begun = [number for number, epoch in roster.epochs.items() if epoch.begun]
            if not begun:
                raise RefereeError("no epoch has begun")
            for number in begun:
                if busy.get(number) and not roster.is_over(number):
                    matches = plural(busy[number], "match", "matches")
                    raise RefereeError(
                        f"epoch {number} cannot end now: {matches} of it under way; stop the "
                        "runners, or `referee ladder pause`, and wait"
                    )
            return _reveal(connection, roster, begun, now)

    def draws(self) -> dict[int, int]:
        """How many draws were taken, by epoch; of those only whose secret is here."""
        with self._database.reading() as connection:
            rows = connection.execute(select(EpochRow.epoch, EpochRow.draws))
            return {row.epoch: row.draws for row in rows}


def _roster(connection: Connection) -> Roster:
    return Roster(chain.plain_facts(connection, 0))


class _Known(Struct, frozen=True):
    """An epoch whose secret is here: the fact that committed to it, and how many draws it had."""

    seq: int
    secret: str
    draws: int


def _secret(connection: Connection, epoch: int) -> _Known | None:
    """Return what only we know of an epoch; None in a ladder that was imported."""
    found = select(EpochRow.seq, EpochRow.secret, EpochRow.draws).where(EpochRow.epoch == epoch)
    row = connection.execute(found).first()
    return None if row is None else _Known(row.seq, row.secret, row.draws)


def _under_way(connection: Connection, now_ms: int) -> dict[int, int]:
    """How many matches runners play now, by epoch.

    One that was given back is played in an epoch only if that is not over by then.
    """
    found: dict[int, int] = {}
    for one in jobs.waiting_jobs(connection):
        if one.job.draw is not None and one.owner and one.until_ms > now_ms:
            number = one.job.draw.name.epoch
            found[number] = found.get(number, 0) + 1
    return found


def reveal_earlier(connection: Connection, roster: Roster, now_ms: int) -> list[Revealed]:
    """Tell the secrets of epochs that another has followed, and of which no match is under way.

    Args:
        connection: writes.
        roster: who there is.
        now_ms: by the clock of the database.
    """
    drawing = roster.drawing
    last = 0 if drawing is None else drawing.sealed.epoch
    over = [number for number, epoch in roster.epochs.items() if epoch.begun and number < last]
    return _reveal(connection, roster, over, now_ms)


def _reveal(
    connection: Connection, roster: Roster, epochs: Iterable[int], now_ms: int
) -> list[Revealed]:
    """Tell those secrets of some epochs that are here and not told, if no match is under way."""
    facts = list[Revealed]()
    untold = [number for number in epochs if not roster.is_over(number)]
    busy = _under_way(connection, now_ms) if untold else {}
    for number in untold:
        known = None if busy.get(number) else _secret(connection, number)
        if known is not None:
            told = Revealed(epoch=number, secret=known.secret, draws=known.draws, at_ms=now_ms)
            facts.append(told)
    for fact in facts:
        chain.append(connection, fact)
    return facts

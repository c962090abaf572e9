"""The tokens of a ladder's authors, and each use of one. They are no facts: no export has them."""

import secrets
from collections.abc import Sequence
from typing import Any, Final

from msgspec import Struct
from sqlalchemy import Connection, delete, func, insert, select, update

from ladder.core.tokens import ID_BYTES, SECRET_BYTES, Scope, Token, hash_of, token_text
from ladder.store.database import Database
from ladder.store.tables import Row, TokenRow, TokenUseRow
from referee.errors import RefereeError

USES_KEPT: Final = 100_000
"""So many uses are kept, the newest."""

_DAY_MS: Final = 24 * 60 * 60 * 1000


class TokenUse(Struct, frozen=True):
    """A use of a token: when, for what, and from which address."""

    at_ms: int
    token: str
    what: str
    address: str


class Tokens:
    """The tokens of a ladder; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def add(self, author: str, scopes: Sequence[Scope], days: int) -> tuple[Token, str]:
        """Make a token; return it with its text, which is kept nowhere.

        Args:
            author: whose it is.
            scopes: what it is for.
            days: so long it is valid.
        """
        identity = secrets.token_bytes(ID_BYTES)
        text = token_text(identity, secrets.token_bytes(SECRET_BYTES))
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            token = Token(
                id=identity.hex(),
                author=author,
                hash=hash_of(text),
                scopes=tuple(scopes),
                made_ms=now,
                expires_ms=now + days * _DAY_MS,
            )
            connection.execute(insert(TokenRow).values(_row(token)))
        return token, text

    def by_text(self, text: str) -> Token | None:
        """Return the token that has this text, if it is valid."""
        with self._database.reading() as connection:
            query = select(TokenRow.__table__).where(TokenRow.hash == hash_of(text))
            row = connection.execute(query).one_or_none()
            token = None if row is None else _token(row)
            now = self._database.now_ms(connection)
        return token if token is not None and token.state(now) == "valid" else None

    def every(self) -> list[tuple[Token, str, TokenUse | None]]:
        """Return all tokens, the oldest first, each with its state and its last use."""
        with self._database.reading() as connection:
            now = self._database.now_ms(connection)
            found = _every(connection)
            return [(token, token.state(now), _last_use(connection, token.id)) for token in found]

    def revoke(self, named: str) -> list[Token]:
        """End tokens by their id, or all of an author; return those that were ended now.

        Raises:
            RefereeError: there is none such.
        """
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            found = [token for token in _every(connection) if named in (token.id, token.author)]
            if not found:
                raise RefereeError(f"no token {named!r}: `referee ladder tokens` lists them")
            ended = [token for token in found if token.state(now) == "valid"]
            for token in ended:
                theirs = TokenRow.id == token.id
                connection.execute(update(TokenRow).where(theirs).values(revoked_ms=now))
        return ended

    def note_use(self, token: str, what: str, address: str) -> None:
        """Write a use down; the oldest go where there are too many.

        Nothing is written of a token that is there no more: its author was erased.
        """
        with self._database.writing() as connection:
            query = select(TokenRow.id).where(TokenRow.id == token)
            if connection.execute(query).first() is None:
                return
            now = self._database.now_ms(connection)
            newest = connection.execute(select(func.max(TokenUseRow.number))).scalar() or 0
            values = {"at_ms": now, "token": token, "what": what, "address": address}
            connection.execute(insert(TokenUseRow).values(number=newest + 1, **values))
            old = TokenUseRow.number <= newest + 1 - USES_KEPT
            connection.execute(delete(TokenUseRow).where(old))

    def has_any(self, author: str) -> bool:
        """Whether an author has a token, valid or not; who was erased has none."""
        with self._database.reading() as connection:
            query = select(TokenRow.id).where(TokenRow.author == author).limit(1)
            return connection.execute(query).first() is not None

    def used_today(self, author: str, what: str) -> int:
        """Return how often an author's tokens were used for something in the last 24 hours."""
        with self._database.reading() as connection:
            since = self._database.now_ms(connection) - _DAY_MS
            theirs = select(TokenRow.id).where(TokenRow.author == author)
            query = select(func.count()).where(
                TokenUseRow.token.in_(theirs),
                TokenUseRow.what == what,
                TokenUseRow.at_ms >= since,
            )
            return connection.execute(query).scalar_one()


def _every(connection: Connection) -> list[Token]:
    query = select(TokenRow.__table__).order_by(TokenRow.made_ms, TokenRow.id)
    return [_token(row) for row in connection.execute(query)]


def _last_use(connection: Connection, token: str) -> TokenUse | None:
    query = (
        select(TokenUseRow.at_ms, TokenUseRow.token, TokenUseRow.what, TokenUseRow.address)
        .where(TokenUseRow.token == token)
        .order_by(TokenUseRow.number.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else TokenUse(*row)


def _row(token: Token) -> Row:
    return {
        "id": token.id,
        "author": token.author,
        "hash": token.hash,
        "scopes": " ".join(token.scopes),
        "made_ms": token.made_ms,
        "expires_ms": token.expires_ms,
        "revoked_ms": token.revoked_ms,
    }


def _token(row: Any) -> Token:  # a row of the table, whose columns are known at run time only
    return Token(
        id=row.id,
        author=row.author,
        hash=row.hash,
        scopes=tuple(Scope(name) for name in row.scopes.split()),
        made_ms=row.made_ms,
        expires_ms=row.expires_ms,
        revoked_ms=row.revoked_ms,
    )

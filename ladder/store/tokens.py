"""The tokens of a ladder's authors, and each use of one. They are no facts: no export has them."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct
from sqlalchemy import Connection, delete, func, insert, select, update

from ladder.core.tokens import Binding, Scope, Token, hash_of
from ladder.store.database import Database
from ladder.store.tables import TokenRow, TokenUseRow
from ladder.store.token_rows import (
    add_token,
    every_binding,
    every_token,
    remove_bindings,
    token_by,
)
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


class Revoked(Struct, frozen=True):
    """What was ended: tokens that were valid, and bindings that were there."""

    tokens: tuple[Token, ...]
    bindings: tuple[Binding, ...]


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
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            until = now + days * _DAY_MS
            return add_token(connection, author, scopes, made_ms=now, expires_ms=until)

    def by_text(self, text: str) -> Token | None:
        """Return the token that has this text, if it is valid."""
        with self._database.reading() as connection:
            token = token_by(connection, hashed=hash_of(text))
            now = self._database.now_ms(connection)
        return token if token is not None and token.state(now) == "valid" else None

    def every(self) -> list[tuple[Token, str, TokenUse | None]]:
        """Return all tokens, the oldest first, each with its state and its last use."""
        with self._database.reading() as connection:
            now = self._database.now_ms(connection)
            found = every_token(connection)
            return [(token, token.state(now), _last_use(connection, token.id)) for token in found]

    def revoke(self, named: str) -> Revoked:
        """End tokens and bindings by their id, or all of an author; return those ended now.

        With an invitation end the bindings that stand for it, with a binding its sessions: who has
        come in by either is out.

        Raises:
            RefereeError: there is none such.
        """
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            before = every_token(connection)
            found = {one.id for one in before if named in (one.id, one.author)}
            bindings = [
                one
                for one in every_binding(connection)
                if named in (one.id, one.author) or one.token in found
            ]
            if not found and not bindings:
                raise RefereeError(f"no token {named!r}: `referee ladder tokens` lists them")
            by = {one.id for one in bindings}
            ended = [
                one
                for one in before
                if (one.id in found or one.binding in by) and one.state(now) == "valid"
            ]
            remove_bindings(connection, bindings, now)
            for token in ended:
                theirs = TokenRow.id == token.id
                connection.execute(update(TokenRow).where(theirs).values(revoked_ms=now))
        return Revoked(tuple(ended), tuple(bindings))

    def end(self, token: str) -> None:
        """End a token by its id, and nothing else."""
        with self._database.writing() as connection:
            theirs = (TokenRow.id == token) & (TokenRow.revoked_ms == 0)
            now = self._database.now_ms(connection)
            connection.execute(update(TokenRow).where(theirs).values(revoked_ms=now))

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


def _last_use(connection: Connection, token: str) -> TokenUse | None:
    query = (
        select(TokenUseRow.at_ms, TokenUseRow.token, TokenUseRow.what, TokenUseRow.address)
        .where(TokenUseRow.token == token)
        .order_by(TokenUseRow.number.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else TokenUse(*row)

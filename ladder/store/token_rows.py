"""Tokens and bindings as rows of their tables, for `tokens`, `bindings` and `erasure`."""

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, delete, insert, select, update

from ladder.core.tokens import (
    ID_BYTES,
    SECRET_BYTES,
    Binding,
    Scope,
    Token,
    hash_of,
    token_text,
)
from ladder.store.tables import BindingRow, Row, TokenRow


def new_id() -> str:
    """Return an id that no token and no binding has, but for a chance of one in millions."""
    return secrets.token_bytes(ID_BYTES).hex()


def add_token(
    connection: Connection,
    author: str,
    scopes: Sequence[Scope],
    *,
    made_ms: int,
    expires_ms: int,
    binding: str = "",
) -> tuple[Token, str]:
    """Make a token; return it with its text, which is kept nowhere. For arguments see `Token`."""
    identity = new_id()
    text = token_text(bytes.fromhex(identity), secrets.token_bytes(SECRET_BYTES))
    token = Token(
        id=identity,
        author=author,
        hash=hash_of(text),
        scopes=tuple(scopes),
        made_ms=made_ms,
        expires_ms=expires_ms,
        binding=binding,
    )
    connection.execute(insert(TokenRow).values(_row(token)))
    return token, text


def every_token(connection: Connection) -> list[Token]:
    """Return all tokens, the oldest first."""
    query = select(TokenRow.__table__).order_by(TokenRow.made_ms, TokenRow.id)
    return [_token(row) for row in connection.execute(query)]


def token_by(connection: Connection, *, identity: str = "", hashed: str = "") -> Token | None:
    """Return the token of this id, or of this hash."""
    wanted = TokenRow.id == identity if identity else TokenRow.hash == hashed
    row = connection.execute(select(TokenRow.__table__).where(wanted)).one_or_none()
    return None if row is None else _token(row)


def every_binding(connection: Connection) -> list[Binding]:
    """Return all bindings, the oldest first."""
    query = select(BindingRow.__table__).order_by(BindingRow.made_ms, BindingRow.id)
    return [Binding(**row._mapping) for row in connection.execute(query)]


def remove_bindings(connection: Connection, bindings: Iterable[Binding], now_ms: int) -> None:
    """Take bindings out, and end the sessions that were made by them."""
    for one in bindings:
        connection.execute(delete(BindingRow).where(BindingRow.id == one.id))
        end_sessions(connection, one, now_ms)


def end_sessions(connection: Connection, binding: Binding, now_ms: int) -> None:
    """End the sessions that were made by a binding."""
    theirs = (TokenRow.binding == binding.id) & (TokenRow.revoked_ms == 0)
    connection.execute(update(TokenRow).where(theirs).values(revoked_ms=now_ms))


def _row(token: Token) -> Row:
    return {
        "id": token.id,
        "author": token.author,
        "hash": token.hash,
        "scopes": " ".join(token.scopes),
        "made_ms": token.made_ms,
        "expires_ms": token.expires_ms,
        "revoked_ms": token.revoked_ms,
        "binding": token.binding,
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
        binding=row.binding,
    )

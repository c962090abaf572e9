"""The accounts elsewhere by which authors sign in. They are no facts: no export has them."""

from typing import Final

from msgspec.structs import replace
from sqlalchemy import Connection, delete, func, insert, select, update

from ladder.core.tokens import Binding, Token
from ladder.store.database import Database
from ladder.store.tables import BindingRow, TokenRow, TokenUseRow
from ladder.store.token_rows import (
    add_token,
    end_sessions,
    every_binding,
    new_id,
    remove_bindings,
    token_by,
)
from referee.errors import RefereeError

DAY_MS: Final = 24 * 60 * 60 * 1000

SESSION_MS: Final = 30 * DAY_MS
"""So long a session lasts at most; never longer than the invitation."""

MOST_SESSIONS: Final = 50
"""So many a binding makes in a day: each is a row."""

MOST_BINDINGS: Final = 5
"""So many an author has."""


class NotBound(RefereeError):
    """An account is not taken, and why, in a sentence for who has it."""


class Bindings:
    """The bindings of a ladder; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def add(self, token: str, issuer: str, subject: str) -> Binding:
        """Have the author of a token sign in by an account from now on.

        One that is the author's already stands for the token's invitation from now on.

        Args:
            token: its id: an invitation, or a session that stands for one.
            issuer: who vouches for the account.
            subject: the account.

        Raises:
            NotBound: the token is not valid any more, the account is another author's, or the
                author has enough of them.
        """
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            given = token_by(connection, identity=token)
            if given is None or given.state(now) != "valid":
                raise NotBound("Your invitation has ended.")
            all_of_them = every_binding(connection)
            invitation = next((one.token for one in all_of_them if one.id == given.binding), token)
            there = _by_account(all_of_them, issuer, subject)
            if there is not None:
                if there.author != given.author:
                    raise NotBound("By that account another author signs in.")
                return _moved(connection, there, invitation, now)
            if sum(one.author == given.author for one in all_of_them) >= MOST_BINDINGS:
                raise NotBound(f"An author signs in by {MOST_BINDINGS} accounts at most.")
            made = Binding(
                id=new_id(),
                author=given.author,
                issuer=issuer,
                subject=subject,
                token=invitation,
                made_ms=now,
            )
            values = {name: getattr(made, name) for name in Binding.__struct_fields__}
            connection.execute(insert(BindingRow).values(values))
        return made

    def session(self, issuer: str, subject: str) -> tuple[Token, str] | None:
        """Make a token for who has signed in by an account; return it with its text.

        It is for what the invitation is for that the binding stands for. Sessions that ended more
        than a day ago are forgotten meanwhile, and what they were used for.

        Returns:
            None where no valid invitation stands behind that account.

        Raises:
            NotBound: there were too many already today.
        """
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            binding = _by_account(every_binding(connection), issuer, subject)
            if binding is None:
                return None
            invitation = token_by(connection, identity=binding.token)
            if invitation is None or invitation.state(now) != "valid":
                return None
            _forget_old(connection, now - DAY_MS)
            today = select(func.count()).where(
                TokenRow.binding == binding.id, TokenRow.made_ms > now - DAY_MS
            )
            if connection.execute(today).scalar_one() >= MOST_SESSIONS:
                raise NotBound(f"You have signed in {MOST_SESSIONS} times today; try tomorrow.")
            return add_token(
                connection,
                binding.author,
                invitation.scopes,
                made_ms=now,
                expires_ms=min(now + SESSION_MS, invitation.expires_ms),
                binding=binding.id,
            )

    def every(self) -> list[Binding]:
        """Return all bindings, the oldest first."""
        with self._database.reading() as connection:
            return every_binding(connection)

    def of(self, author: str) -> list[Binding]:
        """Return the bindings of an author, the oldest first."""
        return [one for one in self.every() if one.author == author]

    def undo(self, author: str, identity: str) -> bool:
        """Take a binding of an author out, and end its sessions; return whether it was there."""
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            mine = [one for one in every_binding(connection) if one.author == author]
            found = [one for one in mine if one.id == identity]
            remove_bindings(connection, found, now)
        return bool(found)


def _by_account(bindings: list[Binding], issuer: str, subject: str) -> Binding | None:
    found = (one for one in bindings if (one.issuer, one.subject) == (issuer, subject))
    return next(found, None)


def _moved(connection: Connection, binding: Binding, invitation: str, now_ms: int) -> Binding:
    """Have a binding stand for another invitation: what the first one allowed has ended."""
    if binding.token == invitation:
        return binding
    end_sessions(connection, binding, now_ms)
    own = BindingRow.id == binding.id
    connection.execute(update(BindingRow).where(own).values(token=invitation))
    return replace(binding, token=invitation)


def _forget_old(connection: Connection, before_ms: int) -> None:
    """Delete sessions that ended before a time; each use that counts for a day is younger."""
    ended = (TokenRow.expires_ms < before_ms) | (
        (TokenRow.revoked_ms > 0) & (TokenRow.revoked_ms < before_ms)
    )
    old = select(TokenRow.id).where((TokenRow.binding != "") & ended)
    connection.execute(delete(TokenUseRow).where(TokenUseRow.token.in_(old)))
    connection.execute(delete(TokenRow).where(TokenRow.id.in_(old)))

"""Takes what names an author out of a ladder, so that its facts can still be proved."""

from msgspec import Struct
from sqlalchemy import delete, select

from ladder.core.facts import Decision, Deed
from ladder.core.roster import Roster
from ladder.store import chain, jobs
from ladder.store.database import Database
from ladder.store.tables import BindingRow, PersonRow, TokenRow, TokenUseRow


class Erased(Struct, frozen=True):
    """What was taken out.

    Attributes:
        bots: their numbers.
        versions: how many they had.
        tokens: how many the author had; and of accounts to sign in by, `bindings`.
    """

    bots: tuple[int, ...]
    versions: int
    tokens: int
    bindings: int


class Erasure:
    """Erases authors; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def of(self, author: str) -> Erased:
        """What there is of an author."""
        with self._database.reading() as connection:
            roster = Roster(chain.plain_facts(connection, 0))
            bots = roster.bots_by(author)
            theirs = select(TokenRow.id).where(TokenRow.author == author)
            tokens = len(connection.execute(theirs).all())
            accounts = select(BindingRow.id).where(BindingRow.author == author)
            bindings = len(connection.execute(accounts).all())
        versions = sum(len(roster.versions(bot)) for bot in bots)
        return Erased(bots, versions, tokens, bindings)

    def erase(self, author: str, reason: str) -> bool:
        """Take name, bots, tokens and accounts of an author out, and what they were used for.

        A fact says of each bot that it was erased, and why.

        Returns:
            Whether nothing can be read in the database's files any more; False where a process
            that reads keeps SQLite's log from being emptied, until a later writer can.
        """
        with self._database.writing() as connection:
            now = self._database.now_ms(connection)
            roster = Roster(chain.plain_facts(connection, 0))
            bots = roster.bots_by(author)
            entrants = [one.entrant for bot in bots for one in roster.versions(bot)]
            jobs.withdraw(connection, entrants, now)
            chain.erase_names(connection, bots)
            for bot in bots:
                fact = Decision(deed=Deed.ERASED, entrant=bot, reason=reason, at_ms=now)
                chain.append(connection, fact)
            theirs = select(TokenRow.id).where(TokenRow.author == author)
            connection.execute(delete(TokenUseRow).where(TokenUseRow.token.in_(theirs)))
            for kind in (TokenRow, BindingRow, PersonRow):
                connection.execute(delete(kind).where(kind.author == author))
        return self._database.wipe_log()

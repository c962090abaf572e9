"""What people have played at a site's tables. They are no facts: no export has them."""

from sqlalchemy import insert, select, update

from ladder.store.database import Database
from ladder.store.tables import PersonRow, TokenRow


class People:
    """The deals of people; every method is one transaction."""

    def __init__(self, database: Database) -> None:
        """Reads nothing yet."""
        self._database = database

    def add(self, author: str, pool: int, above: int) -> None:
        """Write down a deal of a person.

        Nothing is written of an author who is there no more.

        Args:
            author: the person.
            pool: the game.
            above: by how much its value was above par.
        """
        with self._database.writing() as connection:
            known = select(TokenRow.id).where(TokenRow.author == author).limit(1)
            if connection.execute(known).first() is None:
                return
            key = {"author": author, "pool": pool, "above": above}
            more = update(PersonRow).filter_by(**key).values(deals=PersonRow.deals + 1)
            if not connection.execute(more).rowcount:
                connection.execute(insert(PersonRow).values(**key, deals=1))

    def of(self, author: str) -> dict[int, dict[int, int]]:
        """Return how many deals of a person were how much above par, by game."""
        query = select(PersonRow.pool, PersonRow.above, PersonRow.deals)
        found: dict[int, dict[int, int]] = {}
        with self._database.reading() as connection:
            theirs = query.where(PersonRow.author == author).order_by(PersonRow.pool)
            for pool, above, deals in connection.execute(theirs):
                found.setdefault(pool, {})[above] = deals
        return found

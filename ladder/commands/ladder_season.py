"""`referee ladder season`: the end of a season and the begin of the next."""

from typing import Annotated, Final

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened, pools_meant
from ladder.core.facts import Decision, Fact, Pool
from ladder.core.roster import Roster
from ladder.store.store import Store
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.json_output import json_text
from referee.text import plural

_LONGEST: Final = 40


class MoveJson(Struct, frozen=True, kw_only=True):
    """A bot that goes to another division: its number, from 1 the highest, and why."""

    bot: int
    name: str
    league: str
    division: int
    why: str


class SeasonJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder season` prints with `--json`.

    Attributes:
        begun: whether it was begun; false with `--preview`.
        games: the names of those that it is of.
        moves: between divisions.
    """

    season: str
    begun: bool
    games: tuple[str, ...]
    moves: tuple[MoveJson, ...]


def season(
    name: Annotated[str, typer.Argument(metavar="NAME", help="What people call it.")],
    game: Annotated[
        str | None,
        typer.Option("--game", metavar="NAME", help="Only this one of its games.  [default: all]"),
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Only say who would move, as of now.")
    ] = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Ends the season of a ladder's games, and begins the next: tables begin anew.

    The tables of before stay. Between divisions (`divisions` in the file of games) bots move that
    are certainly among the first or the last of theirs, whenever a season is ended; and where a
    division has room, the best of the next one fill it. `referee ladder verify` proves the moves.
    """
    _check(name)
    with opened(where) as store:
        pools = _whole(store, game)
        made: list[Fact] = []

        def make(roster: Roster, now_ms: int) -> list[Fact]:
            # the fit, with its libraries, takes longer to import than other commands take
            from ladder.standings.divisions import season_facts  # noqa: PLC0415  # see above

            if any(pool.season == name for pool in roster.pools.values() if pool.name in names):
                raise RefereeError(f"season {name!r}: there was one of this name")
            results = {pool.pool: store.results(pool.pool) for pool in pools}
            made.extend(season_facts(roster, pools, name, lambda pool: results[pool.pool], now_ms))
            return [] if preview else made

        names = {pool.name for pool in pools}
        store.add(make)
        _tell(store.roster, name, pools, made, preview=preview, as_json=as_json)


def _check(name: str) -> None:
    """Refuse what is no name of a season.

    Raises:
        RefereeError: naming it.
    """
    if not name.strip() or name != name.strip() or not name.isprintable():
        raise RefereeError(f"NAME {name!r}: printable characters, without blanks around them")
    if len(name) > _LONGEST:
        raise RefereeError(f"NAME: {len(name)} characters; {_LONGEST} are taken")


def _whole(store: Store, game: str | None) -> tuple[Pool, ...]:
    """Return the games that are meant, each with all its divisions."""
    meant = {pool.game_name for pool in pools_meant(store, game, closed=False)}
    return tuple(pool for pool in store.roster.open_pools if pool.game_name in meant)


def _tell(
    roster: Roster,
    name: str,
    pools: tuple[Pool, ...],
    made: list[Fact],
    *,
    preview: bool,
    as_json: bool,
) -> None:
    labels = roster.labels()
    moves = tuple(
        MoveJson(
            bot=fact.entrant,
            name=labels[fact.entrant],
            league=roster.pools[fact.pool].league,
            division=roster.pools[fact.pool].division,
            why=fact.reason,
        )
        for fact in made
        if isinstance(fact, Decision)
    )
    games = tuple(dict.fromkeys(pool.game_name for pool in pools))
    told = SeasonJson(season=name, begun=not preview, games=games, moves=moves)
    if as_json:
        print(json_text(told))
        return
    for move in moves:
        print(f"{move.league}: {move.name} to division {move.division} ({move.why})")
    if preview:
        print(f"{plural(len(moves), 'move')}, as of now; nothing was begun")
    else:
        print(f"season {name} of {', '.join(games)} has begun")

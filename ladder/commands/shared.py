"""What the commands of a ladder have in common: which ladder is meant, and how it is opened."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ladder.pool_file import USUAL, pools_of
from ladder.store.store import Beginning, Store
from ladder.store.where import where_of
from referee.errors import RefereeError

Where = Annotated[
    str | None,
    typer.Option(
        "--ladder",
        metavar="WHERE",
        help="A folder, or postgresql://USER@HOST/NAME (files=DIR in its query says where bots "
        "and records are).  [default: $REFEREE_LADDER, else ladder-data]",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Game = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="NAME",
        help="Only this game of the ladder; # and its number is one of before.",
    ),
]


class Sandboxes(StrEnum):
    """Where bots that were submitted may run: bare is not among them."""

    AUTO = "auto"
    BWRAP = "bwrap"
    DOCKER = "docker"


Sandbox = Annotated[
    Sandboxes, typer.Option(help="Where bots run; auto is the strongest that works here.")
]


def opened(where: str | None) -> Store:
    """The ladder that is meant.

    Raises:
        RefereeError: there is none, or it is of another schema.
    """
    return Store(where_of(where))


def opened_or_made(where: str | None) -> Store:
    """The ladder that is meant; where there is none, one of the usual game."""
    begun = pools_of(USUAL)
    return Store(where_of(where), Beginning(begun.name, begun.pools))


def pools_meant(store: Store, game: str | None) -> tuple[int, ...]:
    """The pools that a person means by a name or a game's id: by default those that play.

    Raises:
        RefereeError: there is none.
    """
    roster = store.refresh()
    pools = roster.open_pools
    if game is None:
        return tuple(pool.pool for pool in pools)
    if game.startswith("#") and game[1:].isdecimal() and int(game[1:]) in roster.pools:
        return (int(game[1:]),)
    found = [pool.pool for pool in pools if game in {pool.name, pool.game}]
    found = found or [pool.pool for pool in roster.pools.values() if game in {pool.name, pool.game}]
    if not found:
        names = ", ".join(pool.name for pool in pools) or "none"
        raise RefereeError(f"game {game!r}: this ladder has {names}")
    return tuple(found)


def new_file(path: Path) -> Path:
    """A path at which nothing is yet.

    Raises:
        RefereeError: there is something, or no folder to put it in.
    """
    if path.exists():
        raise RefereeError(f"{str(path)!r} is there already: nothing is written over")
    if not path.absolute().parent.is_dir():
        raise RefereeError(f"{str(path)!r}: there is no such folder")
    return path

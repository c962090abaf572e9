"""What the commands of a ladder have in common: which ladder is meant, and how it is opened."""

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from ladder.core.facts import Pool
from ladder.core.names import number_in
from ladder.game_files.pool_file import USUAL_GAMES, pools_of
from ladder.store.location import where_of
from ladder.store.store import Beginning, Store
from ladder.submissions.clearing import clear_old, clearing
from referee.errors import RefereeError
from referee.text import printable

Where = Annotated[
    str | None,
    typer.Option(
        "--ladder",
        metavar="WHERE",
        help="A folder, or postgresql://USER@HOST/NAME (files=DIR in its query says where bots "
        "and records are).  [default: $REFEREE_LADDER, else ladder-data]",
    ),
]
Bot = Annotated[
    str, typer.Argument(metavar="BOT", help="A name, AUTHOR/NAME, or # and an entrant's number.")
]
Everybody = Annotated[bool, typer.Option("--all", help="Older versions and retired bots, too.")]
GameOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        metavar="NAME",
        help="Only this game of the ladder, by name or id; # and its number is one of before.",
    ),
]


class Sandboxes(StrEnum):
    """Where bots that were submitted may run: bare is not among them."""

    AUTO = "auto"
    BWRAP = "bwrap"
    DOCKER = "docker"


Sandbox = Annotated[
    Sandboxes, typer.Option(help="Where bots run; auto takes one that keeps strangers apart.")
]


def opened(where: str | None) -> Store:
    """The ladder that is meant.

    Raises:
        RefereeError: there is none, or it is of another schema.
    """
    return Store(where_of(where))


def opened_or_made(where: str | None) -> Store:
    """The ladder that is meant; where there is none, one of the usual game."""
    begun = pools_of(USUAL_GAMES)
    return Store(where_of(where), Beginning(begun.name, begun.pools))


def proof_of(store: Store) -> str:
    """Return what a person types to prove what the matches of a ladder have come to."""
    return f"referee ladder verify{store.where.option}"


def tell_new_key(path: Path) -> None:
    """Says aloud that a ladder has a new key: who knows its public half has to be told of another.

    Args:
        path: where it lies.
    """
    print(
        f"made a key to sign heads with: {printable(str(path))}; keep a copy, and publish its "
        "public half",
        file=sys.stderr,
    )


def clear_bots(store: Store) -> None:
    """Remove frozen bots that do not play, beyond what `[disk]` allows of them.

    Raises:
        HostError: the disk or the database does not let us.
    """
    with clearing(store.files) as alone:
        if alone:
            clear_old(store.files, store.situation())


def pools_meant(store: Store, game: str | None, *, closed: bool = True) -> tuple[Pool, ...]:
    """The pools that a person means: by default those that play.

    Args:
        store: the ladder.
        game: a name, a game's id, or # and a pool's number.
        closed: whether one of before can be meant, where none that plays is.

    Raises:
        RefereeError: there is none.
    """
    roster = store.refresh()
    pools = roster.open_pools
    if game is None:
        return pools
    known = tuple(roster.pools.values()) if closed else pools
    number = number_in(game)
    found = [pool for pool in known if pool.pool == number]
    found = found or [one for one in pools if game in {one.name, one.league, one.terms.game}]
    found = found or [one for one in known if game in {one.name, one.league, one.terms.game}]
    if not found:
        names = ", ".join(pool.name for pool in pools) or "none"
        if number is not None:
            names = ", ".join(f"#{pool.pool} {pool.label}" for pool in known) or "none"
        raise RefereeError(f"game {game!r}: this ladder has {names}")
    return tuple(found)

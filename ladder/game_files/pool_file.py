"""What a ladder ranks and which records it keeps, from a TOML file or from the ids of games.

`referee ladder open --help` says what the keys mean.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal

from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from ladder.core.facts import Decision, Deed, Fact, Keep, Pool, Retention
from ladder.core.roster import Roster
from ladder.files.disk_limits import DiskLimits
from ladder.game_files.game_table import (
    GameSettings,
    GamesFile,
    GameTable,
    check_printable,
    check_top,
    naming,
    read_file,
    read_game,
)
from ladder.game_files.mistakes import Keys
from ladder.terms import LARGEST_RECORD, RECORDED_A_DEAL, LuckUse
from referee.errors import RefereeError
from referee.match.luck import VALUES_DIGEST
from referee.text import in_bytes, plural

USUAL_GAMES: Final = ("briscola-2",)
"""The games of a ladder of which was not said what it ranks."""

Blocks = Annotated[int, Meta(ge=1, le=1000)]
Records = Annotated[int, Meta(ge=1, le=1_000_000_000)] | Literal["all", "facts"]


class PoolTable(GameTable, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[game]]`: what it does not say is as for the whole ladder."""

    blocks: Blocks | UnsetType = UNSET
    divisions: Annotated[int, Meta(ge=1, le=9)] = 1
    moves: Annotated[int, Meta(ge=1, le=9)] = 1
    size: Annotated[int, Meta(ge=2, le=1000)] = 8


class PoolFile(GamesFile, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pools of a ladder as they were written down; texts are still unread."""

    blocks: Blocks | UnsetType = UNSET
    records: Records | UnsetType = UNSET
    disk: DiskLimits | None = None
    game: Annotated[tuple[PoolTable, ...], Meta(min_length=1)]


_KEYS: Final[Keys] = {
    "": PoolFile.__struct_fields__,
    "disk": DiskLimits.__struct_fields__,
    "game": PoolTable.__struct_fields__,
}


class Pools(Struct, frozen=True):
    """What a ladder is to rank; numbers and times of the pools are not given yet.

    Attributes:
        records: which of them stay; None where that is not said.
        disk: what it may take of the disk; None: as before.
    """

    name: str | None
    pools: tuple[Pool, ...]
    records: Retention | None = None
    disk: DiskLimits | None = None


def read_pools(path: Path) -> Pools:
    """Reads a file of pools, and checks it whole.

    Raises:
        RefereeError: naming the file, the key, and what is wrong with it.
    """
    return read_file(path, "file of pools", PoolFile, _KEYS, _checked)


def pools_of(games: Iterable[str]) -> Pools:
    """Pools of these games, all as usual.

    Raises:
        RefereeError: there is no such game.
    """
    return _checked(PoolFile(game=tuple(PoolTable(id=game) for game in games)))


def _checked(asked: PoolFile) -> Pools:
    check_top(asked)
    found = []
    for number, table in enumerate(asked.game, 1):
        with naming(f"game {number}"):
            found += _divided(_pool(asked, table), table)
    names = [pool.name for pool in found]
    for name in names:
        if names.count(name) > 1:
            raise RefereeError(f"two games are both {name!r}: give one a name")
    return Pools(asked.name, tuple(found), _retention(asked.records), asked.disk)


def _retention(records: Records | UnsetType) -> Retention | None:
    if isinstance(records, UnsetType):
        return None
    if isinstance(records, int):
        return Retention(keep=Keep.LAST, last=records, at_ms=0)
    return Retention(keep=Keep(records), at_ms=0)


def _most_blocks(game: GameSettings) -> int:
    """How many decks a match may have: of more, bots could make a record larger than is kept."""
    return LARGEST_RECORD // (RECORDED_A_DEAL * game.seats * game.seatings)


def _check_record(game: GameSettings) -> None:
    """Refuse matches whose record bots could make larger than is kept: they would count for none.

    Raises:
        RefereeError: naming the most blocks.
    """
    most = _most_blocks(game)
    if game.blocks > most:
        raise RefereeError(
            f"blocks: {game.blocks:,} a match, each in {plural(game.seatings, 'seating')}, make a "
            f"record that bots can fill beyond {in_bytes(LARGEST_RECORD)}: {most:,} at most"
        )


def _pool(asked: PoolFile, table: PoolTable) -> Pool:
    game = read_game(asked, table)
    if isinstance(table.blocks, UnsetType) and isinstance(asked.blocks, UnsetType):
        usual = max(min(game.blocks, _most_blocks(game)), 1)
        game = replace(game, blocks=usual)
    check_printable(game.name)
    _check_record(game)
    return Pool(
        pool=0,
        name=game.name,
        terms=game.terms,
        rules=game.rules,
        seats=game.seats,
        partners=game.partners,
        places=game.places,
        seatings=game.seatings,
        blocks=game.blocks,
        luck=asked.luck,
        luck_values="" if asked.luck is LuckUse.OFF or not game.lucky else VALUES_DIGEST,
        bench=asked.bench,
        at_ms=0,
    )


def _divided(pool: Pool, table: PoolTable) -> list[Pool]:
    """The divisions of a game, each a pool; the game itself where it has none."""
    if table.divisions == 1:
        return [pool]
    return [
        replace(
            pool,
            name=f"{pool.name} (division {number})",
            league=pool.name,
            division=number,
            moves=table.moves,
            size=table.size,
        )
        for number in range(1, table.divisions + 1)
    ]


def _asked(pool: Pool) -> Pool:
    """A pool as a file asks for it: that says nothing of seasons, which are begun by a command."""
    return replace(pool, pool=0, season="", at_ms=0)


def policy_changes(roster: Roster, wanted: Retention | None, now_ms: int) -> list[Fact]:
    """The fact that makes a ladder keep these records, unless it does so already."""
    if wanted is None or replace(wanted, at_ms=roster.retention.at_ms) == roster.retention:
        return []
    return [replace(wanted, at_ms=now_ms)]


def changes(roster: Roster, wanted: Sequence[Pool], now_ms: int) -> list[Fact]:
    """The facts that make a ladder rank these games, and no others."""
    found: list[Fact] = []
    number = max(roster.pools, default=0)
    open_pools = {pool.name: pool for pool in roster.open_pools}
    for pool in wanted:
        before = open_pools.pop(pool.name, None)
        if before is not None and _asked(before) == pool:
            continue
        same = [at for at, other in roster.pools.items() if _asked(other) == pool]
        if same:
            why = "its games are played again"
            found.append(Decision(deed=Deed.OPENED, pool=max(same), reason=why, at_ms=now_ms))
        else:
            number += 1
            found.append(replace(pool, pool=number, at_ms=now_ms))
    for gone in open_pools.values():
        why = "it is not among the games any more"
        found.append(Decision(deed=Deed.CLOSED, pool=gone.pool, reason=why, at_ms=now_ms))
    return found

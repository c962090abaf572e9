"""The pools of a ladder: which games it ranks, from a TOML file or from the ids of games.

`referee ladder open --help` says what the keys mean.
"""

import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType
from msgspec.structs import replace

from ladder.event_file import as_text, check_printable, naming, usual_pace
from ladder.event_mistakes import Keys, in_words
from ladder.event_toml import Pace, Text
from ladder.facts import Decision, Deed, Fact, Pool
from ladder.plan import LuckUse, Partners
from ladder.roster import Roster
from referee.config import MatchConfig, make_plan
from referee.errors import RefereeError
from referee.games import find
from referee.luck import VALUES_DIGEST, values_of
from referee.seating import Seating
from referee.verdict import Freeze, OnFault

USUAL: Final = ("briscola-2",)
"""The games of a ladder of which nobody has said what it ranks."""

_LARGEST: Final = 256 * 1024

Blocks = Annotated[int, Meta(ge=1, le=1000)]


class PoolTable(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A `[[game]]`: what it does not say is as for the whole ladder."""

    id: str
    name: Text | UnsetType = UNSET
    options: dict[str, str | int | bool] = {}
    blocks: Blocks | UnsetType = UNSET
    seating: Seating | UnsetType = UNSET
    time: str | UnsetType = UNSET
    pace: Pace | UnsetType = UNSET
    partners: Partners | UnsetType = UNSET


class PoolFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The pools of a ladder as they were written down; texts are still unread."""

    name: Text | None = None
    blocks: Blocks = 1
    seating: Seating = Seating.FULL
    time: str = ""
    pace: Pace | None = None
    partners: Partners = Partners.SIDE
    freeze: Freeze = Freeze.AUTO
    on_fault: OnFault | None = None
    luck: LuckUse = LuckUse.SHOWN
    bench: Annotated[int, Meta(ge=0)] = 10
    game: Annotated[tuple[PoolTable, ...], Meta(min_length=1)]


_KEYS: Final[Keys] = {"": PoolFile.__struct_fields__, "game": PoolTable.__struct_fields__}


class Pools(Struct, frozen=True):
    """What a ladder is to rank; numbers and times of the pools are not given yet."""

    name: str | None
    pools: tuple[Pool, ...]


def read_pools(path: Path) -> Pools:
    """Reads a file of pools, and checks it whole.

    Raises:
        RefereeError: naming the file, the key, and what is wrong with it.
    """
    try:
        found = path.stat()
        if not stat.S_ISREG(found.st_mode):
            raise RefereeError("that is no file")
        if found.st_size > _LARGEST:
            raise RefereeError(f"more than {_LARGEST} bytes")
        return _checked(msgspec.toml.decode(path.read_bytes(), type=PoolFile))
    except OSError as error:
        raise RefereeError(f"file of pools {str(path)!r}: {error.strerror}") from error
    except (RefereeError, ValueError, RecursionError) as error:
        said = in_words(str(error), _KEYS)
        raise RefereeError(f"file of pools {str(path)!r}: {said}") from error


def pools_of(games: Iterable[str]) -> Pools:
    """Pools of these games, all as usual.

    Raises:
        RefereeError: there is no such game.
    """
    return _checked(PoolFile(game=tuple(PoolTable(id=game) for game in games)))


def _checked(asked: PoolFile) -> Pools:
    if asked.name is not None:
        check_printable(asked.name)
    if asked.on_fault is OnFault.END_MATCH:
        raise RefereeError("on_fault: blocks are played to their end, so it cannot be end-match")
    found = []
    for number, game in enumerate(asked.game, 1):
        with naming(f"game {number}"):
            found.append(_pool(asked, game))
    names = [pool.name for pool in found]
    for name in names:
        if names.count(name) > 1:
            raise RefereeError(f"two games are both {name!r}: give one a name")
    return Pools(asked.name, tuple(found))


def _pool(asked: PoolFile, game: PoolTable) -> Pool:
    options = {name: as_text(value) for name, value in game.options.items()}
    variant = find(game.id)
    rules, named = variant.rules_of(options)
    seats, partners = rules.game.seats, rules.game.partners
    lucky = values_of(rules.game) is not None
    if asked.luck is LuckUse.OFFICIAL and not lucky:
        raise RefereeError(f"luck: {game.id} has no values to count it by, so raw scores decide")
    if len(variant.seats) > 1:
        options.setdefault("seats", str(seats))  # or a match would count its bots
    texts = tuple(f"{name}={value}" for name, value in options.items())
    mixed = (asked.partners if game.partners is UNSET else game.partners) is Partners.MIXED
    name = " ".join((game.id, *texts)) if game.name is UNSET else game.name
    check_printable(name)
    pace = asked.pace if game.pace is UNSET else game.pace
    pool = Pool(
        pool=0,
        name=name,
        game=game.id,
        options=texts,
        rules=named,
        seats=seats,
        partners=partners,
        places=seats if mixed else len(partners),
        seating=asked.seating if game.seating is UNSET else game.seating,
        seatings=0,
        time=asked.time if game.time is UNSET else game.time,
        pace=usual_pace(rules) if pace is None else pace,
        blocks=asked.blocks if game.blocks is UNSET else game.blocks,
        on_fault=asked.on_fault,
        freeze=asked.freeze,
        luck=asked.luck,
        luck_values="" if asked.luck is LuckUse.OFF or not lucky else VALUES_DIGEST,
        bench=asked.bench,
        at_ms=0,
    )
    return replace(pool, seatings=seatings_of(pool))


def seatings_of(pool: Pool) -> int:
    """In how many seatings a match plays each deck, of which everything else is checked too."""
    match = make_plan(
        MatchConfig(
            game=pool.game,
            options=pool.options,
            bots=pool.places,
            deals=pool.blocks,
            seating=pool.seating,
            time=pool.time,
            on_fault=pool.on_fault,
            freeze=pool.freeze,
            pace=pool.pace,
        )
    )
    return len(match.seatings)


def _asked(pool: Pool) -> Pool:
    """A pool as a file asks for it."""
    return replace(pool, pool=0, at_ms=0)


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

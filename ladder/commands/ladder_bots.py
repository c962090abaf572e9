"""`referee ladder bots`: who is in a ladder, and which version plays."""

from collections.abc import Sequence
from typing import Annotated

import typer
from msgspec import Struct
from rich.text import Text

from ladder.commands.shared import Everybody, Where, opened
from ladder.core.candidates import Situation
from ladder.core.facts import Pool, Submission
from ladder.core.roster import Roster
from ladder.core.tallies import EntrantTotals, FaultKind, StandingTable
from ladder.files.disk_limits import read_limits
from ladder.show.text_table import Column, print_grid, said
from ladder.store.store import Store
from ladder.submissions.clearing import needed_by, size_of, sizes
from referee.commands.shared import Json
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import in_bytes, plural

_FAULTS_SHOWN = 5


class Seen(Struct, frozen=True):
    """A version of a bot, and how it stands with it.

    Attributes:
        played: by pool.
        size: bytes of its frozen files; None if they are not there any more.
        faults: its faults, each with its game; empty where they were not asked for.
    """

    entrant: Submission
    label: str
    playing: bool
    why: str
    benched: dict[int, str]
    played: dict[int, EntrantTotals]
    size: int | None
    faults: tuple[tuple[Pool, FaultKind[int]], ...] = ()


def bots(
    bot: Annotated[
        str | None, typer.Argument(metavar="[BOT]", help="Only this one, with all versions.")
    ] = None,
    everybody: Everybody = False,
    where: Where = None,
    as_json: Json = False,
) -> None:
    """Lists the bots of a ladder; with a BOT, its versions, and why it is benched."""
    with opened(where) as store:
        roster = store.refresh()
        situation = store.situation()
        entrants = tuple(roster.entrants.values())
        if bot is not None:
            entrants = roster.versions(roster.find(bot))
        elif not everybody:
            entrants = tuple(one for one in entrants if roster.is_current(one.entrant))
        faults = _faults(store) if bot is not None else []
        seen = [seen_of(store, situation.standings, one, faults) for one in entrants]
        if as_json:
            print(json_text([bot_json(roster, one) for one in seen]))
            return
        _print(roster, seen)
        if bot is not None:
            _print_faults(roster, seen, store.where.option)
        elif seen:
            _print_sizes(store, situation)


def _faults(store: Store) -> list[tuple[Pool, FaultKind[int]]]:
    pools = store.roster.pools
    return [(pool, one) for number, pool in pools.items() for one in store.faults(number)]


def seen_of(
    store: Store,
    standings: StandingTable,
    one: Submission,
    faults: Sequence[tuple[Pool, FaultKind[int]]] = (),
) -> Seen:
    """Return how it stands with a version, by all that its ladder knows of it.

    Args:
        store: of the ladder.
        standings: of all entrants.
        one: the version.
        faults: of any.
    """
    roster = store.roster
    state = roster.state(one.entrant)
    return Seen(
        entrant=one,
        label=roster.labels()[one.entrant],
        playing=state.playing,
        why=state.why,
        benched=state.benched,
        played={pool: found for (pool, who), found in standings.items() if who == one.entrant},
        size=size_of(store.files, one.hash),
        faults=tuple(found for found in faults if found[1].bot == one.entrant),
    )


class PlayedJson(Struct, frozen=True):
    """What a version has played in a game."""

    blocks: int
    faulty_blocks: int
    deals: int
    voids: int


class BotJson(Struct, frozen=True, kw_only=True):
    """A version of a bot, as `referee ladder bots --json` lists them.

    Attributes:
        number: of the bot, as `partners` are; `entrant` is the version's.
        games: null for all.
        bytes: what its files take; null where they are not there.
        benched, played: by the name of the game.
        faults: only where one bot was asked for.
    """

    entrant: int
    number: int
    bot: str
    author: str
    version: int
    hash: str
    source: str
    bytes: int | None
    partners: tuple[int, ...]
    games: tuple[str, ...] | None
    at_ms: int
    playing: bool
    why_not: str | None
    benched: dict[str, str]
    played: dict[str, PlayedJson]
    faults: tuple[FaultKind[int], ...]


def bot_json(roster: Roster, one: Seen) -> BotJson:
    """Return a version of a bot, for programs."""
    entrant = one.entrant
    return BotJson(
        entrant=entrant.entrant,
        number=entrant.bot,
        bot=entrant.name,
        author=entrant.author,
        version=entrant.version,
        hash=entrant.hash,
        source=entrant.source,
        bytes=one.size,
        partners=entrant.partners,
        games=entrant.games or None,
        at_ms=entrant.at_ms,
        playing=one.playing,
        why_not=one.why or None,
        benched={roster.pools[pool].name: why for pool, why in one.benched.items()},
        played={
            roster.pools[pool].name: PlayedJson(
                found.blocks, found.faulty, found.deals, found.voids
            )
            for pool, found in sorted(one.played.items())
        },
        faults=tuple(found for _, found in one.faults),
    )


def _state(roster: Roster, one: Seen) -> Text:
    if one.why and not one.benched:
        return said(one.why, "dim")
    if one.benched:
        names = ", ".join(roster.pools[pool].name for pool in one.benched)
        return said(f"benched in {names}", "yellow")
    return said("plays", "green")


def _print(roster: Roster, seen: Sequence[Seen]) -> None:
    to = console()
    if not seen:
        to.print("no bots yet: submit some with `referee submit BOT`")
        return
    allied, labels = any(one.entrant.partners for one in seen), roster.labels()
    columns = [
        Column("#"),
        Column("bot", name=True),
        Column("version"),
        Column("author", name=True),
        Column("blocks"),
        Column("faulty", spare=1),
        Column("state", name=True),
        *((Column("partners", name=True),) if allied else ()),
    ]
    lines = []
    for one in seen:
        entrant = one.entrant
        blocks = sum(found.blocks for found in one.played.values())
        faulty = sum(found.faulty for found in one.played.values())
        lines.append(
            (
                Text(str(entrant.entrant)),
                said(entrant.name, "bold" if one.playing else "dim"),
                Text(str(entrant.version)),
                said(entrant.author),
                Text(str(blocks)),
                Text(str(faulty), style="red" if faulty else ""),
                _state(roster, one),
                *((said(", ".join(labels[bot] for bot in entrant.partners)),) if allied else ()),
            )
        )
    print_grid(to, columns, lines)


def _print_sizes(store: Store, situation: Situation) -> None:
    found = sizes(store.files, needed_by(situation.roster, situation.jobs))
    most = read_limits(store.files).old_bots << 20
    console().print(
        f"on disk: {in_bytes(found.playing)} of bots that play, {in_bytes(found.old)} of others "
        f"(at most {in_bytes(most)})",
        style="dim",
    )


def _print_faults(roster: Roster, seen: Sequence[Seen], option: str) -> None:
    to = console()
    many = len({pool.name for pool in roster.pools.values()}) > 1
    for one in seen:
        for number, why in one.benched.items():
            game = roster.pools[number].name
            to.print(f"{one.label} is benched in {game}: {why}", style="yellow")
        for pool, found in one.faults[:_FAULTS_SHOWN]:
            where = f" in {pool.name}" if many else ""
            told = f"v{one.entrant.version}{where}: {found.code}: {found.detail}"
            to.print(f"{told} ({plural(found.times, 'time')})", style="red")
            to.print(f"   look: referee replay {found.first}{option}", style="dim")
        if (more := len(one.faults) - _FAULTS_SHOWN) and more > 0:
            to.print(f"   ... and {plural(more, 'kind')} of faults more", style="dim")

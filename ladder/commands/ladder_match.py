"""`referee ladder match`: a match of a ladder."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.shared import Where, opened
from ladder.core.facts import Match
from ladder.core.roster import Roster
from ladder.files import record_store
from ladder.show.text_table import Column, print_grid, said
from ladder.store.store import Store
from referee.commands.shared import Json
from referee.match.outcome import FaultFound
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import plural, printable


def show_match(
    match: Annotated[
        str, typer.Argument(metavar="ID", help="Its number, or 8 digits of its id and more.")
    ],
    as_json: Json = False,
    where: Where = None,
) -> None:
    """Shows a match: who played, what came of it, its faults, and where its record is."""
    with opened(where) as store:
        number, found = store.match(match)
        path = _record(store, number, found)
        if as_json:
            print(json_text(_match_json(store.roster, number, found, path)))
        else:
            _print_match(store, number, found, path)


def _record(store: Store, number: int, match: Match) -> Path | None:
    """Where the record of a match is, or should be; None if it has none, or not any more."""
    if not match.record:
        return None
    path = record_store.path_of(store.files, match.record)
    return path if path.exists() or number > store.horizon() else None


def values_of(match: Match) -> list[int]:
    """What each place has won or lost over all blocks of a match."""
    places = range(len(match.job.entrants))
    return [sum(block.values[place] for block in match.outcome.blocks) for place in places]


class SeatJson(Struct, frozen=True, kw_only=True):
    """A bot of a match; `value` is what it won or lost over all blocks."""

    entrant: int
    bot: str
    author: str
    version: int
    hash: str
    value: int
    faults: int
    used_us: int
    voids: int


class BlockJson(Struct, frozen=True):
    """A block, by place; `luck` and `unplayed` are null where there is none."""

    block: int
    deals: int
    values: tuple[int, ...]
    luck: tuple[int, ...] | None
    faults: tuple[int, ...]
    unplayed: tuple[int, ...] | None


class LadderMatchJson(Struct, frozen=True, kw_only=True):
    """What `referee ladder match --json` prints; `record` is null where there is none.

    In `faults`, `bot` is a place.
    """

    match: int
    id: str
    at_ms: int
    game: str
    key: str
    bots: tuple[SeatJson, ...]
    blocks: tuple[BlockJson, ...]
    faults: tuple[FaultFound, ...]
    given_up: str | None
    acts: int
    wall_us: int
    game_digest: str
    record: str | None
    record_hash: str
    record_bytes: int
    referee: str
    sandbox: str


def _match_json(roster: Roster, number: int, match: Match, path: Path | None) -> LadderMatchJson:
    job, outcome = match.job, match.outcome
    return LadderMatchJson(
        match=number,
        id=job.name,
        at_ms=match.at_ms,
        game=roster.pools[job.pool].name,
        key=job.key,
        bots=_seats_json(roster, match),
        blocks=tuple(
            BlockJson(
                block.block,
                block.deals,
                block.values,
                block.luck or None,
                block.faults,
                block.unplayed or None,
            )
            for block in outcome.blocks
        ),
        faults=outcome.fault_list,
        given_up=outcome.given_up or None,
        acts=outcome.acts,
        wall_us=outcome.wall_us,
        game_digest=outcome.game_digest,
        record=str(path) if path else None,
        record_hash=match.record,
        record_bytes=match.size,
        referee=match.referee,
        sandbox=outcome.sandbox,
    )


def _seats_json(roster: Roster, match: Match) -> tuple[SeatJson, ...]:
    job, outcome = match.job, match.outcome
    rows = zip(
        job.entrants,
        job.hashes,
        values_of(match),
        outcome.faults,
        outcome.used_us,
        outcome.voids,
        strict=True,
    )
    return tuple(
        SeatJson(
            entrant=entrant,
            bot=roster.entrants[entrant].name,
            author=roster.entrants[entrant].author,
            version=roster.entrants[entrant].version,
            hash=digest,
            value=value,
            faults=faults,
            used_us=used,
            voids=voids,
        )
        for entrant, digest, value, faults, used, voids in rows
    )


def _print_match(store: Store, number: int, match: Match, path: Path | None) -> None:
    to, roster, job, outcome = console(), store.roster, match.job, match.outcome
    pool = roster.pools[job.pool]
    when = datetime.fromtimestamp(match.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    blocks = plural(len(outcome.blocks), "block")
    to.print(f"match {number}: {pool.name}, {blocks}, {when}", style="bold")
    columns = [
        Column("bot", name=True),
        Column("author", name=True),
        Column("version"),
        Column("deal value"),
        Column("faults"),
        Column("time used"),
    ]
    lines = []
    rows = zip(job.entrants, values_of(match), outcome.faults, outcome.used_us, strict=True)
    for entrant, value, faults, used in rows:
        one = roster.entrants[entrant]
        lines.append(
            (
                said(one.name, "bold"),
                said(one.author),
                said(str(one.version)),
                said(f"{value:+d}", "green" if value > 0 else "red" if value < 0 else ""),
                said(str(faults), "red" if faults else ""),
                said(f"{used / 1000:.1f} ms"),
            )
        )
    print_grid(to, columns, lines)
    labels = roster.labels(versions=True)
    for fault in outcome.fault_list:
        name = labels[job.entrants[fault.bot]]
        where = f", deal {fault.where}" if fault.where else ""
        to.print(f"fault of {name}{where}: {fault.code}: {fault.detail}", style="red")
    if outcome.given_up:
        to.print(f"given up: {outcome.given_up}", style="yellow")
    to.print(f"id: {job.name}", style="dim")
    to.print(f"key: {job.key} (deals the same cards again)", style="dim")
    to.print(f"game digest: {outcome.game_digest}", style="dim")
    if path is not None:
        to.print(f"record: {printable(str(path))}", style="dim")
        to.print(f"see it: referee replay {number}{store.where.option}", style="dim")
    elif match.record:
        to.print(
            f"record: gone, as the ladder has decided; its SHA-256: {match.record}", style="dim"
        )

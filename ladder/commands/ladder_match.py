"""`referee ladder match`: a match of a ladder."""

from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from ladder.commands.shared import Where, opened
from ladder.core.facts import Match
from ladder.files import record_store, shared_records
from ladder.files.object_store import StoreAway
from ladder.show.match_json import match_json, values_of
from ladder.show.text_table import Column, print_grid, said
from ladder.store.store import Store
from referee.commands.shared import Json
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
            print(
                json_text(
                    match_json(store.roster, number, found, None if path is None else str(path))
                )
            )
        else:
            _print_match(store, number, found, path)


def _record(store: Store, number: int, match: Match) -> Path | None:
    """Where the record of a match is, or should be; None if it has none, or not any more."""
    if not match.record:
        return None
    gone = store.records.gone().may_be(number, match.job.entrants)
    path = record_store.path_of(store.files, match.record)
    if not gone:
        with suppress(StoreAway):  # all else is told
            path = shared_records.found(store.files, match.record)
    return path if path.exists() or not gone else None


def _print_match(store: Store, number: int, match: Match, path: Path | None) -> None:
    to, roster, job, outcome = console(), store.roster, match.job, match.outcome
    pool = roster.pools[job.pool]
    when = datetime.fromtimestamp(match.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    blocks = plural(len(outcome.blocks), "block")
    to.print(f"match {number}: {pool.label}, {blocks}, {when}", style="bold")
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
    if job.draw is not None:
        of = job.draw.name
        drawn = f"draw {of.number} of epoch {of.epoch}"
        to.print(f"{drawn} (proves the key, once its secret is told)", style="dim")
    to.print(f"game digest: {outcome.game_digest}", style="dim")
    if path is not None:
        to.print(f"record: {printable(str(path))}", style="dim")
        to.print(f"see it: referee replay {number}{store.where.option}", style="dim")
    elif match.record:
        to.print(
            f"record: gone, as the ladder has decided; its SHA-256: {match.record}", style="dim"
        )

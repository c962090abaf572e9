"""`referee ladder bots`: who is in a ladder, and which version plays."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from ladder.commands.shared import Everybody, Where, opened
from ladder.core.candidates import Situation
from ladder.core.facts import Pool
from ladder.core.roster import Roster
from ladder.core.tallies import FaultKind
from ladder.files.disk_limits import read_limits
from ladder.show.bot_json import Seen, bot_json, seen_of
from ladder.show.text_table import Column, print_grid, said
from ladder.store.store import Store
from ladder.submissions.clearing import needed_by, size_of, sizes
from referee.commands.shared import Json
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import in_bytes, plural

_FAULTS_SHOWN = 5


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
        seen = [
            seen_of(store, situation.standings, one, faults, size=size_of(store.files, one.hash))
            for one in entrants
        ]
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
    many = len({pool.label for pool in roster.pools.values()}) > 1
    for one in seen:
        for number, why in one.benched.items():
            game = roster.pools[number].label
            to.print(f"{one.label} is benched in {game}: {why}", style="yellow")
        for pool, found in one.faults[:_FAULTS_SHOWN]:
            where = f" in {pool.label}" if many else ""
            told = f"v{one.entrant.version}{where}: {found.code}: {found.detail}"
            to.print(f"{told} ({plural(found.times, 'time')})", style="red")
            to.print(f"   look: referee replay {found.first}{option}", style="dim")
        if (more := len(one.faults) - _FAULTS_SHOWN) and more > 0:
            to.print(f"   ... and {plural(more, 'kind')} of faults more", style="dim")

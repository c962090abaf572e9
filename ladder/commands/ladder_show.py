"""`referee ladder standings`, `history` and `match`: what a ladder has come to."""

import json
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import islice
from pathlib import Path
from typing import Annotated, Any

import typer

from ladder import vault
from ladder.commands.ladder_bots import Bot
from ladder.commands.shared import Game, Json, Where, opened, pools_meant
from ladder.facts import Match, Pool
from ladder.history import History, Step, history
from ladder.numbering import distinct
from ladder.pool_standings import Entrant, Faults, pool_standings
from ladder.roster import Roster
from ladder.scoreboard import Standings
from ladder.show.as_csv import as_csv
from ladder.show.as_json import as_json as standings_json
from ladder.show.grid import Column, print_grid, said
from ladder.show.history_json import history_json
from ladder.show.history_terminal import print_history
from ladder.show.page import page
from ladder.show.terminal import print_standings
from ladder.standings import Heading
from ladder.store.store import Store
from referee.errors import HostError, RefereeError
from referee.escaping import printable
from referee.faces import busy, console

_DRAWN = 12
"""So many bots have their rating over time on a page."""


def standings(
    game: Game = None,
    everybody: Annotated[
        bool, typer.Option("--all", help="Older versions and retired bots, too.")
    ] = False,
    as_json: Json = False,
    as_comma: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page, which needs nothing else.")
    ] = None,
    where: Where = None,
) -> None:
    """Prints the ranking: a fit of all blocks at once, which no order of results changes.

    Bots that cannot be told apart share places; intervals are 95 %, by a bootstrap over blocks.
    """
    if as_json + as_comma + (html is not None) > 1:
        raise RefereeError("say one of --json, --csv and --html")
    if html is not None:
        _check_place(html)
    with opened(where) as store:
        pools = [store.roster.pools[pool] for pool in pools_meant(store, game)]
        heading = _heading(store)
        with busy(console(stderr=True), "fitting ...") as say:
            found = []
            for pool in pools:
                say(f"fitting {pool.name} ...")
                found.append(standings_of(store, pool, everybody=everybody))
        if as_json:
            print(json.dumps(standings_json(heading, found)))
        elif as_comma:
            print(as_csv(heading, found), end="")
        elif html is not None:
            drawn = [_histories(store, pool, one) for pool, one in zip(pools, found, strict=True)]
            _write(html, page(heading, found, drawn))
        else:
            print_standings(console(), heading, found)


def _heading(store: Store) -> Heading:
    return Heading(name=store.opened.name, version=version("briscola-referee"), kind="ladder")


def standings_of(store: Store, pool: Pool, *, everybody: bool = False) -> Standings:
    """The published table of a pool, computed from the facts."""
    results = store.results(pool.pool)
    roster = store.refresh()
    played = set(distinct(results.seated).tolist())
    faults = [
        Faults(one.entrant, str(one.code), one.detail, one.times)
        for one in store.verdicts(pool.pool)
    ]
    entrants = [
        Entrant(
            entrant=one.entrant,
            name=one.name,
            author=one.author,
            version=one.version,
            active=roster.is_current(one.entrant),
            benched=roster.benched.get((pool.pool, one.entrant), ""),
        )
        for one in roster.entrants.values()
        if one.entrant in played or roster.is_meant(pool.pool, one.entrant)
    ]
    return pool_standings(pool, entrants, results, faults, everybody=everybody)


def _histories(store: Store, pool: Pool, found: Standings) -> list[History]:
    """The ratings of the best bots of a pool over time."""
    roster = store.roster
    bots = dict.fromkeys(roster.entrants[row.bot].bot for row in found.rows)  # versions are one bot
    return [_history(store, pool, bot) for bot in islice(bots, _DRAWN)]


def _history(store: Store, pool: Pool, bot: int) -> History:
    roster = store.roster
    versions = {one.entrant: one.version for one in roster.versions(bot)}
    steps = [
        Step(one.match, one.at_ms, versions[one.entrant], one.mu, one.sigma)
        for one in store.steps(versions)
        if one.pool == pool.pool
    ]
    sides = len(pool.partners)
    return history(pool.name, roster.labels()[bot], steps, sides=sides)


def _check_place(path: Path) -> None:
    """Whether a page can be written there, as far as can be told before there is one.

    Raises:
        RefereeError: it cannot.
    """
    if path.is_dir():
        raise RefereeError(f"{str(path)!r} is a folder: name a file")
    if not path.absolute().parent.is_dir():
        raise RefereeError(f"{str(path)!r}: there is no such folder")


def _write(path: Path, text: str) -> None:
    """Writes a page over the one of before, if any; whole or not at all, but into pipes."""
    target = path.resolve()
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    try:
        if target.exists() and not target.is_file():  # a pipe or a device is not replaced
            target.write_text(text, encoding="utf-8")
            return
        try:
            unfinished.write_text(text, encoding="utf-8")
            unfinished.replace(target)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as error:
        raise HostError(f"page {str(path)!r}: {error.strerror}") from error


def show_history(
    bot: Bot,
    game: Game = None,
    as_json: Json = False,
    where: Where = None,
) -> None:
    """Shows a bot's rating over time, and its last matches."""
    with opened(where) as store:
        roster = store.refresh()
        meant = roster.find(bot)
        pools = [roster.pools[pool] for pool in pools_meant(store, game)]
        found = [_history(store, pool, meant) for pool in pools]
        entrants = [one.entrant for one in roster.versions(meant)]
        last = store.matches_of(entrants, 10)
        if as_json:
            told = {
                "bot": roster.entrants[meant].name,
                "author": roster.entrants[meant].author,
                "games": [history_json(one) for one in found],
                "last_matches": [number for number, _ in last],
            }
            print(json.dumps(told))
            return
        to = console()
        for one in found:
            print_history(to, one)
        if last:
            to.print()
            _print_matches(roster, last)
        state = roster.state(roster.chosen(meant))
        for pool, why in state.benched.items():
            to.print(f"benched in {roster.pools[pool].name}: {why}", style="yellow")
        if state.why:
            to.print(f"it does not play: {state.why}", style="yellow")


def _print_matches(roster: Roster, found: Sequence[tuple[int, Match]]) -> None:
    labels = roster.labels(versions=True)
    columns = [
        Column("match"),
        Column("game", name=True),
        Column("bots and deal values", name=True),
    ]
    lines = []
    for number, match in found:
        values = _values(match)
        names = [labels[entrant] for entrant in match.job.entrants]
        told = "  ".join(f"{name} {value:+d}" for name, value in zip(names, values, strict=True))
        lines.append((said(str(number)), said(roster.pools[match.job.pool].name), said(told)))
    print_grid(console(), columns, lines)


def _values(match: Match) -> list[int]:
    places = range(len(match.job.entrants))
    return [sum(block.values[place] for block in match.blocks) for place in places]


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
        path = vault.path_of(store.files, found.record) if found.record else None
        if as_json:
            print(json.dumps(_match_json(store.roster, number, found, path), indent=2))
        else:
            _print_match(store, number, found, path)


def _match_json(roster: Roster, number: int, match: Match, path: Path | None) -> dict[str, Any]:
    job = match.job
    return {
        "match": number,
        "id": job.name,
        "at_ms": match.at_ms,
        "game": roster.pools[job.pool].name,
        "key": job.key,
        "bots": [
            {
                "entrant": entrant,
                "bot": roster.entrants[entrant].name,
                "author": roster.entrants[entrant].author,
                "version": roster.entrants[entrant].version,
                "hash": digest,
                "value": value,
                "faults": faults,
                "used_us": used,
                "voids": voids,
            }
            for entrant, digest, value, faults, used, voids in zip(
                job.entrants,
                job.hashes,
                _values(match),
                match.faults,
                match.used_us,
                match.voids,
                strict=True,
            )
        ],
        "blocks": [
            {
                "block": block.block,
                "deals": block.deals,
                "values": list(block.values),
                "luck": list(block.luck) or None,
                "faults": list(block.faults),
                "unplayed": list(block.unplayed) or None,
            }
            for block in match.blocks
        ],
        "verdicts": [
            {"place": one.bot, "code": one.code, "detail": one.detail} for one in match.fault_list
        ],
        "given_up": match.given_up or None,
        "acts": match.acts,
        "wall_us": match.wall_us,
        "game_digest": match.game_digest,
        "record": str(path) if path else None,
        "record_hash": match.record,
        "record_bytes": match.size,
        "referee": match.referee,
        "sandbox": match.sandbox,
    }


def _print_match(store: Store, number: int, match: Match, path: Path | None) -> None:
    to, roster, job = console(), store.roster, match.job
    pool = roster.pools[job.pool]
    when = datetime.fromtimestamp(match.at_ms / 1000, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")
    blocks = f"{len(match.blocks)} block" + "s" * (len(match.blocks) != 1)
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
    rows = zip(job.entrants, _values(match), match.faults, match.used_us, strict=True)
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
    for fault in match.fault_list:
        name = roster.entrants[job.entrants[fault.bot]].name
        to.print(f"fault of {name}: {fault.code}: {fault.detail}", style="red")
    if match.given_up:
        to.print(f"given up: {match.given_up}", style="yellow")
    to.print(f"id: {job.name}", style="dim")
    to.print(f"key: {job.key} (deals the same cards again)", style="dim")
    to.print(f"game digest: {match.game_digest}", style="dim")
    if path is not None:
        to.print(f"record: {printable(str(path))}", style="dim")
        to.print(f"see it: referee replay {number}{store.where.option}", style="dim")

"""`referee ladder standings` and `history`: what a ladder has come to."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from ladder.commands.shared import Bot, Everybody, GameOption, Where, opened, pools_meant
from ladder.core.facts import Match
from ladder.core.roster import Roster
from ladder.show.as_csv import as_csv
from ladder.show.as_json import as_json as standings_json
from ladder.show.history_json import HistoryJson, history_json
from ladder.show.history_terminal import print_history
from ladder.show.match_json import values_of
from ladder.show.page import page
from ladder.show.terminal import print_standings
from ladder.show.text_table import Column, print_grid, said
from ladder.standings.from_store import histories_of, history_of, standings_of
from ladder.standings.heading import Heading
from referee.commands.page_file import check_place, write_page
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.version import own_version


class BotHistoryJson(Struct, frozen=True):
    """What `referee ladder history --json` prints: by game; the numbers of the last matches."""

    bot: str
    author: str
    games: tuple[HistoryJson, ...]
    last_matches: tuple[int, ...]


def standings(
    game: GameOption = None,
    everybody: Everybody = False,
    as_json: Json = False,
    as_comma: Annotated[bool, typer.Option("--csv", help="Print CSV.")] = False,
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a page, which needs nothing else.")
    ] = None,
    where: Where = None,
) -> None:
    """Prints the ranking: a fit of all blocks at once, which no order of results changes.

    Bots that cannot be told apart share places; intervals are 95 %, and count matches.
    """
    if as_json + as_comma + (html is not None) > 1:
        raise RefereeError("say one of --json, --csv and --html")
    if html is not None:
        check_place(html)
    with opened(where) as store, store.moment() as head:
        pools = pools_meant(store, game)
        heading = Heading(name=store.opened.name, version=own_version(), kind="ladder", head=head)
        with busy(console(stderr=True), "fitting ...") as say:
            found = []
            for pool in pools:
                say(f"fitting {pool.name} ...")
                found.append(standings_of(store, pool, everybody=everybody))
        if as_json:
            print(json_text(standings_json(heading, found), indent=None))
        elif as_comma:
            print(as_csv(heading, found), end="")
        elif html is not None:
            drawn = [histories_of(store, pool, one) for pool, one in zip(pools, found, strict=True)]
            write_page(html, page(heading, found, drawn))
        else:
            print_standings(console(), heading, found)


def show_history(
    bot: Bot,
    game: GameOption = None,
    as_json: Json = False,
    where: Where = None,
) -> None:
    """Shows a bot's rating over time, and its last matches."""
    with opened(where) as store:
        roster = store.refresh()
        meant = roster.find(bot)
        pools = pools_meant(store, game)
        found = [history_of(store, pool, meant) for pool in pools]
        entrants = [one.entrant for one in roster.versions(meant)]
        only = None if game is None else [pool.pool for pool in pools]
        last = store.matches_of(entrants, 10, only)
        if as_json:
            told = BotHistoryJson(
                bot=roster.entrants[meant].name,
                author=roster.entrants[meant].author,
                games=tuple(map(history_json, found)),
                last_matches=tuple(number for number, _ in last),
            )
            print(json_text(told, indent=None))
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
        values = values_of(match)
        names = [labels.get(entrant, f"entrant {entrant}?") for entrant in match.job.entrants]
        told = "  ".join(f"{name} {value:+d}" for name, value in zip(names, values, strict=True))
        lines.append((said(str(number)), said(roster.pools[match.job.pool].label), said(told)))
    print_grid(console(), columns, lines)

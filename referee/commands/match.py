"""`referee match`: plays bots against each other, prints the result, keeps the record."""

import secrets
from pathlib import Path
from typing import Annotated

import typer

from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.commands import shared
from referee.commands.deck_file import read_decks
from referee.errors import RefereeError
from referee.games import catalogue
from referee.match.chance import KEY_BITS
from referee.match.clock import parse_time
from referee.match.plan import MatchConfig, make_plan
from referee.match.seating import Seating
from referee.match.terms import Terms, all_options, read_options
from referee.match.verdict import Freeze
from referee.sandbox.names import SandboxName


def match(
    bots: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT...",
            help="An executable, a folder with a bot.toml, or sample:NAME. "
            "As many as seats, or one for each side.",
        ),
    ],
    game: Annotated[
        str | None, typer.Option(help="See `referee games`.  [default: briscola-(number of bots)]")
    ] = None,
    options: shared.Options = None,
    deals: shared.Deals = None,
    key: shared.Key = None,
    deck: Annotated[
        str | None,
        typer.Option(metavar='"4H AD ..."|FILE', help="Cards by hand; a file has a deck a line."),
    ] = None,
    dealer: Annotated[
        int | None, typer.Option(metavar="SEAT", help="Who deals first.  [default: from the key]")
    ] = None,
    seating: Annotated[
        Seating, typer.Option(help="Play every deck in several seatings; needs --deals.")
    ] = Seating.ONE,
    time: shared.Time = "",
    sandbox: shared.Sandbox = SandboxName.AUTO,
    freeze: shared.Freeze = Freeze.AUTO,
    pace: shared.Pace = 0,
    on_fault: shared.OnFault = None,
    record: shared.RecordFile = None,
    tee: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all that is said to this file.")
    ] = None,
    as_json: shared.Json = False,
) -> None:
    """Plays a match. Exit code 0, or 1 when a bot was faulted."""
    if game is None and f"briscola-{len(bots)}" not in catalogue():
        raise RefereeError(f"a match of briscola needs 2, 3, 4 or 6 bots; got {len(bots)}")
    decks, deck_file = (None, "") if deck is None else read_decks(deck)
    game = game or f"briscola-{len(bots)}"
    asked = MatchConfig(
        terms=Terms(
            game=game,
            options=all_options(game, read_options(options or ()), len(bots)),
            seating=seating,
            time=parse_time(time),
            on_fault=on_fault,
            freeze=freeze,
            pace_ms=pace,
        ),
        bots=len(bots),
        deals=deals,
        key=secrets.token_hex(KEY_BITS // 8) if key is None else key,
        deck=decks,
        deck_file=deck_file,
        dealer=dealer,
    )
    plan = make_plan(asked)
    from referee.commands.match_run import run_match  # noqa: PLC0415  # takes a while; --help does not

    settings = read_settings()
    found = [find(bot, settings) for bot in bots]
    given = key is None and deck is None
    raise typer.Exit(
        run_match(
            plan, found, sandbox, settings, record, tee=tee, as_json=as_json, repeatable=given
        )
    )

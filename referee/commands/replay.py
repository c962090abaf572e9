"""`referee replay`: shows a record, or proves it."""

from pathlib import Path
from typing import Annotated

import typer

from referee.commands.page_file import check_place, write_page
from referee.commands.replay_show import RecordView, Wanted
from referee.commands.replay_verify import verify_file, verify_folder
from referee.errors import RefereeError
from referee.record.as_json import match_object
from referee.record.by_id import record_file
from referee.record.deal_choice import DealChoice
from referee.record.eyes import Eyes
from referee.record.held_deals import HeldDeals
from referee.record.reader import Mismatch, RecordReader
from referee.record.retelling import ActLines
from referee.record.stderr_log import stderr_by_act, stderr_file
from referee.record.verify import Resimulation
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import plural, printable, told_apart
from referee.viewer.page import page as film_page
from referee.viewer.record_film import film_of


def replay(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE",
            help="A record, or the id of a match of a ladder; with --verify also a folder.",
        ),
    ],
    verify: Annotated[
        bool, typer.Option("--verify", help="Prove the record instead of showing it.")
    ] = False,
    deal: Annotated[
        str | None,
        typer.Option(metavar="N", help="Only this deal; LEG.DEAL, such as 2.3, in a leg."),
    ] = None,
    seat: Annotated[
        int | None,
        typer.Option(metavar="SEAT", help="Only what this seat of the first deal could see."),
    ] = None,
    bot: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Only what this bot could see, wherever it sits."),
    ] = None,
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each trick.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    html: Annotated[
        Path | None,
        typer.Option(metavar="PAGE", help="Write a page that shows it in a browser, by itself."),
    ] = None,
    ladder: Annotated[
        str | None, typer.Option(metavar="WHERE", help="The ladder that has the match of this id.")
    ] = None,
) -> None:
    """Shows a recorded match. Exit code 1 when the record is unfinished or does not hold."""
    eyes = seat is not None or bot is not None
    if html is not None and (verify or as_json or step):
        raise RefereeError("--html writes a page: it does not go with --verify, --json or --step")
    if as_json and (eyes or step):
        raise RefereeError("--json shows everything: it does not go with --seat, --bot or --step")
    if verify and (deal is not None or eyes or step):
        raise RefereeError(
            "--verify proves the whole record: no --deal, --seat, --bot or --step with it"
        )
    if seat is not None and bot is not None:
        raise RefereeError("--seat or --bot: only one of them")
    only = None if deal is None else DealChoice.typed(deal)
    file = record_file(file, ladder)
    if verify:
        (verify_folder if file.is_dir() else verify_file)(file, as_json=as_json)
        return
    if file.is_dir():
        raise RefereeError(f"{str(file)!r} is a folder: only --verify takes all of its records")
    if html is not None:
        _write_film(html, file, bot, seat, only)
        return
    with RecordReader(file) as reader:
        lines = ActLines()
        try:
            found = Resimulation(reader, None if as_json else lines)
        except Mismatch as error:
            _conclude(str(error), None, file)
            return
        if seat is not None and not 0 <= seat < found.seats:
            raise RefereeError(f"seat {seat}: the seats are 0 to {found.seats - 1}")
        deals = HeldDeals(found)
        if as_json:
            shown = match_object(found, deals, only)
            _check_deal(only, found, there=bool(shown.deals))
            print(json_text(shown, indent=None))
        else:
            names = told_apart([line.name for line in found.header.bots])
            which = None if bot is None else _bot_of(bot, names)
            stderr = stderr_by_act(stderr_file(file), bot=which, place=seat)
            view = RecordView(found, names, lines, stderr)
            there = view.show(deals, Wanted(only, Eyes(seat, which), step))
            _check_deal(only, found, there=there)
        _conclude(deals.trouble, found.unfinished, file)


def _write_film(
    page: Path, file: Path, bot: str | None, seat: int | None, only: DealChoice | None
) -> None:
    """Write the page of a record; the exit code is 1 where that does not hold to its end."""
    check_place(page)
    with busy(console(stderr=True), "playing the record again ..."):
        film = film_of(file, bot, seat, only)
        write_page(page, film_page(film))
    deals = plural(len(film.deals), "deal")
    print(f"{printable(str(page))}: {deals} of {film.game}, to be opened in a browser")
    if film.trouble is not None:
        console(stderr=True).print(f"{file}: {film.trouble}", style="red")
        raise typer.Exit(1)


def _bot_of(name: str, names: list[str]) -> int:
    """Return which bot of a record has a name.

    Raises:
        RefereeError: none has.
    """
    if name not in names:
        raise RefereeError(f"--bot {name!r}: the record has {', '.join(names)}")
    return names.index(name)


def _check_deal(only: DealChoice | None, found: Resimulation, *, there: bool) -> None:
    if only is None or there:
        return
    has = found.totals.deals + (found.under_way() is not None)
    legs = f" in {plural(found.header.legs, 'leg')}" if only.leg is not None else ""
    raise RefereeError(f"deal {only}: the record has deals 1 to {has}{legs}")


def _conclude(trouble: str | None, unfinished: str | None, file: Path) -> None:
    """Ends with exit code 1 where the record does not hold, or not to its end."""
    if trouble is not None or unfinished is not None:
        what = f"unfinished: {unfinished}" if trouble is None else f"does not verify: {trouble}"
        console(stderr=True).print(f"{file}: {what}", style="red")
        raise typer.Exit(1)

"""`referee replay`: shows a record, or proves it."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from referee.commands.replay_verify import verify_file, verify_folder
from referee.errors import RefereeError
from referee.match.leg import DealResult
from referee.match.terms import unusual_options
from referee.record.as_json import match_object
from referee.record.by_id import record_file
from referee.record.deal_choice import DealChoice
from referee.record.reader import Mismatch, RecordReader
from referee.record.verify import Resimulation
from referee.terminal.console import console
from referee.terminal.deal_view import deal_heading, ending_text, scene_text, scenes
from referee.terminal.json_output import json_text
from referee.text import plural, told_apart

_STDERR_SHOWN = 5


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
    step: Annotated[bool, typer.Option("--step", help="Wait for Enter after each trick.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
    ladder: Annotated[
        str | None, typer.Option(metavar="WHERE", help="The ladder that has the match of this id.")
    ] = None,
) -> None:
    """Shows a recorded match. Exit code 1 when the record is unfinished or does not hold."""
    if as_json and (seat is not None or step):
        raise RefereeError("--json shows everything: it does not go with --seat or --step")
    if verify and (deal is not None or seat is not None or step):
        raise RefereeError("--verify proves the whole record: no --deal, --seat or --step with it")
    only = None if deal is None else DealChoice.typed(deal)
    file = record_file(file, ladder)
    if verify:
        (verify_folder if file.is_dir() else verify_file)(file, as_json=as_json)
        return
    if file.is_dir():
        raise RefereeError(f"{str(file)!r} is a folder: only --verify takes all of its records")
    with RecordReader(file) as reader:
        try:
            found = Resimulation(reader)
        except Mismatch as error:
            _conclude(str(error), None, file)
            return
        if seat is not None and not 0 <= seat < found.seats:
            raise RefereeError(f"seat {seat}: the seats are 0 to {found.seats - 1}")
        deals = _Held(found)
        if as_json:
            shown = match_object(found, deals, only)
            _check_deal(only, found, there=bool(shown.deals))
            print(json_text(shown, indent=None))
        else:
            there = _show(found, deals, only, seat, step=step)
            _check_deal(only, found, there=there)
        _conclude(deals.trouble, found.unfinished, file)


class _Held:
    """The deals of a record as far as they hold; then `trouble` says why no further."""

    def __init__(self, found: Resimulation) -> None:
        self._found = found
        self.trouble: str | None = None

    def __iter__(self) -> Iterator[DealResult]:
        try:
            yield from self._found.deals()
        except Mismatch as error:
            self.trouble = str(error)


def _check_deal(only: DealChoice | None, found: Resimulation, *, there: bool) -> None:
    if only is None or there:
        return
    has = found.totals.deals + (found.under_way() is not None)
    legs = f" in {plural(found.header.legs, 'leg')}" if only.leg is not None else ""
    raise RefereeError(f"deal {only}: the record has deals 1 to {has}{legs}")


def _show(
    found: Resimulation, deals: _Held, only: DealChoice | None, seat: int | None, *, step: bool
) -> bool:
    """Print what was played; whether there was such a deal."""
    to, talk = console(), console(stderr=True)
    names = told_apart([bot.name for bot in found.header.bots])
    heading = f"{found.header.terms.game}: {' - '.join(names)}"
    there = False
    for number, deal in enumerate(_with_the_last(found, deals), 1):
        leg, of_leg = found.totals.leg, deal.start.deal
        if only is not None and not only.is_meant(number, leg, of_leg):
            continue
        there = True
        if heading:
            to.print(heading, style="bold")
            heading = ""
        to.print()
        called = f"{leg + 1}.{of_leg}" if found.header.legs > 1 else str(number)
        to.print(deal_heading(deal, called, names))
        if seat is not None and seat not in deal.places:
            to.print(f"   seat {seat} of the first deal does not sit here")
            continue
        viewer = None if seat is None else deal.places.index(seat)
        for scene in scenes(deal, viewer):
            to.print(scene_text(scene, deal, names, viewer))
            if step and sys.stdin.isatty():
                talk.print("   Enter: on, Ctrl-C: stop", style="dim", end="")
                sys.stdin.readline()
        if (ending := ending_text(deal, names)) is not None:
            to.print(ending)
        _show_faults(to, found, deal, number, seat)
        points = " ".join(map(str, deal.account.points))
        by, figures = "side", deal.scores
        if deal.account.caller is not None:
            by, figures = "seat", deal.by_seat
        scores = " ".join(map(str, figures)) or "none, it has no end"
        to.print(f"   points by seat {points}   score by {by} {scores}")
    for fault in found.last_faults:
        text = f"fault after the last deal of leg {fault.leg + 1}: place {fault.seat}: {fault.code}"
        to.print(text, style="red")
    for void in found.totals.voids if only is None else ():
        text = f"void: deal {void.deal} of leg {void.leg + 1} ({void.family}): {void.detail}"
        to.print(text, style="yellow")
    if found.end is not None and only is None:
        winner = found.end.winner
        who = "drawn" if winner is None else " and ".join(names[bot] for bot in winner)
        scores = " ".join(map(str, found.end.scores))
        to.print()
        to.print(f"result: {who} ({found.end.end}), scores {scores}", style="bold")
    return there


def _with_the_last(found: Resimulation, deals: _Held) -> Iterator[DealResult]:
    """All deals that hold, then the one in which the record breaks off."""
    yield from deals
    last = found.under_way()
    if last is not None:
        yield last


def _show_faults(
    to: Console, found: Resimulation, deal: DealResult, number: int, seat: int | None
) -> None:
    """The evidence of a deal's faults, and how to play it again; or what the bot was told of it."""
    lines = [line for line in found.fault_lines.get(number, []) if seat in (None, line.place)]
    for line in lines:
        to.print(f"   fault: place {line.place}: {line.code}: {line.detail}", style="red")
        evidence = line.evidence
        if evidence.exit is not None:
            to.print(f"   it ended: {evidence.exit}", style="dim")
        for text in (evidence.stderr_tail or evidence.stderr_head).splitlines()[-_STDERR_SHOWN:]:
            to.print(f"   stderr: {text[:200]}", style="dim")
    if lines and seat is None:
        start, (game, chosen) = deal.start, found.game_of(deal)
        options = "".join(f" -o {option}" for option in unusual_options(game, chosen))
        deck = " ".join(start.deck)
        again = f"--game {game}{options} --dealer {start.dealer} --deck '{deck}'"
        bots = " ".join(["BOT"] * len(start.bots))
        to.print(f"   the same deal again: referee match {bots} {again}", style="dim")


def _conclude(trouble: str | None, unfinished: str | None, file: Path) -> None:
    """Ends with exit code 1 where the record does not hold, or not to its end."""
    if trouble is not None or unfinished is not None:
        what = f"unfinished: {unfinished}" if trouble is None else f"does not verify: {trouble}"
        console(stderr=True).print(f"{file}: {what}", style="red")
        raise typer.Exit(1)

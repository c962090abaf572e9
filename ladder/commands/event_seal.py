"""`referee event contribute` and `check`: that nobody chose the decks of an event."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from ladder.event.check import Finding, State, check_event
from ladder.event.conductor import log_of
from ladder.event.contribution import drawn, told_for
from ladder.event.log import Contents
from ladder.event.seal import commitment_to
from referee.commands.shared import Json
from referee.errors import RefereeError
from referee.terminal.console import busy, console, print_table
from referee.terminal.json_output import json_text


class ContributionJson(Struct, frozen=True):
    """What `event contribute --json` prints: the commitment, or with --log what is told.

    Attributes:
        commitment: what the organiser writes into the event's file.
        contribution: null until it may be told.
        bots: those of the event that it is for.
    """

    commitment: str
    contribution: str | None
    bots: tuple[str, ...]


class CheckJson(Struct, frozen=True):
    """What `event check --json` prints: whether nothing is wrong, and each thing looked at."""

    holds: bool
    findings: tuple[Finding, ...]


def contribute(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Where your contribution is kept; made at first.")
    ],
    log: Annotated[
        str | None,
        typer.Option(metavar="LOG", help="The event's log, once it has begun: tells it."),
    ] = None,
    as_json: Json = False,
) -> None:
    """Draws what you contribute to the decks of an event, and tells it when that is safe.

    First it prints a commitment: the organiser writes it as `seal` of your bots into the event's
    file. When the log of the event has begun, it has that commitment and the organiser's own. Then
    --log prints your contribution for the organiser; it is good for that log alone. So neither of
    you could choose the decks.
    """
    if log is None:
        found = drawn(file)
        value = ContributionJson(commitment_to(found.contribution), None, ())
    else:
        path = log_of(log)
        begun = Contents(path) if path.is_file() else None
        if begun is None or begun.header is None:
            raise RefereeError(f"log {log!r} has not begun: tell your contribution to nobody yet")
        if begun.told is not None:
            raise RefereeError(f"log {log!r} has its contributions already: yours is of no use now")
        contribution, names = told_for(file, begun.header.plan)
        value = ContributionJson(commitment_to(contribution), contribution, names)
    if as_json:
        print(json_text(value, indent=None))
        return
    if value.contribution is None:
        print(f'seal = "{value.commitment}"')
        told = f"give that to the organiser, and keep {str(file)!r} to yourself"
        console(stderr=True).print(told, style="dim", markup=False)
    else:
        print(value.contribution)
        told = f"for {', '.join(value.bots)}; tell it to the organiser now"
        console(stderr=True).print(told, style="dim", markup=False)


def check(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log, its folder, or the FILE.")],
    records: Annotated[
        bool, typer.Option("--records", help="Play the records beside it again, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Proves by an event's log that nobody chose what was played. Exit code 1 if it is wrong.

    Looked at are the chain of the log, the pairings, what was committed to, the contributions, and
    the decks.
    """
    with busy(console(stderr=True), "checking ...") as say:
        found = check_event(
            log_of(log), records=records, tell=lambda number: say(f"record {number} ...")
        )
    wrong = any(one.state is State.WRONG for one in found)
    if as_json:
        print(json_text(CheckJson(not wrong, tuple(found)), indent=None))
    else:
        rows = [(one.what, str(one.state), one.told) for one in found]
        print_table(console(), ("what", "state", "which says"), rows)
    raise typer.Exit(int(wrong))

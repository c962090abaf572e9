"""`referee event contribute` and `check`: neither organiser nor authors choose an event's decks."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from ladder.core.seal import commitment_to
from ladder.event.check import Finding, State, check_event
from ladder.event.conductor import check_against_plan, log_of
from ladder.event.contribution import drawn, told_for, wrong_in
from ladder.event.log import Contents
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
        wrong: what is wrong with it in a log that has its contributions; null if nothing is.
    """

    commitment: str
    contribution: str | None
    bots: tuple[str, ...]
    wrong: str | None = None


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
    --log prints your contribution: publish it. It is good for that log alone, so neither of you
    could choose the decks. Once the log has all contributions, --log says whether yours is there as
    you told it, with exit code 1 if it is not.
    """
    value, told = _drawn(file) if log is None else _in_log(file, log)
    if as_json:
        print(json_text(value, indent=None))
    elif value.wrong is not None:
        print(value.wrong)
    elif value.contribution is not None:
        print(value.contribution)
    elif log is None:
        print(f'seal = "{value.commitment}"')
    if not as_json and told:
        console(stderr=True).print(told, style="dim", markup=False)
    raise typer.Exit(int(value.wrong is not None))


def _drawn(file: Path) -> tuple[ContributionJson, str]:
    """Return a contribution before the event, and what to do now."""
    value = ContributionJson(commitment_to(drawn(file).contribution), None, ())
    return value, f"give that to the organiser, and keep {str(file)!r} to yourself"


def _in_log(file: Path, log: str) -> tuple[ContributionJson, str]:
    """Return a contribution for a log that has begun, or what became of it there; what to do now.

    Raises:
        RefereeError: it may not be told, or not yet.
    """
    path = log_of(log)
    begun = Contents(path) if path.is_file() else None
    if begun is None or begun.header is None:
        raise RefereeError(f"log {log!r} has not begun: do not tell your contribution yet")
    check_against_plan(begun, path)
    plan = begun.header.plan
    if begun.told is None:
        contribution, names = told_for(file, plan)
        value = ContributionJson(commitment_to(contribution), contribution, names)
        return value, f"for {', '.join(names)}; publish it where all can see when you did"
    wrong = wrong_in(file, plan, begun.told) or None
    value = ContributionJson(commitment_to(drawn(file).contribution), None, (), wrong)
    return value, "" if wrong else "nothing is wrong with your contribution in this log"


def check(
    log: Annotated[str, typer.Argument(metavar="LOG", help="A log, its folder, or the FILE.")],
    records: Annotated[
        bool, typer.Option("--records", help="Play the records beside it again, too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Checks by an event's log what its organiser and authors could choose. Exit code 1 if wrong.

    It looks at the chain of the log, the pairings, the commitments, the contributions, and the
    decks. What a log cannot prove is "open".
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

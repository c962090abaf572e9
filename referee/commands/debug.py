"""`referee debug`: tells a bot again what a record says that it was told, up to any act."""

from pathlib import Path
from typing import Annotated

import typer

from referee.commands import shared
from referee.debug.stops import AtAct, AtFault, Stop, UntilDifference
from referee.errors import RefereeError
from referee.record.by_id import record_file
from referee.record.deal_choice import DealChoice
from referee.sandbox.names import SandboxName


def debug(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="A record, or the id of a match of a ladder.")
    ],
    bot: Annotated[
        list[str],
        typer.Argument(
            metavar="BOT",
            help="The bot, as for `referee match`; or, after --, a command that runs it, "
            "such as python -m pdb bot.py.",
        ),
    ],
    called: Annotated[
        str | None,
        typer.Option(
            "--as", metavar="NAME", help="Which bot of the record it is.  [default: by its files]"
        ),
    ] = None,
    deal: Annotated[
        str | None, typer.Option(metavar="N", help="Stop in this deal, such as 7 or 2.7.")
    ] = None,
    act: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="At this act of the deal, counted from 0.  [default: its first]"
        ),
    ] = None,
    at_fault: Annotated[
        bool, typer.Option("--at-fault", help="Stop at the bot's first fault.")
    ] = False,
    until_diff: Annotated[
        bool,
        typer.Option(
            "--until-diff", help="Stop where it answers otherwise than the record.  [default]"
        ),
    ] = False,
    what_if: Annotated[
        str | None,
        typer.Option(metavar="ACTION", help="Play on from there with this action instead."),
    ] = None,
    worlds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="For --what-if: on N other decks, too, that agree with all the bot knew.",
            min=1,
            max=100_000,
        ),
    ] = None,
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BOT",
            help="For --what-if: who plays for the record's other bots, in their order.  "
            "[default: sample:greedy for each]",
        ),
    ] = None,
    attach: Annotated[
        bool,
        typer.Option("--attach", help="Wait before the act, and say the process id; runs bare."),
    ] = False,
    tee: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all that is said to this file.")
    ] = None,
    sandbox: shared.Sandbox = SandboxName.AUTO,
    as_json: shared.Json = False,
    ladder: Annotated[
        str | None, typer.Option(metavar="WHERE", help="The ladder that has the match of this id.")
    ] = None,
) -> None:
    """Tells a bot again what a record says it was told, up to an act. No clock runs.

    Exit code 1 when --until-diff finds a difference, or --at-fault no fault.
    """
    stop = _stop(deal, act, at_fault=at_fault, until_diff=until_diff)
    if what_if is None and against:
        raise RefereeError("--against goes with --what-if")
    if what_if is None and worlds is not None:
        raise RefereeError("--worlds goes with --what-if")
    if what_if is not None and isinstance(stop, UntilDifference):
        raise RefereeError("--what-if needs an act: --deal N --act M, or --at-fault")
    if len(bot) > 1 or attach:
        if sandbox not in (SandboxName.AUTO, SandboxName.BARE):
            raise RefereeError("a debugger cannot reach into a sandbox: --sandbox bare")
        sandbox = SandboxName.BARE
    from referee.commands.debug_run import DebugRun  # noqa: PLC0415  # takes a while; --help does not

    run = DebugRun(
        path=record_file(file, ladder),
        words=tuple(bot),
        called=called,
        stop=stop,
        sandbox=sandbox,
        attach=attach,
        what_if=what_if,
        worlds=worlds,
        against=tuple(against or ()),
    )
    raise typer.Exit(run.run(tee, as_json=as_json))


def _stop(deal: str | None, act: int | None, *, at_fault: bool, until_diff: bool) -> Stop:
    """Return where to stop.

    Raises:
        RefereeError: more than one place was named, or half of one.
    """
    if (deal is not None) + at_fault + until_diff > 1:
        raise RefereeError("--deal, --at-fault and --until-diff: only one of them")
    if act is not None and deal is None:
        raise RefereeError("--act goes with --deal: the acts of each deal are counted from 0")
    if deal is not None:
        return AtAct(DealChoice.typed(deal), act)
    return AtFault() if at_fault else UntilDifference()

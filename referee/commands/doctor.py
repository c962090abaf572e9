"""`referee doctor`: which sandboxes work here, and what each was proved to enforce."""

from typing import Annotated

import trio
import typer
from msgspec import Struct
from rich.console import Console
from rich.text import Text

from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Json
from referee.doctor.diagnosis import diagnose, verdict_on
from referee.doctor.reports import GuaranteeState, SandboxReport, exit_code, taken
from referee.play.interrupts import interruptible
from referee.sandbox.choose import by_strength
from referee.sandbox.doctor_verdict import DoctorVerdict
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console, print_table
from referee.terminal.json_output import json_text
from referee.text import printable

_STYLES = {
    GuaranteeState.PROVED: "green",
    GuaranteeState.BROKEN: "bold red",
    GuaranteeState.ABSENT: "yellow",
}
_ALL = (SandboxName.BWRAP, SandboxName.DOCKER, SandboxName.BARE)


class DoctorJson(Struct, frozen=True):
    """What `referee doctor --json` prints.

    Attributes:
        auto: what `--sandbox auto` takes.
        auto_for_strangers: what it takes for bots that strangers handed in, to a ladder, or to an
            event as zips; None if it takes no sandbox for them.
        sandboxes: those that were put on trial.
    """

    auto: str
    auto_for_strangers: str | None
    sandboxes: tuple[SandboxReport, ...]


def doctor(
    sandbox: Annotated[
        SandboxName, typer.Option(help="Which to put on trial; auto is all of them.")
    ] = SandboxName.AUTO,
    as_json: Json = False,
) -> None:
    """Proves what the sandboxes enforce here. Exit code 1 when one that counts does not.

    The one that counts is the one that --sandbox names, or that auto takes.
    """
    names = _ALL if sandbox is SandboxName.AUTO else (sandbox,)
    found = trio.run(_all, names, read_settings())
    if as_json:
        print(json_text(found))
    else:
        for report in found.sandboxes:
            _print(report, console())
        console().print(f"--sandbox auto takes {found.auto}; {_for_strangers(found)}")
    raise typer.Exit(exit_code(found.sandboxes, found.auto))


def _for_strangers(found: DoctorJson) -> str:
    """What it takes for bots of strangers, in words that go on after what it takes for others."""
    match found.auto_for_strangers:
        case None:
            return "for a ladder's bots, which are strangers', it takes none here"
        case found.auto:
            return "for a ladder's bots, too"
        case other:
            return f"for a ladder's bots {other}"


async def _all(names: tuple[SandboxName, ...], settings: Settings) -> DoctorJson:
    """Diagnoses sandboxes until it is done or a signal stops us."""
    reports: list[SandboxReport] = []
    verdicts: dict[str, DoctorVerdict] = {}
    with trio.CancelScope() as scope, busy(console(stderr=True), "trying ...") as say:
        async with interruptible(scope):
            for name in names:
                reports += [await diagnose(name, settings, say)]
            verdicts |= {report.name: report.verdict for report in reports}
            for name in by_strength():
                if name not in verdicts:
                    verdicts[name] = await verdict_on(name, settings)
                if taken(verdicts, (name,), strangers=True):
                    break  # auto asks no other
    if scope.cancelled_caught:
        raise KeyboardInterrupt
    order = by_strength()
    auto = taken(verdicts, order, strangers=False) or SandboxName.BARE
    return DoctorJson(auto, taken(verdicts, order, strangers=True), tuple(reports))


def _print(report: SandboxReport, to: Console) -> None:
    if not report.works:
        to.print(
            Text.assemble(
                (report.name, "bold"), f" does not work here: {printable(report.why_not)}"
            )
        )
        to.print(f"  -> {report.mend}", style="italic")
        to.print()
        return
    to.print(Text.assemble((report.name, "bold"), f" works: {report.how}"))
    print_table(
        to,
        ("state", "guarantee", "promise", "what was found"),
        [
            (Text(one.state, _STYLES[one.state]), one.id, one.promise, one.detail)
            for one in report.guarantees
        ],
    )
    mends: dict[str, list[str]] = {}
    for one in report.guarantees:
        if one.mend:
            mends.setdefault(one.mend, []).append(one.id)
    for mend, ids in mends.items():
        to.print(f"-> {', '.join(ids)}: {mend}", style="italic")
    for language in report.languages:
        to.print(f"{language.name:<8} {language.version}")
    to.print()

"""`referee doctor`: which sandboxes work here, and what each was proved to enforce."""

from typing import Annotated

import trio
import typer
from msgspec import Struct
from rich.console import Console
from rich.text import Text

from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Json
from referee.doctor.diagnosis import diagnose, is_sound
from referee.doctor.reports import GuaranteeState, SandboxReport, exit_code, taken
from referee.play.interrupts import interruptible
from referee.sandbox.choose import by_strength
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
    """What `referee doctor --json` prints; `auto` is what `--sandbox auto` takes."""

    auto: str
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
    reports, auto = trio.run(_all, names, read_settings())
    if as_json:
        print(json_text(DoctorJson(auto, tuple(reports))))
    else:
        for report in reports:
            _print(report, console())
        console().print(f"--sandbox auto takes {auto}")
    raise typer.Exit(exit_code(reports, auto))


async def _all(
    names: tuple[SandboxName, ...], settings: Settings
) -> tuple[list[SandboxReport], str]:
    """Diagnoses sandboxes until it is done or a signal stops us."""
    reports: list[SandboxReport] = []
    auto = ""
    with trio.CancelScope() as scope, busy(console(stderr=True), "trying ...") as say:
        async with interruptible(scope):
            for name in names:
                reports += [await diagnose(name, settings, say)]
            known = {report.name: report.sound for report in reports}
            for name in (SandboxName.BWRAP, SandboxName.DOCKER):
                if name not in known:
                    known[name] = await is_sound(name, settings)
                if known[name]:
                    break
            auto = taken(known, by_strength())
    if scope.cancelled_caught:
        raise KeyboardInterrupt
    return reports, auto


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

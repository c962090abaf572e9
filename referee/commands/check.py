"""`referee check`: whether a bot keeps to the protocol, and how to mend it."""

import json
from typing import Annotated

import trio
import typer
from rich.text import Text

from referee.bots import BotSpec, resolve
from referee.conformance import Finding, Level, examination, examine
from referee.faces import busy, console, printable
from referee.interrupts import interruptible
from referee.sandbox.bare import Bare

_STYLES = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "bold red"}


def check(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="An executable, a folder, or sample:NAME.")
    ],
    game: Annotated[str, typer.Option(help="The game to talk about.")] = "briscola-2",
    options: Annotated[
        list[str] | None,
        typer.Option("--option", "-o", metavar="NAME=VALUE", help="See `referee games ID`."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Checks whether a bot keeps to the protocol. Exit code 1 when it does not."""
    chosen = tuple(options or ())
    examination(game, chosen)
    talk = console(stderr=True)
    with busy(talk, f"preparing {bot} ..."):
        spec = resolve(bot)
    with busy(talk, f"talking to {spec.name} ..."):
        findings = trio.run(_examine, spec, game, chosen)
    if as_json:
        rows = [{"level": str(f.level), "what": f.what, "mend": f.mend} for f in findings]
        print(json.dumps({"bot": spec.name, "game": game, "findings": rows}, indent=2))
    else:
        for finding in findings:
            _print(finding)
    raise typer.Exit(int(any(finding.level is Level.PROBLEM for finding in findings)))


async def _examine(bot: BotSpec, game: str, options: tuple[str, ...]) -> list[Finding]:
    """Examines a bot until it is done or somebody wants us to stop."""
    findings: list[Finding] = []
    with trio.CancelScope() as scope:
        async with interruptible(scope):
            findings = await examine(bot, game, Bare(), options=options)
    if scope.cancelled_caught:
        raise KeyboardInterrupt
    return findings


def _print(finding: Finding) -> None:
    line = Text.assemble((f"{finding.level:<8}", _STYLES[finding.level]), printable(finding.what))
    if finding.mend:
        line.append(f"\n         -> {finding.mend}", style="italic")
    console().print(line)

"""`referee check`: whether a bot keeps to the protocol, and how to mend it."""

import shlex
from pathlib import Path
from typing import Annotated

import trio
import typer
from msgspec import Struct
from rich.text import Text

from referee.bots.find import BotSource, find
from referee.bots.settings import Settings, read_settings
from referee.check.conversation import CheckFinding, Level
from referee.check.examine import TIME, examination, examine
from referee.commands import shared
from referee.match.clock import parse_time
from referee.match.plan import MatchPlan
from referee.match.terms import read_options
from referee.play.interrupts import interruptible
from referee.play.tee import Tee, written
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import printable

_STYLES = {Level.OK: "green", Level.WARNING: "yellow", Level.PROBLEM: "bold red"}


class CheckJson(Struct, frozen=True):
    """What `referee check --json` prints; the same `key` asks the same again."""

    bot: str
    game: str
    key: str
    findings: tuple[CheckFinding, ...]


def check(
    bot: Annotated[
        str, typer.Argument(metavar="BOT", help="An executable, a folder, or sample:NAME.")
    ],
    game: Annotated[str, typer.Option(help="The game to talk about.")] = "briscola-2",
    options: shared.Options = None,
    time: Annotated[
        str, typer.Option(metavar="SPEC", help="Its clock, as for `referee match`.")
    ] = TIME,
    key: Annotated[
        str | None, typer.Option(help="Any text; asks as the check did that named it.")
    ] = None,
    tee: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write all that is said to this file.")
    ] = None,
    sandbox: shared.Sandbox = SandboxName.AUTO,
    as_json: shared.Json = False,
) -> None:
    """Checks whether a bot keeps to the protocol. Exit code 1 when it does not."""
    plan = examination(game, read_options(options or ()), parse_time(time), key)
    talk = console(stderr=True)
    settings = read_settings()
    spec = find(bot, settings)
    with written(tee) as writes, busy(talk, f"talking to {spec.name} ..."):
        findings = trio.run(_examine, spec, plan, sandbox, settings, writes)
    if as_json:
        print(json_text(CheckJson(spec.name, game, plan.key, tuple(findings))))
    else:
        for finding in findings:
            _print(finding)
        again = shlex.join(("--key", plan.key))
        line = Text(printable(f"the same cards, ids and seed again: {again}"))
        console().print(line, soft_wrap=True)  # a key that is cut in two is none
    raise typer.Exit(int(any(finding.level is Level.PROBLEM for finding in findings)))


async def _examine(
    bot: BotSource, plan: MatchPlan, name: SandboxName, settings: Settings, tee: Tee | None
) -> list[CheckFinding]:
    """Examines a bot until it is done or a signal stops us."""
    findings: list[CheckFinding] = []
    with trio.CancelScope() as scope:
        async with interruptible(scope), opened_for(name, [bot], settings) as sandbox:
            spec = await sandbox.prepare(bot)
            findings = await examine(spec, plan, sandbox, tee)
    if scope.cancelled_caught:
        raise KeyboardInterrupt
    return findings


def _print(finding: CheckFinding) -> None:
    line = Text.assemble((f"{finding.level:<8}", _STYLES[finding.level]), printable(finding.what))
    if finding.mend:
        line.append(f"\n         -> {finding.mend}", style="italic")
    console().print(line)

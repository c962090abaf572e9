"""Options that several commands have, those of the ladder's among them.

Defaults stay with the commands. Commands that need no sandbox do not import this: it takes a while.
"""

from pathlib import Path
from typing import Annotated

import typer

from referee.match import verdict
from referee.match.clock import DEFAULT_TIME
from referee.sandbox.names import SandboxName

Options = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="NAME=VALUE", help="See `referee games ID`."),
]
Deals = Annotated[
    int | None,
    typer.Option(metavar="N", help="N decks, each standing alone: deal values add up."),
]
RecordFile = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Where the record goes.  [default: in records/]"),
]
Key = Annotated[str | None, typer.Option(help="Any text; the same key deals the same cards.")]
Time = Annotated[
    str,
    typer.Option(
        metavar="SPEC", help=f"Each part optional; none: no clock.  [default: {DEFAULT_TIME}]"
    ),
]
Sandbox = Annotated[
    SandboxName, typer.Option(help="Where bots run; auto is the strongest that works here.")
]
Freeze = Annotated[
    verdict.Freeze, typer.Option(help="Stop bots while others think; auto: those that work then.")
]
Pace = Annotated[
    int, typer.Option(metavar="MS", help="Let answers through so long after their act.")
]
OnFault = Annotated[
    verdict.OnFault | None,
    typer.Option(help="What a bot's fault does to the deal.  [default: the game decides]"),
]
Workers = Annotated[
    int | None, typer.Option(metavar="N", help="Matches at a time.  [default: one a core]")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]

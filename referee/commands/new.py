"""`referee new`: a folder with a bot to start from."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec import Struct

from referee.bots import kits
from referee.terminal.json_output import json_text


class NewJson(Struct, frozen=True):
    """What `referee new --json` prints; `commands` test the bot, check it, and play a match."""

    folder: str
    language: str
    files: tuple[str, ...]
    commands: tuple[str, ...]


def new(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="What the bot and its folder are called.")
    ],
    language: Annotated[str, typer.Option(metavar="LANG", help=f"One of {', '.join(kits.TESTS)}.")],
    folder: Annotated[Path, typer.Option(metavar="DIR", help="Where its folder is made.")] = Path(),
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Makes a folder with a bot to start from."""
    files = kits.kit_files(language, name)
    made = folder / name
    kits.write_kit(files, made)
    commands = kits.next_commands(language, made)
    if as_json:
        print(json_text(NewJson(str(made), language, tuple(files), commands)))
    else:
        print(*commands, sep="\n")

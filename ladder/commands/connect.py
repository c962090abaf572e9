"""`referee connect URL BOT`: a bot on this machine plays against bots of a ladder's site."""

import sys
from functools import partial
from typing import Annotated

import trio
import typer
from msgspec import Struct

from ladder.connection.messages import Over
from ladder.core.names import fitted, name_of
from ladder.remote.connected_bot import ConnectedBot
from ladder.remote.dialling import Dialler
from ladder.remote.site_client import token_of
from referee.bots.find import BotSource, find
from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Json, Sandbox
from referee.play.interrupts import interruptible
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import console
from referee.terminal.json_output import json_text
from referee.text import printable


class ConnectJson(Struct, frozen=True):
    """A match of a connected bot, as `--json` prints it.

    Attributes:
        bot: what the match called it.
        against: whom it played, as that was typed.
        text: how the match ended.
        scores: by bot, the connected one first; none where it was broken off.
        faults: what the referee has said of the connected bot.
    """

    bot: str
    against: str
    text: str
    scores: tuple[int, ...]
    faults: tuple[str, ...]


def connect(
    url: Annotated[str, typer.Argument(metavar="URL", help="The ladder's site.")],
    bot: Annotated[str, typer.Argument(metavar="BOT", help="A bot of yours, on this machine.")],
    against: Annotated[
        str, typer.Option(metavar="BOT", help="A bot of the ladder: NAME, AUTHOR/NAME or #NUMBER.")
    ] = "",
    game: Annotated[
        str, typer.Option(help="One of the ladder's games; needed where the bot plays several.")
    ] = "",
    deals: Annotated[
        int, typer.Option(min=1, max=10, help="How many decks, each in all seatings.")
    ] = 1,
    name: Annotated[
        str | None, typer.Option(help="What the match calls your bot.  [default: its own name]")
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="How many, one after the other.")] = 1,
    sandbox: Sandbox = SandboxName.AUTO,
    as_json: Json = False,
) -> None:
    """Plays a bot of yours, which stays on this machine, against one of a ladder's site.

    Such matches do not count. REFEREE_TOKEN has the token of your invitation. Where the connection
    breaks, it is made again, while your bot's clock runs. Exit code 0, or 1 when your bot was
    faulted or a match broken off.
    """
    if not against:
        raise typer.BadParameter("say who it plays against", param_hint="--against")
    settings = read_settings()
    found = find(bot, settings)
    called = name_of(name or fitted(found.name) or "bot", "bot")
    wanted = {"against": against, "game": game, "deals": str(deals), "name": called}
    token, good = token_of(), True
    for _ in range(matches):
        dial = Dialler(url, token, wanted)  # another match has another id
        over = trio.run(_played, found, settings, sandbox, dial)
        good &= bool(over.scores) and not over.faults
        if as_json:
            told = ConnectJson(called, against, over.text, over.scores, over.faults)
            print(json_text(told, indent=None))
        else:
            _print(over, called, against)
    raise typer.Exit(int(not good))


async def _played(
    found: BotSource, settings: Settings, sandbox: SandboxName, dial: Dialler
) -> Over:
    """Play a match; an interrupt ends it in good order, for the bot and the site."""
    scope, over = trio.CancelScope(), None
    async with interruptible(scope), opened_for(sandbox, [found], settings) as opened:
        with scope:
            bot = await opened.prepare(found)
            tell = partial(console(stderr=True).print, style="dim", markup=False)
            over = await ConnectedBot(opened, bot, tell).play(dial)
    if over is None:
        raise KeyboardInterrupt
    return over


def _print(over: Over, called: str, against: str) -> None:
    for fault in over.faults:
        print("referee:", printable(fault), file=sys.stderr)
    print(printable(over.text))
    if over.scores:
        others = (f"{against} {score:+d}" for score in over.scores[1:])
        print(printable(f"   {called} {over.scores[0]:+d}, {', '.join(others)}"))

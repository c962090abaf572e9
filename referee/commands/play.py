"""`referee play`: a person plays against bots in the terminal."""

import getpass
import secrets
from itertools import cycle, islice
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.commands import shared
from referee.errors import RefereeError
from referee.games import catalogue
from referee.games import find as find_game
from referee.match.chance import KEY_BITS
from referee.match.clock import NO_TIME, parse_time
from referee.match.plan import MatchConfig, MatchPlan, make_plan
from referee.match.terms import Terms, all_options, read_options
from referee.sandbox.names import SandboxName

_USUAL: Final = ("sample:greedy",)


def play(
    bots: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="BOT...",
            help="Who plays with you, from the seat after yours on; where more seats are left, "
            "the same again.  [default: sample:greedy]",
        ),
    ] = None,
    game: Annotated[
        str | None,
        typer.Option(help="See `referee games`.  [default: briscola-(number of bots + 1)]"),
    ] = None,
    options: shared.Options = None,
    deals: shared.Deals = None,
    key: shared.Key = None,
    time: shared.Time = "",
    my_time: Annotated[
        str, typer.Option(metavar="SPEC", help="Your own clock, like --time; none: no clock.")
    ] = NO_TIME,
    place: Annotated[
        int, typer.Option(metavar="N", help="At which place you sit, from 1.", min=1)
    ] = 1,
    sandbox: shared.Sandbox = SandboxName.AUTO,
    record: shared.RecordFile = None,
) -> None:
    """Plays with you at the table.

    Arrow keys and Enter or card names, h for a hint, q to leave.
    Exit code 0, or 1 when a bot was faulted.
    """
    typed = bots or list(_USUAL)
    game = game or f"briscola-{len(typed) + 1}"
    if game not in catalogue():
        raise RefereeError(f"no game {game!r}: `referee games` lists them; name one by --game")
    chosen = read_options(options or ())
    fits = len(typed) + 1 in find_game(game).seats
    agreed = Terms(
        game=game,
        options=all_options(game, chosen, len(typed) + 1 if fits else None),
        time=parse_time(time),
    )
    others = _filled(typed, find_game(game).rules_of(agreed.options)[0].game.seats, place)
    plan = make_plan(
        MatchConfig(
            terms=agreed,
            bots=len(others) + 1,
            deals=deals,
            key=secrets.token_hex(KEY_BITS // 8) if key is None else key,
            clocks={place - 1: parse_time(my_time)},
        )
    )
    raise typer.Exit(_play(plan, others, place - 1, sandbox, record))


def _filled(bots: list[str], seats: int, place: int) -> list[str]:
    """Return a bot for each seat but the person's.

    Raises:
        RefereeError: there are too many, or no such place.
    """
    if len(bots) >= seats:
        raise RefereeError(f"{len(bots)} bots and you: the game has {seats} seats")
    if place > seats:
        raise RefereeError(f"--place {place}: the game has {seats} seats")
    return list(islice(cycle(bots), seats - 1))


def _play(
    plan: MatchPlan, others: list[str], place: int, sandbox: SandboxName, record: Path | None
) -> int:
    from referee.commands.play_run import PlayRun  # noqa: PLC0415  # takes a while; --help does not

    settings = read_settings()
    found = [find(bot, settings) for bot in others]
    return PlayRun(plan, found, place, _name(), settings, sandbox, record).run()


def _name() -> str:
    """Return what records call the person: as the machine does."""
    try:
        return getpass.getuser()[:32] or "person"
    except (OSError, KeyError):  # no such user
        return "person"

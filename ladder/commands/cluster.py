"""`referee cluster`: the keys of a cluster, its scheduler, and a machine that plays."""

import platform
import socket
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import trio
import typer

from ladder.cluster.address import PORT, read_address
from ladder.cluster.engine import run_scheduler
from ladder.cluster.join import join
from ladder.cluster.keys import make_keys, security_of
from ladder.commands.players import KEYS_VARIABLE, keys_folder
from ladder.commands.shared import Sandbox, Sandboxes
from ladder.runner.play import made_ready
from referee.bots.settings import Settings, read_settings
from referee.commands.shared import Workers
from referee.errors import RefereeError
from referee.play.interrupts import interruptible
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.text import printable

Keys = Annotated[
    Path | None,
    typer.Option(
        "--keys",
        metavar="DIR",
        help="Where the keys of the cluster lie.  "
        f"[default: ${KEYS_VARIABLE}, else briscola-referee/cluster in the user's configuration]",
    ),
]
_MOST_NAME = 64


def keys(
    folder: Annotated[
        Path | None,
        typer.Argument(metavar="[DIR]", help="Where to write them.  [default: as for --keys]"),
    ] = None,
) -> None:
    """Makes the keys of a new cluster.

    All machines of the cluster get a copy of the folder. Who has it may run anything on all of
    them, as the user who has started the referee there: copy it as you would a private key of SSH.
    """
    to = keys_folder(folder)
    make_keys(to, datetime.now(UTC))
    console().print(f"keys of a new cluster: {printable(str(to))}")
    console().print("copy the folder to each of its machines, for their owner alone", style="dim")


def scheduler(
    listen: Annotated[
        str,
        typer.Option(
            metavar="HOST:PORT",
            help="Where it listens: an address of this machine that others see.",
        ),
    ] = f"127.0.0.1:{PORT}",
    dashboard: Annotated[
        int | None,
        typer.Option(
            metavar="PORT",
            min=1,
            max=0xFFFF,
            help="Show the pages of dask at http://127.0.0.1:PORT/status; they take bokeh.",
        ),
    ] = None,
    folder: Keys = None,
) -> None:
    """Runs the scheduler of a cluster, until it is stopped.

    It speaks TLS, and only to those who have the keys of the cluster. It plays nothing.
    """
    address = read_address(listen)
    security = security_of(keys_folder(folder))
    if dashboard is not None and find_spec("bokeh") is None:
        raise RefereeError("--dashboard: the pages of dask take bokeh: pip install bokeh")
    talk = console(stderr=True)

    def say(line: str) -> None:
        talk.print(line)
        talk.print(f"a machine joins with: referee cluster worker {address}", style="dim")
        if dashboard is not None:
            talk.print(f"pages of dask: http://127.0.0.1:{dashboard}/status")

    run_scheduler(address, security, dashboard, say)


def worker(
    address: Annotated[
        str, typer.Argument(metavar="ADDRESS", help="Of the scheduler: tls://HOST:PORT.")
    ],
    name: Annotated[
        str | None, typer.Option(help="What lines call this machine.  [default: its host name]")
    ] = None,
    host: Annotated[
        str | None,
        typer.Option(
            metavar="HOST",
            help="An address of this machine at which the others reach it.  [default: the one that "
            "leads to the scheduler]",
        ),
    ] = None,
    workers: Workers = None,
    sandbox: Sandbox = Sandboxes.AUTO,
    folder: Keys = None,
) -> None:
    """Has this machine play the matches of a cluster, until it is stopped.

    It proves at its start that its sandbox holds, and plays for all who have the keys. Should the
    scheduler go, it ends with exit code 3: let systemd, or a loop, start it again.
    """
    scheduler = read_address(address)
    security = security_of(keys_folder(folder))
    called = name or socket.gethostname() or platform.node()
    if not called.isprintable() or len(called) > _MOST_NAME:
        raise RefereeError(f"--name: at most {_MOST_NAME} letters that can be printed")
    settings = read_settings()
    joining = partial(
        join, scheduler, security, name=called, host=host, workers=workers, settings=settings
    )
    trio.run(_serve, joining, SandboxName(sandbox), settings)


async def _serve(
    joining: Callable[..., Awaitable[None]], sandbox: SandboxName, settings: Settings
) -> None:
    """Play for the cluster until a signal asks us to stop."""
    talk = console(stderr=True)
    playing = trio.CancelScope()
    async with interruptible(playing):
        with playing:
            with busy(talk, "opening the sandbox ...") as say:
                ready = await made_ready(sandbox, settings, say)
            await joining(sandbox=ready.sandbox, say=talk.print)

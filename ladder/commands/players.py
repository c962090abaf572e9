"""Who plays the matches of a command: the cores of this machine, or a cluster."""

import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from referee.bots.settings import Settings, read_settings
from referee.errors import RefereeError, not_installed
from referee.sandbox.names import SandboxName
from referee.workers.jobs import Players
from referee.workers.pool import opened_pool

if TYPE_CHECKING:
    from ladder.cluster.players import Cluster

EXTRA: Final = "cluster"
ADDRESS_VARIABLE: Final = "REFEREE_CLUSTER"
KEYS_VARIABLE: Final = "REFEREE_CLUSTER_KEYS"

ClusterOption = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="ADDRESS",
        envvar=ADDRESS_VARIABLE,
        show_envvar=False,
        help="Have the matches played by the machines of a cluster: tls://HOST:PORT of its "
        f"scheduler; see `referee cluster`.  [default: ${ADDRESS_VARIABLE}, else this machine]",
    ),
]


def keys_folder(said: Path | None) -> Path:
    """Return where the keys of the cluster lie."""
    if said is not None:
        return said
    if named := os.environ.get(KEYS_VARIABLE):
        return Path(named)
    home = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")
    return Path(home) / "briscola-referee" / "cluster"


@asynccontextmanager
async def opened_players(
    cluster: str | None,
    workers: int | None,
    sandbox: SandboxName,
    settings: Settings,
    say: Callable[[str], None],
    *,
    show: Callable[[Sequence[str]], None] = lambda _: None,
    proof: str = "",
) -> AsyncIterator[Players]:
    """Who plays matches, until the block is left.

    Args:
        cluster: the address of its scheduler; None: the cores of this machine play.
        workers: how many matches at a time; not with a cluster, where each machine says that.
        sandbox: where bots run; likewise.
        settings: of this machine.
        say: is told which machines of a cluster join, leave, are left out, and have played what.
        show: is given lines that say how they do, every second.
        proof: the command that proves results later; "": there is none, so that every record that
            machines bring is played again before its result counts.

    Raises:
        RefereeError: the sandbox does not work here, or there are no keys of the cluster.
        HostError: workers cannot be started, or the cluster does not answer.
    """
    if not cluster:
        async with opened_pool(workers, sandbox) as pool:
            yield pool
        return
    if workers is not None:
        raise RefereeError("say --workers or --cluster, not both: a machine says how many it plays")
    async with _opened(cluster, settings, say, show=show, proof=proof) as machines:
        yield machines


def opened_machines(
    cluster: str, say: Callable[[str], None]
) -> AbstractAsyncContextManager["Cluster"]:
    """The machines of a cluster, until the block is left; each record is played again.

    Found by the entry-point group `briscola_referee.clusters`.

    Args:
        cluster: the address of its scheduler.
        say: is told which machines join, leave, are left out, and have played what.

    Raises:
        RefereeError: there are no keys of the cluster, or the settings are wrong.
        HostError: the cluster does not answer.
    """
    return _opened(cluster, read_settings(), say)


@asynccontextmanager
async def _opened(
    cluster: str,
    settings: Settings,
    say: Callable[[str], None],
    *,
    show: Callable[[Sequence[str]], None] = lambda _: None,
    proof: str = "",
) -> AsyncIterator["Cluster"]:
    try:  # the engine takes half a second to import
        from ladder.cluster.address import read_address  # noqa: PLC0415  # see above
        from ladder.cluster.keys import security_of  # noqa: PLC0415  # see above
        from ladder.cluster.players import opened_cluster  # noqa: PLC0415  # see above
    except ModuleNotFoundError as error:
        raise not_installed("--cluster", EXTRA, error) from error
    scheduler, security = read_address(cluster), security_of(keys_folder(None))
    opening = opened_cluster(scheduler, security, settings, say, show=show, proof=proof)
    async with opening as machines:
        yield machines

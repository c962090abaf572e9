"""Which sandbox to take, and what has to be done before and after it is used."""

import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Final

import trio

from referee.bots.find import BotSource, BotSpec
from referee.bots.settings import CopyLimits, Settings
from referee.errors import RefereeError, SandboxError, shortage
from referee.sandbox import Sandbox, janitor
from referee.sandbox.bare import Bare
from referee.sandbox.bubblewrap.sandbox import INSTALL, MISSING, Bubblewrap
from referee.sandbox.cgroups.hierarchy import available
from referee.sandbox.cgroups.spare_groups import SpareGroups
from referee.sandbox.copy_store import CopyStore
from referee.sandbox.count_process import COUNT_PROCESSES
from referee.sandbox.doctor_cache import verdict_of
from referee.sandbox.folders import (
    SandboxFolders,
    leave,
    own_folder,
    staged,
    store_folder,
    work_folder,
)
from referee.sandbox.launcher import has_landlock
from referee.sandbox.names import SandboxName
from referee.sandbox.watchdog import WATCHDOG

_TRIAL_S: Final = 10.0
_FALLEN_BACK: Final = "no isolation, since no sandbox works here: "


@asynccontextmanager
async def opened(
    name: SandboxName,
    settings: Settings | None = None,
    *,
    cgroups: bool = True,
    landlock: bool = True,
) -> AsyncIterator[Sandbox]:
    """A sandbox, until the block is left; whatever ends us, a janitor clears up.

    Args:
        name: which; AUTO is for `opened_for`.
        settings: what the organiser allows.
        cgroups: False to do without control groups, as on a machine that has none.
        landlock: False to leave /proc open where no mount covers it, as a kernel without it does.

    Raises:
        SandboxError: it does not work here.
    """
    work = own_folder(work_folder(), 0o755)
    socket = _docker_socket() if name is SandboxName.DOCKER else ""
    sweep_dead(work, socket)
    run = janitor.run_of(os.getpid())
    try:
        with _janitor(run, work, socket), WATCHDOG.awake():  # before there is anything to clear up
            own_folder(work / run, 0o711)
            folders = _folders(
                run, work / run, settings or Settings(), cgroups=cgroups, landlock=landlock
            )
            async with _made(name, folders) as sandbox:
                try:
                    yield sandbox
                finally:
                    sandbox.close()
    finally:
        COUNT_PROCESSES.close()
        janitor.remove_groups(janitor.groups_of(run))
        leave(work / run)


@asynccontextmanager
async def _made(name: SandboxName, folders: SandboxFolders) -> AsyncIterator[Sandbox]:
    match name:
        case SandboxName.BARE:
            yield Bare(folders.run, folders.settings.copies)
        case SandboxName.DOCKER:
            from referee.sandbox.container.sandbox import opened_docker  # noqa: PLC0415  # slow to import

            async with opened_docker(folders) as sandbox:
                yield sandbox
        case _:
            yield Bubblewrap(folders)


def _folders(
    run: str, work: Path, settings: Settings, *, cgroups: bool, landlock: bool
) -> SandboxFolders:
    hierarchies = available() if cgroups and os.geteuid() == 0 else None
    return SandboxFolders(
        run=run,
        root=os.geteuid() == 0,
        settings=settings,
        hierarchies=hierarchies,
        spares=None if hierarchies is None else SpareGroups(hierarchies, run),
        landlock=landlock and has_landlock(),
        work=work,
        store=store_folder(),
        staged=staged(settings.toolchains, work),
    )


def _docker_socket() -> str:
    """The socket of the local Docker daemon."""
    host = os.environ.get("DOCKER_HOST") or "unix:///var/run/docker.sock"
    if not host.startswith("unix://"):
        raise SandboxError(f"DOCKER_HOST is {host!r}; only a local daemon will do")
    path = host.removeprefix("unix://")
    if not os.path.exists(path):
        raise SandboxError(f"no Docker daemon listens at {path}")
    if not os.access(path, os.R_OK | os.W_OK):
        raise SandboxError(f"the Docker daemon at {path} does not let you in")
    return path


def sweep_dead(work: Path, socket: str) -> None:
    """Ends what killed referees have left, where their janitors were killed with them.

    Args:
        work: the folder that holds a folder for each run.
        socket: of the Docker daemon, or nothing where its containers are left alone.
    """
    for run in janitor.dead_runs(str(work)):
        janitor.sweep(run, str(work), socket)
    CopyStore(store_folder(), CopyLimits()).sweep()


@contextmanager
def _janitor(run: str, work: Path, socket: str) -> Iterator[None]:
    """A process that clears up when we are gone."""
    process = subprocess.Popen(  # noqa: S603  # our own program
        [sys.executable, "-I", "-S", janitor.__file__, run, str(work), socket],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )
    try:
        yield
    finally:
        process.kill()
        process.communicate()


async def trial(sandbox: Sandbox) -> None:
    """Runs a program that does nothing.

    Raises:
        SandboxError: the sandbox does not work.
    """
    spec = BotSpec("trial", ("true",), "/usr", "", "trial")
    try:
        process = await sandbox.launch(spec)
    except OSError as error:
        raise SandboxError(str(error)) from error
    try:
        with trio.move_on_after(_TRIAL_S):
            await trio.lowlevel.wait_readable(process.exited_fd)
        status = process.status()
        if status != "exit status 0":
            said = b""
            with suppress(OSError):
                said = os.read(process.stderr, 500)
            why = said.decode(errors="replace").strip() or status or "no end"
            raise SandboxError(f"a trial run failed: {why}")
    finally:
        process.kill()
        process.release()


def by_strength() -> tuple[SandboxName, ...]:
    """What `auto` tries, the strongest first: without control groups of ours, that is Docker."""
    ours = os.geteuid() == 0 and available() is not None
    order = (SandboxName.BWRAP, SandboxName.DOCKER)
    return order if ours else order[::-1]


@asynccontextmanager
async def opened_for(
    name: SandboxName, bots: Iterable[BotSource], settings: Settings, *, strangers: bool = False
) -> AsyncIterator[Sandbox]:
    """The sandbox that was asked for, or the strongest that works and keeps its promises here.

    Args:
        name: which; AUTO looks for one.
        bots: who is to play.
        settings: what the organiser allows.
        strangers: whether it is for others that strangers have handed in, too: bots of strangers
            AUTO puts in none that lacks what a sandbox can promise, nor in bare.

    Raises:
        RefereeError: it does not work here, or only one would that is not for these bots.
        SandboxError: the machine has run out of something.
    """
    bots = tuple(bots)
    strangers = strangers or any(bot.submitted for bot in bots)
    wanted = (name,) if name is not SandboxName.AUTO else by_strength()
    failed: dict[SandboxName, SandboxError] = {}
    async with AsyncExitStack() as stack:
        sandbox = None
        for candidate in wanted:
            try:
                sandbox = await _tried(
                    candidate, settings, stack, proved=len(wanted) > 1, strangers=strangers
                )
                break
            except SandboxError as error:
                if shortage(error) is not None:
                    raise  # a weaker sandbox is no answer to that
                failed[candidate] = error
        if sandbox is None:
            why = "; ".join(f"{candidate}: {error}" for candidate, error in failed.items())
            if name is not SandboxName.AUTO:
                raise RefereeError(f"sandbox {why} (see `referee doctor`)")
            if strangers:
                raise _none_for_strangers(failed, why)
            how = _FALLEN_BACK + why
            only_own(bots, how)
            sandbox = await stack.enter_async_context(opened(SandboxName.BARE, settings))
            assert isinstance(sandbox, Bare)  # noqa: S101  # it is what was asked for
            sandbox.how = how
        yield sandbox


async def check_for_strangers(name: SandboxName, settings: Settings) -> None:
    """Look whether there is a sandbox for the bots of strangers; for errors see `opened_for`."""
    async with opened_for(name, (), settings, strangers=True):
        pass


class _LessError(SandboxError):
    """A sandbox keeps what it promises here, and that is less than the bots of strangers need."""


def _none_for_strangers(failed: Mapping[SandboxName, SandboxError], why: str) -> RefereeError:
    less = [name for name, error in failed.items() if isinstance(error, _LessError)]
    if not less:
        return RefereeError(
            "the bots of strangers run in a sandbox only, and none works here "
            f"({why}): `referee doctor` says how to mend that"
        )
    return RefereeError(
        f"no sandbox here is for the bots of strangers ({why}): run this as root, or see "
        f"`referee doctor`; or, if you trust them all, say --sandbox {less[0]} (in the file of an "
        f"event sandbox = {str(less[0])!r})"
    )


async def _tried(
    name: SandboxName, settings: Settings, stack: AsyncExitStack, *, proved: bool, strangers: bool
) -> Sandbox:
    """Open a sandbox, and see whether it runs anything; `proved`: and keeps what it promises."""
    async with AsyncExitStack() as attempt:
        sandbox = await attempt.enter_async_context(opened(name, settings))
        if name is SandboxName.BWRAP:
            await trial(sandbox)
        if proved:
            verdict = await verdict_of(sandbox, settings)
            if verdict.problem:
                raise SandboxError(verdict.problem)
            if strangers and verdict.absent:
                raise _LessError(f"does not promise here: {', '.join(verdict.absent)}")
        stack.push_async_exit(attempt.pop_all())
    return sandbox


def only_own(bots: Iterable[BotSource], how: str) -> None:
    """Sees to it that bare is for our own bots only, where it was not asked for.

    Args:
        bots: who is to play.
        how: what the sandbox binds bots by, in its own words.

    Raises:
        RefereeError: a bot is not ours.
    """
    if not how.startswith(_FALLEN_BACK):
        return
    failed = how.removeprefix(_FALLEN_BACK)
    for bot in bots:
        doubt = bot.doubt()
        if doubt is not None:
            sandbox = INSTALL if MISSING in failed else "`referee doctor` says how to mend that"
            raise RefereeError(
                f"bot {bot.typed!r}: {doubt.why}, and no sandbox works here ({failed}): "
                f"{doubt.mend or sandbox}; or trust the bot with --sandbox bare"
            )

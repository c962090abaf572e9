"""Bots in containers, by the Docker daemon of this machine.

The daemon makes a container and takes it away. All between is between us and the bot: messages go
through FIFOs, and the kernel is asked and told directly, by control groups and signals.
"""

import os
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import ExitStack, asynccontextmanager
from typing import Any, Final, TypeVar

import trio

from referee.bots.find import BotSource, BotSpec
from referee.errors import SandboxError
from referee.native import launcher
from referee.sandbox import Sandbox
from referee.sandbox.container.create import Recipe
from referee.sandbox.container.daemon import Daemon
from referee.sandbox.container.fifos import Fifos
from referee.sandbox.container.image import check_image, default_image
from referee.sandbox.container.janitor import JanitorContainer
from referee.sandbox.container.process import ContainerProcess, Started
from referee.sandbox.copies import Copies, search_path
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.janitor import GROUPS, IDLE, LABEL
from referee.sandbox.masks import masks_in
from referee.sandbox.seccomp import Filter, UnknownMachine, docker_profile
from referee.sandbox.user_ids import Slot
from referee.sandbox.warm_up import Warming

_AT_ONCE: Final = 4
_REVIVAL_S: Final = 5.0
_AGAIN_S: Final = 0.25
_Result = TypeVar("_Result")


class Docker:
    """The Docker sandbox; see `referee.sandbox.Sandbox`."""

    name = "docker"

    def __init__(
        self,
        folders: SandboxFolders,
        daemon: Daemon,
        janitor: JanitorContainer,
        info: dict[str, Any],
    ) -> None:
        """Takes over a daemon that was greeted.

        Args:
            folders: what the sandboxes of this run share.
            daemon: whom to ask.
            janitor: the one that the daemon keeps, to be started again with the daemon.
            info: what the daemon said of itself.

        Raises:
            SandboxError: there is no filter of system calls for this processor, or no launcher.
        """
        self._launcher = launcher()
        self._folders, self._daemon, self._janitor = folders, daemon, janitor
        self._version = info["ServerVersion"]
        self._copies = Copies(folders)
        # another runtime's kernel may have none
        self._landlock = folders.landlock and not folders.settings.docker_runtime
        self._masks = masks_in(folders, landlock=self._landlock)
        self._toolchains = folders.settings.toolchains
        self._shown = tuple(janitor.host.of(self._toolchains))
        self._has_overlays = janitor.host.are_own(self._toolchains)
        self._warming = Warming(self._toolchains)
        try:
            self._profiles = tuple(docker_profile(Filter(sysinfo=build)) for build in (False, True))
        except UnknownMachine as error:
            raise SandboxError(f"no filter of system calls for a {error}") from error
        driver = info["CgroupDriver"]
        self._owns_groups = folders.hierarchies is not None and driver == "cgroupfs"
        self._calls = trio.CapacityLimiter(_AT_ONCE)
        self._waking = trio.Lock()

    @property
    def how(self) -> str:
        """What binds bots."""
        hierarchies = self._folders.hierarchies
        limits = "limits by the daemon" if hierarchies is None else f"cgroups {hierarchies.kind}"
        runtime = self._folders.settings.docker_runtime
        by = f" and {runtime}" if runtime else ""
        closed = ", Landlock" if self._landlock else ""
        own = ", overlays" if self._has_overlays else ""
        return (
            f"containers of Docker {self._version}{by}, seccomp{closed}{own}, {limits}, "
            "own user ids"
        )

    async def prepare(self, found: BotSource) -> BotSpec:
        """Copies a bot to where it can be shown to it, built if need be.

        Raises:
            RefereeError: it does not build, or its image is not here.
        """
        await self._check_image(found)
        bot = await self._copies.prepare(found, self)
        if self._folders.hierarchies is not None:
            await self._warming.warm(bot, self)
        return bot

    @asynccontextmanager
    async def temporarily(self, found: BotSource) -> AsyncIterator[BotSpec]:
        """Prepare a bot until the block is left, and leave nothing of it.

        Raises:
            RefereeError: as `prepare` has it.
        """
        await self._check_image(found)
        async with self._copies.temporarily(found, self) as bot:
            yield bot

    def hold(self, bot: BotSpec) -> bool:
        """Use a bot that was prepared before; False if its copy was removed since."""
        return self._copies.hold(bot)

    def release(self, bot: BotSpec) -> None:
        """Let go of the copy of a bot."""
        self._copies.release(bot)

    def close(self) -> None:
        """Let go of all copies."""
        self._copies.close()

    async def _check_image(self, found: BotSource) -> None:
        """Look whether the daemon has the image that a bot wants."""

        def check() -> None:
            with self._daemon.client() as client:
                check_image(client, found.image, found.typed)

        if found.image:
            await self._in_thread(check)

    async def _in_thread(self, call: Callable[[], _Result]) -> _Result:
        """Does what may block; once begun it is not left before its own bounds end it."""
        return await trio.to_thread.run_sync(call, limiter=self._calls)

    async def launch(self, bot: BotSpec) -> ContainerProcess:
        """Starts a bot.

        Raises:
            SandboxError: the daemon did not start it.
        """
        await self._wake()
        try:
            with ExitStack() as undo:
                process = await self._launch(bot, undo)
                undo.callback(process.release)
                undo.callback(process.kill)
                await process.begun()
                undo.pop_all()
        except OSError as error:
            raise SandboxError(f"bot {bot.name} cannot be started: {error}") from error
        return process

    async def _launch(self, bot: BotSpec, undo: ExitStack) -> ContainerProcess:
        """Starts a container, which then waits for us; `undo` is for what fails until then."""
        word = secrets.token_hex(8)  # a bot can read it: a number would say which start this is
        slot = self._folders.take_slot()  # the daemon gives it, whoever asks
        undo.callback(slot.free)
        fifos = Fifos(self._folders.pipes / secrets.token_hex(16))
        undo.callback(fifos.close)
        recipe = self._recipe(bot, word, slot, fifos)
        undo.callback(self._daemon.reaper.take, recipe.name)
        container, pid = await self._in_thread(lambda: self._start(recipe))
        started = Started(container, pid, fifos, slot)
        process = ContainerProcess(started, self._daemon, self._folders.hierarchies)
        undo.pop_all()
        return process

    async def _wake(self) -> None:
        """Gives a daemon that had died some time to come back.

        Raises:
            SandboxError: it did not.
        """
        news = self._daemon.news
        async with self._waking:
            until = trio.current_time() + _REVIVAL_S
            while not news.connected:
                try:
                    await self._in_thread(self._janitor.start)
                    await self._in_thread(self._daemon.listen)
                except SandboxError:
                    if trio.current_time() > until:
                        news.trouble()  # so it is told
                        raise
                    await trio.sleep(_AGAIN_S)

    def _recipe(self, bot: BotSpec, word: str, slot: Slot, fifos: Fifos) -> Recipe:
        above = IDLE if bot.idle else GROUPS
        cores = sorted(os.sched_getaffinity(0))  # this thread's, where we play; not a worker's
        return Recipe(
            name=f"{GROUPS}-{self._folders.run}-{word}",
            image=bot.image or self._janitor.image,
            bot=bot,
            uid=slot.uid,
            io=fifos.folder,
            launcher=self._launcher,
            cores=",".join(map(str, cores)),
            path="" if bot.image else search_path(self._toolchains),
            shown=() if bot.image else self._shown,
            profile=self._profiles[bot.is_build],
            labels={LABEL: self._folders.run},
            masks=self._masks,
            landlock=self._landlock,
            parent=f"/{above}/{self._folders.run}/{word}" if self._owns_groups else "",
            runtime=self._folders.settings.docker_runtime,
        )

    def _start(self, recipe: Recipe) -> tuple[str, int]:
        """Makes and starts a container; returns its id and that of its first process."""
        if self._folders.spares is not None:
            self._folders.spares.mix()
        with self._daemon.client() as client:
            container = recipe.create(client)
            client.start(container)
            return container, int(client.inspect_container(container)["State"]["Pid"])

    def trouble(self) -> str | None:
        """Whether the daemon has died, or another client has ended a bot."""
        return self._daemon.news.trouble()

    def clear(self) -> None:
        """Nothing outlives its container."""

    sweep = clear


@asynccontextmanager
async def opened_docker(folders: SandboxFolders) -> AsyncIterator[Sandbox]:
    """The Docker sandbox; when the block is left, so have its containers.

    Raises:
        SandboxError: there is no daemon here that could run bots.
    """
    daemon = Daemon(folders.run)
    info = await trio.to_thread.run_sync(daemon.greet, folders.settings.docker_runtime)

    def ready() -> str:
        daemon.sweep(ours=False)
        daemon.listen()
        with daemon.client() as client:
            return default_image(client)

    janitor = None
    try:
        image = await trio.to_thread.run_sync(ready)
        janitor = JanitorContainer(daemon, folders, image)
        await trio.to_thread.run_sync(janitor.start)  # before there is anything to clear up
        yield Docker(folders, daemon, janitor, info)
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(daemon.close)
            if janitor is not None:
                await trio.to_thread.run_sync(janitor.stop)

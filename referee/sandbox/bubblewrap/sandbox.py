"""Bots in namespaces of their own, by bubblewrap. Linux only; needs no daemon.

A bot sees /usr and its own folder, both read-only, a small /tmp, and no other process, no network
and nothing of the referee. What its processes may use together is bound by a control group where
the kernel lets us make one.
"""

import os
import secrets
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import lru_cache
from pathlib import Path
from typing import Final

import msgspec
import trio
from msgspec import Struct

from referee.bots.find import BotSource, BotSpec
from referee.bots.settings import Bounds
from referee.errors import SandboxError
from referee.native import launcher
from referee.sandbox.bare import become_subreaper
from referee.sandbox.bubblewrap.command import arguments
from referee.sandbox.bubblewrap.mounts import (
    HostFolder,
    OwnFolder,
    host_folders,
    memory_folders,
    mount_points,
)
from referee.sandbox.bubblewrap.process import BubblewrapProcess
from referee.sandbox.build import show_sources
from referee.sandbox.cgroups.group import Group
from referee.sandbox.copies import Copies, search_path
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.launcher import joined, limited, limited_inside, walled
from referee.sandbox.masks import masks_in
from referee.sandbox.polling import PolledGroup
from referee.sandbox.seccomp import Filter, UnknownMachine, program
from referee.sandbox.user_ids import READERS, Slot
from referee.sandbox.warm_up import Warming

_OWN_PROCESSES: Final = 2
"""bubblewrap's own, outside and as the first inside, which count too."""

_KEPT: Final = 128
"""Of so many bots the words are kept at hand."""

PROGRAMS: Final = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin"
"""Where the programs are that we need ourselves."""

MISSING: Final = "install the package bubblewrap"
"""The end of the error that is raised where its own program is not installed."""

INSTALL: Final = "apt install bubblewrap (or dnf, pacman, apk add)"
"""The command that mends that; `referee doctor`, whose reports are pure, says the same."""


class _Words(Struct, frozen=True):
    """What is said of a bot each time that it is started.

    Attributes:
        options: bubblewrap's, as the file has them that it reads.
        mounts: the folders that the launcher mounts, and where.
        outside: the launcher's other words, before bubblewrap.
        inside: the launcher's, within, and the bot's own command.
    """

    options: bytes
    mounts: tuple[tuple[OwnFolder, str], ...]
    outside: tuple[str, ...]
    inside: tuple[str, ...]


def _points_in(folders: SandboxFolders, shown: Sequence[HostFolder]) -> Mapping[str, str]:
    """Where the launcher mounts folders.

    Raises:
        SandboxError: there can be no folders for that.
    """
    try:
        return mount_points(folders, shown)
    except OSError as error:
        raise SandboxError(f"cannot make folders to mount at: {error}") from error


def _memory_file(name: str, data: bytes) -> int:
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class Bubblewrap:
    """The bubblewrap sandbox; see `referee.sandbox.Sandbox`."""

    name = "bwrap"

    def __init__(self, folders: SandboxFolders) -> None:
        """Look for the programs it needs.

        Raises:
            SandboxError: one is missing, or there is no filter of system calls for this processor.
        """
        become_subreaper()
        self._folders = folders
        self._copies = Copies(folders)
        self._masks = masks_in(folders, landlock=folders.landlock)
        self._path = search_path(folders.settings.toolchains)
        self._hosts = tuple(host_folders(self._masks.etc, folders.staged))
        self._points = _points_in(folders, self._hosts)
        self._bwrap, self._launcher = _bwrap(), str(launcher())
        counted = folders.hierarchies is not None
        try:
            self._filters = tuple(program(Filter(counted, build)) for build in (False, True))
        except UnknownMachine as error:
            raise SandboxError(f"no filter of system calls for a {error}") from error
        self._warming = Warming(folders.settings.toolchains)
        self._words = lru_cache(maxsize=_KEPT)(self._words_of)

    @property
    def how(self) -> str:
        """Which limits bind."""
        hierarchies = self._folders.hierarchies
        bound = "memory watched" if hierarchies is None else f"cgroups {hierarchies.kind}"
        closed = ", Landlock" if self._folders.landlock else ""
        own = ", overlays" if all(one.path in self._points for one in self._hosts) else ""
        return f"namespaces, seccomp{closed}{own}, {bound}" + (
            ", own user ids" if self._folders.root else ""
        )

    async def prepare(self, found: BotSource) -> BotSpec:
        """Copies a bot to where it can be read, built if need be.

        Raises:
            RefereeError: it does not build, or cannot run here.
        """
        bot = await self._copies.prepare(found, self)
        if self._folders.hierarchies is not None:
            await self._warming.warm(bot, self)
        return bot

    def temporarily(self, found: BotSource) -> AbstractAsyncContextManager[BotSpec]:
        """Prepare a bot until the block is left, and leave nothing of it."""
        return self._copies.temporarily(found, self)

    def hold(self, bot: BotSpec) -> bool:
        """Use a bot that was prepared before; False if its copy was removed since."""
        return self._copies.hold(bot)

    def release(self, bot: BotSpec) -> None:
        """Let go of the copy of a bot."""
        self._copies.release(bot)

    def close(self) -> None:
        """Let go of all copies."""
        self._copies.close()

    async def launch(self, bot: BotSpec) -> BubblewrapProcess:
        """Starts a bot.

        Raises:
            SandboxError: the sandbox did not come up.
        """
        process = self._start(bot)
        try:
            await process.begun()
        except BaseException:
            process.kill()
            process.release()
            raise
        return process

    def _control(self, bounds: Bounds, *, idle: bool) -> Group | PolledGroup:
        hierarchies = self._folders.hierarchies
        if hierarchies is None:
            return PolledGroup(bounds.memory)
        if self._folders.spares is not None:
            self._folders.spares.mix()
        # a bot can read it: a number would say which start this is
        name = f"{self._folders.run}/{secrets.token_hex(8)}"
        more = msgspec.structs.replace(bounds, processes=bounds.processes + _OWN_PROCESSES)
        return Group(hierarchies, name, more, idle=idle)

    def _start(self, bot: BotSpec) -> BubblewrapProcess:
        """Starts bwrap, at once and on this thread: it dies with the thread that started it."""
        control, slot = None, None
        opened: list[int] = []
        try:
            control = self._control(bot.bounds, idle=bot.idle)
            slot = self._folders.take_slot() if self._folders.root else None
            if bot.is_build and slot is not None:
                show_sources(Path(bot.folder), slot.uid)
            words = self._words(bot)
            opened.append(_memory_file("args", words.options))
            opened.append(_memory_file("bpf", self._filters[bot.is_build]))
            opened.append(os.open(self._launcher, os.O_PATH | os.O_CLOEXEC))  # run again, inside
            theirs = tuple(opened)
            ours, status = os.pipe2(os.O_CLOEXEC)
            opened += [ours, status]
            popen = self._spawn(words, control, slot, (*theirs, status))
            opened.remove(ours)
            process = self._taken_over(popen, control, slot, ours)
        except OSError as error:
            if control is not None:
                control.remove()
            if slot is not None:
                slot.free()
            raise SandboxError(f"bot {bot.name} cannot be started: {error}") from error
        finally:
            for descriptor in opened:
                os.close(descriptor)
        if isinstance(control, PolledGroup):
            control.begin(popen.pid)
            trio.lowlevel.spawn_system_task(control.look)
        return process

    def _taken_over(
        self,
        popen: subprocess.Popen[bytes],
        control: Group | PolledGroup,
        slot: Slot | None,
        news: int,
    ) -> BubblewrapProcess:
        """The process, from our side; ended again where there are no descriptors left for it."""
        try:
            return BubblewrapProcess(popen, control, slot, news)
        except OSError:
            popen.kill()
            popen.wait()
            raise

    def _words_of(self, bot: BotSpec) -> _Words:
        """What is said of a bot each time that it is started."""
        alone = self._folders.hierarchies is None
        outside = [*limited(bot, alone=alone)]
        if bot.idle:  # without groups this is all that there is
            outside.append("idle")
        inside = limited_inside(bot.bounds.processes + _OWN_PROCESSES) if alone else ()
        constants = (path for _, path in self._masks.constants(bot.bounds.memory))
        wall = walled(constants, landlock=self._folders.landlock)
        options = arguments(bot, self._hosts, self._path, self._masks, self._points)
        own: tuple[OwnFolder, ...] = (*self._hosts, *memory_folders(bot))
        return _Words(
            options=b"".join(os.fsencode(option) + b"\0" for option in options),
            mounts=tuple(
                (folder, self._points[folder.path]) for folder in own if folder.path in self._points
            ),
            outside=tuple(outside),
            inside=(*inside, *wall, "--", *bot.command),
        )

    def _spawn(
        self, of_bot: _Words, control: Group | PolledGroup, slot: Slot | None, fds: Sequence[int]
    ) -> subprocess.Popen[bytes]:
        options, bpf, inside, status = fds
        words = [self._launcher, *joined(control.doors), *of_bot.outside]
        uid = os.geteuid() if slot is None else slot.uid
        for folder, point in of_bot.mounts:
            words += folder.mounted(point, uid)
        if slot is not None:
            words += ["user", str(uid), str(READERS)]
        words += ["--", self._bwrap, "--json-status-fd", str(status), "--seccomp", str(bpf)]
        words += ["--args", str(options), "--", f"/proc/self/fd/{inside}", "close", str(inside)]
        words += of_bot.inside
        return subprocess.Popen(  # noqa: S603  # to run bots is what we are for
            words,
            env={},
            pass_fds=fds,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )

    def trouble(self) -> str | None:
        """Nothing can go wrong between bots: there is no daemon."""
        return None

    def clear(self) -> None:
        """Nothing outlives its namespace."""

    def sweep(self) -> None:
        """Nothing outlives its namespace."""


def _bwrap() -> str:
    path = shutil.which("bwrap", path=PROGRAMS)
    if path is None:
        raise SandboxError(f"no program 'bwrap': {MISSING}")
    return path

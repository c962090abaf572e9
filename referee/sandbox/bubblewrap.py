"""Bots in namespaces of their own, by bubblewrap. Linux only; needs no daemon.

A bot sees /usr and its own folder, both read-only, a small /tmp, and no other process, no network
and nothing of the referee. What its processes may use together is bound by a control group where
the kernel lets us make one.
"""

import os
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from glob import glob
from pathlib import Path
from typing import Final

import msgspec
import trio

from referee.bots import BotSpec, Found
from referee.errors import SandboxError
from referee.sandbox.bare import become_subreaper, ending, ends_of, has_ended
from referee.sandbox.cgroups import Group
from referee.sandbox.copies import BOT_FOLDER, Copies, hand_over, search_path
from referee.sandbox.place import Place
from referee.sandbox.processes import children, sleeps_in_a_read
from referee.sandbox.seccomp import Filter, program
from referee.sandbox.slots import Slot
from referee.sandbox.streams import Streams
from referee.sandbox.watching import Watch
from referee.settings import Bounds

NOBODY: Final = 65534
_MIB: Final = 1 << 20
_START_S: Final = 10.0
_KILL_S: Final = 2.0
_OWN_PROCESSES: Final = 2
"""bubblewrap's own, outside and as the first inside, which count too."""

_ENTER: Final = (
    'for door in $1; do echo 0 > "$door" || exit 97; done; eval "$2"; shift 2; exec "$@"'
)
"""Joins the control groups and lowers the limits: whatever is started then is bound already."""

_SHM: Final = _MIB
PROGRAMS: Final = "/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin"
"""Where the programs are that we need ourselves."""

OPEN_FILES: Final = 256
_ENTRIES: Final = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
_ETC: Final = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", *glob("/etc/java-*"))


def environment(bounds: Bounds, path: str) -> dict[str, str]:
    """What a bot's environment holds, in every sandbox alike."""
    return {
        "PATH": path,
        "HOME": "/tmp",  # noqa: S108  # the bot's own
        "TMPDIR": "/tmp",  # noqa: S108  # the bot's own
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # the Java machine would size itself by the whole host
        "JDK_JAVA_OPTIONS": f"-Xmx{max(bounds.memory * 5 // 8, 16)}m -XX:+UseSerialGC",
    }


def file_limit(bounds: Bounds) -> int:
    """How large a file may be, in bytes."""
    return max(bounds.tmp, 64) * _MIB


def system() -> list[str]:
    """The read-only system: /usr, what points into it, and what programs need of /etc."""
    found = ["--ro-bind", "/usr", "/usr"]
    for name in _ENTRIES:
        path = Path("/", name)
        if path.is_symlink():
            found += ["--symlink", os.readlink(path), str(path)]
        elif path.is_dir():
            found += ["--ro-bind", str(path), str(path)]
    found += ["--dir", "/etc"]
    for name in _ETC:
        found += ["--ro-bind-try", name, name]
    return found


def arguments(bot: BotSpec, toolchains: Mapping[str, str], path: str) -> list[str]:
    """The options of bwrap, but for those that name descriptors.

    Args:
        bot: whom they are for.
        toolchains: folders to show, and where they can be reached from.
        path: the bot's PATH.
    """
    found = [
        *("--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts"),
        *("--unshare-cgroup-try", "--disable-userns", "--die-with-parent", "--new-session"),
        *("--cap-drop", "ALL", "--uid", str(NOBODY), "--gid", str(NOBODY), "--hostname", "bot"),
        "--clearenv",
    ]
    for name, value in environment(bot.bounds, path).items():
        found += ["--setenv", name, value]
    found += [*system(), "--proc", "/proc", "--dev", "/dev"]
    for folder, size in (("/dev/shm", _SHM), ("/tmp", bot.bounds.tmp * _MIB)):  # noqa: S108
        found += ["--perms", "1777", "--size", str(size), "--tmpfs", folder]
    for folder, source in toolchains.items():
        found += ["--ro-bind", source, folder]
    bind = "--bind" if bot.writable else "--ro-bind"
    found += [bind, bot.folder, BOT_FOLDER, "--chdir", BOT_FOLDER]
    return [*found, "--remount-ro", "/dev", "--remount-ro", "/"]


def _memory_file(name: str, data: bytes) -> int:
    descriptor = os.memfd_create(name, os.MFD_CLOEXEC)
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


class BubblewrapProcess(Streams):
    """A bot inside bubblewrap; see `referee.sandbox.BotProcess`."""

    def __init__(
        self, popen: subprocess.Popen[bytes], control: Group | Watch, slot: Slot | None, status: int
    ) -> None:
        """Takes over what was started and what holds it; `status` is bwrap's own pipe to us.

        Raises:
            OSError: there are no descriptors left.
        """
        self._popen, self._control, self._slot = popen, control, slot
        self.pid = popen.pid
        self._init = 0
        self._news = b""
        self._cpu_us = 0
        self._frozen = False
        self._gone = False
        self._memory_out = False
        super().__init__(*ends_of(popen))
        self._status = self.keep(status)
        os.set_blocking(status, False)
        self.exited_fd = self.keep(os.pidfd_open(popen.pid))

    async def begun(self) -> None:
        """Waits until the bot's own process is there.

        Raises:
            SandboxError: the sandbox did not come up.
        """
        with trio.move_on_after(_START_S):
            while b"\n" not in self._news:
                await trio.lowlevel.wait_readable(self._status)
                data = os.read(self._status, 4096)
                if not data:
                    break
                self._news += data
        line = self._news.partition(b"\n")[0]
        try:
            self._init = msgspec.json.decode(line, type=dict[str, int])["child-pid"]
        except (msgspec.DecodeError, KeyError):
            said = b""
            with suppress(OSError):
                said = os.read(self.stderr, 500)
            why = said.decode(errors="replace").strip() or "no answer"
            raise SandboxError(f"bubblewrap did not start: {why}") from None

    def cpu_us(self) -> int:
        """Processor time that all processes of the bot have used, in microseconds."""
        try:  # noqa: SIM105  # `suppress` costs more than the reading itself
            self._cpu_us = self._control.cpu_us()
        except OSError:
            pass  # gone: the last reading stands
        return self._cpu_us

    def status(self) -> str | None:
        """How the bot ended, in words, or None while it runs."""
        code = self._popen.poll()
        if code is None:
            return None
        with suppress(OSError):
            self._news += os.read(self._status, 4096)
        for line in self._news.splitlines():
            with suppress(msgspec.DecodeError):
                code = msgspec.json.decode(line, type=dict[str, int]).get("exit-code", code)
        return ending(128 - code if code > 128 else code)

    def waits_for_input(self) -> bool:
        """Whether it has read everything and a thread of it sleeps in a read or a poll."""
        return not self.unread() and any(map(sleeps_in_a_read, children(self._init)))

    def out_of_memory(self) -> bool:
        """Whether one of its processes was ended for want of memory."""
        with suppress(OSError):
            self._memory_out = self._memory_out or self._control.oom_kills() > 0
        return self._memory_out

    def freeze(self) -> None:
        """Stops all its processes."""
        self._control.freeze()
        self._frozen = True

    def thaw(self) -> None:
        """Lets them run again."""
        if self._frozen:
            self._control.thaw()
            self._frozen = False

    def kill(self) -> None:
        """Ends the namespace by its first process; what does not go so, goes by the group."""
        if self._gone:
            return
        self._gone = True
        self.thaw()
        self.cpu_us()
        self.out_of_memory()
        if self._init and self._popen.poll() is None:
            with suppress(ProcessLookupError, PermissionError):
                os.kill(self._init, signal.SIGKILL)
            if not has_ended(self.exited_fd, _KILL_S):
                self._control.kill()
        self._popen.kill()
        self._popen.wait()
        self._reap()

    def _reap(self) -> None:
        """Takes in the first process of the namespace, which bwrap leaves to whoever is next."""
        until = time.monotonic() + _KILL_S
        with suppress(ChildProcessError):  # bwrap has taken it in after all
            while self._init and os.waitpid(self._init, os.WNOHANG)[0] == 0:
                if time.monotonic() > until:
                    return
                time.sleep(0.0002)

    def release(self) -> None:
        """Closes the descriptors; takes the control group away and gives the user id back."""
        super().release()
        self._control.remove()
        if self._slot is not None:
            self._slot.free()


class Bubblewrap:
    """The bubblewrap sandbox; see `referee.sandbox.Sandbox`."""

    name = "bwrap"

    def __init__(self, place: Place) -> None:
        """Looks for the programs it needs.

        Raises:
            SandboxError: one is missing.
        """
        become_subreaper()
        self._place = place
        self._copies = Copies(place)
        self._path = search_path(place.settings.toolchains)
        self._programs = {name: _found(name) for name in ("bwrap", "sh", "chroot")}
        self._filter = program(
            Filter(locks=place.settings.locks, memfd=place.hierarchies is not None)
        )
        self._numbers = iter(range(1, 1 << 62))

    @property
    def how(self) -> str:
        """Which limits bind."""
        hierarchies = self._place.hierarchies
        limits = "memory watched" if hierarchies is None else f"cgroups {hierarchies.kind}"
        return f"namespaces, seccomp, {limits}" + (", own user ids" if self._place.root else "")

    async def prepare(self, found: Found) -> BotSpec:
        """Copies a bot to where it can be read, built if need be.

        Raises:
            RefereeError: it does not build, or cannot run here.
        """
        return await self._copies.prepare(found, self)

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

    def _control(self, bounds: Bounds) -> Group | Watch:
        hierarchies = self._place.hierarchies
        if hierarchies is None:
            return Watch(bounds.memory)
        name = f"{self._place.run}/{next(self._numbers)}"
        more = msgspec.structs.replace(bounds, processes=bounds.processes + _OWN_PROCESSES)
        return Group(hierarchies, name, more)

    def _start(self, bot: BotSpec) -> BubblewrapProcess:
        """Starts bwrap, at once and on this thread: it dies with the thread that started it."""
        control, slot = None, None
        opened: list[int] = []
        try:
            control = self._control(bot.bounds)
            slot = self._place.take_slot()
            if bot.writable and slot is not None:
                hand_over(Path(bot.folder), slot.uid)
            options = arguments(bot, self._place.staged, self._path)
            theirs = [_memory_file("args", _joined(options)), _memory_file("bpf", self._filter)]
            opened += theirs
            ours, status = os.pipe2(os.O_CLOEXEC)
            opened += [ours, status]
            popen = self._spawn(bot, control, slot, (*theirs, status))
            opened.remove(ours)
        except OSError as error:
            if control is not None:
                control.remove()
            if slot is not None:
                slot.free()
            raise SandboxError(f"bot {bot.name} cannot be started: {error}") from error
        finally:
            for descriptor in opened:
                os.close(descriptor)
        process = BubblewrapProcess(popen, control, slot, ours)
        if isinstance(control, Watch):
            trio.lowlevel.spawn_system_task(control.look, popen.pid)
        return process

    def _spawn(
        self, bot: BotSpec, control: Group | Watch, slot: Slot | None, fds: Sequence[int]
    ) -> subprocess.Popen[bytes]:
        options, bpf, status = fds
        alone = isinstance(control, Watch)
        most = bot.bounds.processes + _OWN_PROCESSES
        inside = ("prlimit", f"--nproc={most}:{most}") if alone else ()
        words = [
            *(self._programs["bwrap"], "--json-status-fd", str(status), "--seccomp", str(bpf)),
            *("--args", str(options), "--", *inside, *bot.command),
        ]
        if slot is not None:  # half as slow to start as setpriv
            who = (f"--userspec={slot.uid}:{slot.uid}", "--groups=", "/")
            words = [self._programs["chroot"], *who, *words]
        limits = "; ".join(_limits(bot, alone=alone))
        words = [self._programs["sh"], "-c", _ENTER, "sh", " ".join(control.doors), limits, *words]
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


def _joined(options: Sequence[str]) -> bytes:
    return b"".join(os.fsencode(option) + b"\0" for option in options)


def _limits(bot: BotSpec, *, alone: bool) -> list[str]:
    """Limits of each process, for sh; more of them where no control group binds all together.

    That of the number of processes is set inside: outside it would count all that the user has.
    """
    most, files = (1 << 30, 1024) if bot.writable else (file_limit(bot.bounds), OPEN_FILES)
    found = ["ulimit -c 0", f"ulimit -n {files}", "ulimit -l 64", f"ulimit -f {most // 512}"]
    if alone:
        found.append(f"ulimit -d {(bot.bounds.memory + 64) * 1024}")
    return found


def _found(program_name: str) -> str:
    path = shutil.which(program_name, path=PROGRAMS)
    if path is None:
        package = "bubblewrap" if program_name == "bwrap" else "coreutils"
        raise SandboxError(f"no program {program_name!r}: install the package {package}")
    return path

"""How the container of one bot is made: what it may do, what it sees, and how it begins."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from docker import APIClient
from docker.types import LogConfig, Mount, Ulimit
from msgspec import Struct

from referee.bots.find import BotSpec
from referee.sandbox.build import FOLDER_FILES, FOLDER_MIB, SOURCE_FOLDER
from referee.sandbox.cgroups.hierarchy import IDLE_PART, V1_SHARES
from referee.sandbox.container.image import IO_FOLDER
from referee.sandbox.copies import BOT_FOLDER
from referee.sandbox.environment import (
    LOCKED,
    MIB,
    OPEN_FILES,
    SIGNALS,
    TMP_FILES,
    environment,
    file_limit,
)
from referee.sandbox.launcher import walled
from referee.sandbox.masks import Masks

_OWN_PROCESSES: Final = 2
"""Docker's init, which counts too, and one to spare."""

_LEAST_MEMORY: Final = 6
"""MiB; the daemon takes no less."""


_DOCKERS_MASKS: Final = (
    *("/proc/asound", "/proc/acpi", "/proc/kcore", "/proc/keys", "/proc/latency_stats"),
    *("/proc/timer_list", "/proc/timer_stats", "/proc/sched_debug", "/proc/scsi"),
)
"""What the daemon hides by itself, as long as we name nothing."""

_QUEUES: Final = "/dev/mqueue"
"""Messages of POSIX; files can be made there, which are in no bound of ours."""

_TERMINALS: Final = "/dev/pts"
"""Their number has one limit for the whole machine, and no bot needs one."""

_LAUNCHER: Final = "/launcher"
"""Where a container sees the launcher: it opens the pipes, says so, and waits to be let go on."""


class Recipe(Struct, frozen=True):
    """What differs between containers.

    Attributes:
        name: the container's.
        image: its image.
        bot: who runs in it.
        uid: the user it runs as.
        io: the host's folder with its pipes.
        launcher: the host's path of the program that it begins with.
        cores: the processors it may use, as Linux writes them.
        path: the PATH, or nothing for what the image says.
        shown: what it sees of the host beside its folder and its pipes.
        profile: the filter of system calls, as JSON.
        labels: by which the container is found again.
        masks: what it sees in place of the machine's counters.
        landlock: whether files below /proc can be closed to it.
        parent: the control group to put its own in, or nothing for the daemon's usual one.
        runtime: the program that runs it, by the daemon's name, or nothing for the usual one.
    """

    name: str
    image: str
    bot: BotSpec
    uid: int
    io: Path
    launcher: Path
    cores: str
    path: str
    shown: Sequence[Mount]
    profile: str
    labels: Mapping[str, str]
    masks: Masks
    landlock: bool
    parent: str
    runtime: str = ""

    def create(self, client: APIClient) -> str:
        """Makes the container; returns its id.

        Raises:
            DockerException: the daemon did not make it.
        """
        variables = environment(self.bot.bounds, self.path)
        if not self.path:
            del variables["PATH"]
        made = client.create_container(
            self.image,
            name=self.name,
            entrypoint=[_LAUNCHER, "streams", IO_FOLDER, *self._walled(), "--"],
            command=list(self.bot.command),
            user=f"{self.uid}:{self.uid}",
            hostname="bot",
            working_dir=BOT_FOLDER,
            environment=variables,
            labels=dict(self.labels),
            network_disabled=True,
            healthcheck={"test": ["NONE"]},
            host_config=self._host_config(client),
            runtime=self.runtime or None,
        )
        return str(made["Id"])

    def _host_config(self, client: APIClient) -> dict[str, Any]:  # JSON
        bounds = self.bot.bounds
        memory = max(bounds.memory, _LEAST_MEMORY) * MIB
        found: dict[str, Any] = client.create_host_config(
            init=True,
            network_mode="none",
            ipc_mode="private",
            shm_size=MIB,
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges:true", f"seccomp={self.profile}"],
            pids_limit=bounds.processes + _OWN_PROCESSES,
            mem_limit=memory,
            memswap_limit=memory,
            oom_score_adj=1000,
            cpuset_cpus=self.cores,
            cpu_shares=V1_SHARES // IDLE_PART if self.bot.idle else None,
            cgroup_parent=self.parent or None,
            tmpfs=self._tmpfs(),
            mounts=self._mounts(),
            ulimits=_limits(self.bot),
            log_config=LogConfig(type="none"),
        )
        found["CgroupnsMode"] = "private"  # the SDK has no word for it, nor for the next
        masked = ["/sys", _QUEUES, _TERMINALS, *self.masks.files(), *self.masks.folders()]
        if self.landlock:
            found["ReadonlyPaths"] = []  # those of /proc cannot be opened
        else:
            masked += _DOCKERS_MASKS
        found["MaskedPaths"] = list(dict.fromkeys(masked))
        return found

    def _tmpfs(self) -> dict[str, str]:
        found = {"/tmp": _tmpfs(self.bot.bounds.tmp, TMP_FILES, self.uid)}  # noqa: S108  # its own
        if self.bot.is_build:
            found[BOT_FOLDER] = _tmpfs(FOLDER_MIB, FOLDER_FILES, self.uid)
        return found

    def _mounts(self) -> list[Mount]:
        target = SOURCE_FOLDER if self.bot.is_build else BOT_FOLDER
        own = Mount(target, self.bot.folder, type="bind", read_only=True)
        shown = {IO_FOLDER: str(self.io), _LAUNCHER: str(self.launcher)} | self._constants()
        binds = [Mount(path, file, type="bind", read_only=True) for path, file in shown.items()]
        return [*self.shown, own, *binds]

    def _walled(self) -> Iterator[str]:
        return walled(self._constants(), landlock=self.landlock)

    def _constants(self) -> dict[str, str]:
        """What is constant in /proc, and the file that is shown there."""
        return {path: file for file, path in self.masks.constants(self.bot.bounds.memory)}


def _tmpfs(size_mib: int, files: int, uid: int) -> str:
    """The bot's own, since runc gives it the mode that the folder has in the image."""
    return f"rw,exec,nosuid,nodev,uid={uid},gid={uid},mode=1777,size={size_mib}m,nr_inodes={files}"


def _limits(bot: BotSpec) -> list[Ulimit]:
    """Limits of each process; the control group binds all together."""
    found = {"core": 0, "nofile": OPEN_FILES, "memlock": LOCKED, "fsize": file_limit(bot.bounds)}
    found["sigpending"] = SIGNALS
    if bot.is_build:
        found |= {"fsize": 1 << 30, "nofile": 1024}
    return [Ulimit(name=name, soft=most, hard=most) for name, most in found.items()]

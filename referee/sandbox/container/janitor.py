"""A second janitor, in a container of its own: it outlives all processes of the referee's user.

What ends the referee may end the janitor with it: `kill -9 -1`, the end of a service, want of
memory. The daemon's containers are left out of that, and so is this one. It waits, as the janitor
does, at the end of a pipe that only the referee holds, and shares no container with a bot.
"""

import os
import secrets
import select
import sys
import time
from contextlib import suppress
from itertools import count
from typing import Final

from docker import APIClient
from docker.errors import APIError, DockerException
from docker.types import LogConfig, Mount

from referee.errors import SandboxError
from referee.sandbox import janitor
from referee.sandbox.container.daemon import Daemon, remove
from referee.sandbox.container.fifos import Fifos
from referee.sandbox.container.host_mounts import HostMounts
from referee.sandbox.container.image import IO_FOLDER
from referee.sandbox.environment import MIB
from referee.sandbox.folders import SandboxFolders
from referee.sandbox.janitor import GROUPS

LABEL: Final = "briscola-referee.janitor"
"""The label of these containers; its value is the run. The one of bots' containers is another."""

_PROGRAM: Final = "/bot/janitor.py"
_SOCKET: Final = "/run/docker.sock"
_MEMORY: Final = 64 * MIB
_PROCESSES: Final = 8
_BEGIN_S: Final = 20.0
_LOOK_S: Final = 0.5


class JanitorContainer:
    """The janitor of one run that the Docker daemon keeps.

    Attributes:
        image: our own, which bots use, too.
        host: what containers see of the host; from `start` on with overlays only where the daemon
            can mount them.
    """

    def __init__(self, daemon: Daemon, folders: SandboxFolders, image: str) -> None:
        """Starts nothing yet.

        Args:
            daemon: whom to ask for the container, and whom the janitor asks to remove others.
            folders: what the sandboxes of this run share.
            image: our own image.

        Raises:
            SandboxError: a folder for it cannot be made.
        """
        self._daemon, self._folders, self.image = daemon, folders, image
        try:
            self.host = HostMounts(folders.work / "empty")
        except OSError as error:
            raise SandboxError(f"docker: a folder for containers: {error}") from error
        self._numbers = count(1)
        self._name = ""
        self._fifos: Fifos | None = None

    def start(self) -> None:
        """Start the janitor and wait until it watches; one that was started before is removed.

        Raises:
            SandboxError: it does not run.
        """
        self.stop()
        self._name = self._next_name()
        try:
            self._fifos = Fifos(self._folders.pipes / secrets.token_hex(16))
            with self._daemon.client() as client:
                self._run(client, self._fifos)
                self._await(client, self._fifos.ends[1])
            self._fifos.remove()  # both sides have them open
        except OSError as error:
            raise SandboxError(f"docker: the janitor's container: {error}") from error

    def stop(self) -> None:
        """Remove the container, once nothing is left for it to do. Idempotent."""
        if self._fifos is None:
            return
        with suppress(SandboxError), self._daemon.client() as client:
            remove(client, self._name)
        self._fifos.close()
        self._fifos = None

    def _run(self, client: APIClient, fifos: Fifos) -> None:
        """Start the container; without overlays, and bots' likewise, if the daemon has none."""
        try:
            client.start(self._create(client, fifos))
        except APIError:
            if not self.host.overlaid:
                raise
            self.host.overlaid = False
            remove(client, self._name)
            self._name = self._next_name()  # the daemon may not be done with the other
            client.start(self._create(client, fifos))

    def _next_name(self) -> str:
        return f"{GROUPS}-{self._folders.run}-janitor-{next(self._numbers)}"

    def _create(self, client: APIClient, fifos: Fifos) -> str:
        """Make the container; it has no right but to talk to the daemon."""
        host = client.create_host_config(
            auto_remove=True,
            network_mode="none",
            read_only=True,
            cap_drop=["ALL"],
            security_opt=["no-new-privileges:true", "label=disable"],
            pids_limit=_PROCESSES,
            mem_limit=_MEMORY,
            userns_mode="host",  # root of the container is root, to whom the socket belongs
            mounts=self._mounts(fifos),
            log_config=LogConfig(type="none"),
        )
        program = os.path.realpath(sys.executable)
        made = client.create_container(
            self.image,
            name=self._name,
            entrypoint=[program, "-I", "-S", "-B", _PROGRAM],
            command=[self._folders.run, "", _SOCKET, IO_FOLDER],
            user="0:0",
            labels={LABEL: self._folders.run},
            network_disabled=True,
            healthcheck={"test": ["NONE"]},
            host_config=host,
        )
        return str(made["Id"])

    def _mounts(self, fifos: Fifos) -> list[Mount]:
        prefix = os.path.realpath(sys.base_prefix)
        outside = () if prefix.startswith("/usr") else (prefix,)
        files = {
            IO_FOLDER: str(fifos.folder),
            _PROGRAM: os.path.realpath(janitor.__file__),
            _SOCKET: os.path.realpath(self._daemon.socket),
        }
        own = [Mount(target, path, type="bind", read_only=True) for target, path in files.items()]
        return [*self.host.of(outside), *own]

    def _await(self, client: APIClient, end: int) -> None:
        """Wait for the janitor's word that it watches.

        Raises:
            SandboxError: it ended without one, or takes too long.
        """
        until = time.monotonic() + _BEGIN_S
        poll = select.poll()
        poll.register(end, select.POLLIN)
        while time.monotonic() < until:
            if poll.poll(_LOOK_S * 1000):
                return
            with suppress(DockerException):
                if client.inspect_container(self._name)["State"]["Running"]:
                    continue
            break
        raise SandboxError("docker: the container that clears up after us does not run")

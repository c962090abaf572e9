"""The Docker daemon of this machine: asked, and never waited for without a bound."""

import os
import queue
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from docker import APIClient
from docker.errors import APIError, DockerException, NotFound
from requests import RequestException

from referee.errors import SandboxError
from referee.sandbox.container.events import News
from referee.sandbox.janitor import LABEL, is_alive

_ANSWER_S: Final = 20.0
_PING_S: Final = 3.0
_LEAVE_S: Final = 10.0


def _path(host: str) -> str:
    return host.removeprefix("unix://")


def reach(host: str) -> None:
    """Looks whether anybody listens there; the library would leave a socket open if not.

    Raises:
        OSError: no process does.
    """
    with socket.socket(socket.AF_UNIX) as trial:
        trial.settimeout(_PING_S)
        path = _path(host)
        try:
            trial.connect(path)
        except OSError as error:
            raise OSError(error.errno, f"nobody listens at {path}: {error.strerror}") from error


class Daemon:
    """The daemon that DOCKER_HOST names, for one run of the referee."""

    def __init__(self, run: str) -> None:
        """Asks nothing yet."""
        self._run = run
        self._host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        self._version = "auto"
        self.news = News(run, self._open)
        self.reaper = Reaper(self)

    @property
    def socket(self) -> str:
        """The path of its socket."""
        return _path(self._host)

    def _open(self, timeout_s: float | None) -> APIClient:
        reach(self._host)
        # the stubs know no None, which the library takes for "no bound"
        patience: Any = timeout_s
        return APIClient(base_url=self._host, version=self._version, timeout=patience)

    @contextmanager
    def client(self, timeout_s: float = _ANSWER_S) -> Iterator[APIClient]:
        """A client for the calls of one thread; what goes wrong with them has one name.

        Raises:
            SandboxError: the daemon refused, or did not answer in time.
        """
        client = None
        try:
            client = self._open(timeout_s)
            yield client
        except APIError as error:
            raise SandboxError(f"docker: {error.explanation or error}") from error
        except (DockerException, RequestException, OSError) as error:
            why = error.strerror or str(error) if isinstance(error, OSError) else str(error)
            raise SandboxError(f"docker: the daemon does not answer: {why}") from error
        finally:
            if client is not None:
                client.close()

    def greet(self, runtime: str = "") -> dict[str, Any]:  # JSON
        """Return what the daemon says of itself.

        Args:
            runtime: the runtime that containers are to have; "" for its usual one.

        Raises:
            SandboxError: it does not answer, cannot bind what bots use, or lacks the runtime.
        """
        with self.client(_PING_S) as client:
            self._version = client.api_version
            found: dict[str, Any] = client.info()
        for what in ("MemoryLimit", "PidsLimit"):
            if not found.get(what):
                raise SandboxError(f"docker: the daemon cannot bind bots here: no {what}")
        runtimes = sorted(found.get("Runtimes") or ())
        if runtime and runtime not in runtimes:
            raise SandboxError(
                f"docker: settings.toml: docker_runtime: the daemon has no runtime {runtime!r}, "
                f"only {', '.join(runtimes) or 'its usual one'}"
            )
        return found

    def listen(self) -> None:
        """Listens to the daemon, again if it had died.

        Raises:
            SandboxError: it does not answer.
        """
        with self.client(_PING_S) as client:
            client.ping()
        self.news.connect()

    def sweep(self, *, ours: bool) -> None:
        """Removes the containers of this run, or those that are left of runs that are over.

        Raises:
            SandboxError: the daemon did not let us.
        """
        wanted = {"label": [f"{LABEL}={self._run}"]} if ours else _ENDED
        with self.client() as client:
            for found in client.containers(all=True, filters=wanted):
                if ours or not is_alive(found["Labels"][LABEL]):
                    remove(client, found["Id"])

    def close(self) -> None:
        """Waits until what was handed to the reaper is gone, and removes what is left."""
        done = self.reaper.finish()
        self.news.close()
        if done:  # else the daemon hangs; a later run removes what is left
            with suppress(SandboxError):
                self.sweep(ours=True)


_ENDED: Final = {"label": [LABEL], "status": ["exited", "dead"]}
"""Not those that run: another referee may see other processes than we do, and so seem dead."""


def remove(client: APIClient, name: str) -> None:
    """Ends and removes a container, if it is there."""
    with suppress(NotFound):
        try:
            client.remove_container(name, force=True, v=True)
        except APIError as error:
            if error.status_code != 409:  # the daemon or another client removes it now
                raise


class Reaper:
    """Removes containers one after the other, out of everybody's way."""

    def __init__(self, daemon: Daemon) -> None:
        """Begins to wait for work."""
        self._daemon = daemon
        self._waiting: queue.SimpleQueue[tuple[str, tuple[Path, ...]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="docker reaper", daemon=True)
        self._thread.start()

    def take(self, name: str, groups: tuple[Path, ...] = ()) -> None:
        """Takes a container, by name or id, that is to be gone, and the groups above its own."""
        self._waiting.put((name, groups))

    def _work(self) -> None:
        while (work := self._waiting.get()) is not None:
            name, groups = work
            with suppress(SandboxError), self._daemon.client() as client:
                remove(client, name)  # what is left is found by its label
            for group in groups:
                with suppress(OSError):  # they go with the run's, at the latest
                    group.rmdir()

    def finish(self) -> bool:
        """Waits, with a bound, until everything is done; whether it is."""
        self._waiting.put(None)
        self._thread.join(_LEAVE_S)
        return not self._thread.is_alive()

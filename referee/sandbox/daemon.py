"""The Docker daemon of this machine: asked, listened to, and never waited for without a bound."""

import os
import queue
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final

from docker import APIClient
from docker.errors import APIError, DockerException, NotFound
from docker.types.daemon import CancellableStream
from requests import RequestException

from referee.errors import SandboxError
from referee.sandbox.janitor import LABEL, is_alive

_ANSWER_S: Final = 20.0
_PING_S: Final = 3.0
_LEAVE_S: Final = 20.0
_THREAD_S: Final = 2.0


class Daemon:
    """The daemon that DOCKER_HOST names, for one run of the referee."""

    def __init__(self, run: str) -> None:
        """Asks nothing yet."""
        self._run = run
        self._host = os.environ.get("DOCKER_HOST", "unix:///var/run/docker.sock")
        self._version = "auto"
        self.news = News(run, self._open)
        self.reaper = Reaper(self)

    def _open(self, timeout_s: float | None) -> APIClient:
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
            raise SandboxError(f"docker: the daemon does not answer: {error}") from error
        finally:
            if client is not None:
                client.close()

    def greet(self) -> dict[str, Any]:  # JSON
        """What the daemon says of itself.

        Raises:
            SandboxError: it does not answer, or cannot bind what bots use.
        """
        with self.client(_PING_S) as client:
            self._version = client.api_version
            found: dict[str, Any] = client.info()
        for what in ("MemoryLimit", "PidsLimit"):
            if not found.get(what):
                raise SandboxError(f"docker: the daemon cannot bind bots here: no {what}")
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
        self.reaper.finish()
        self.news.close()
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
            if error.status_code != 409:  # somebody else removes it at this moment
                raise


class News:
    """What the daemon says of our containers as it happens; when it falls silent, it is dead."""

    def __init__(self, run: str, open_client: Callable[[float | None], APIClient]) -> None:
        """Hears nothing yet."""
        self._open = open_client
        self._filters = {"type": "container", "event": ["die", "oom"], "label": f"{LABEL}={run}"}
        self._since = int(time.time()) - 1
        self._changed = threading.Condition()
        self._codes: dict[str, int] = {}
        self._starved: set[str] = set()
        self._stream: CancellableStream[dict[str, Any]] | None = None  # JSON
        self._thread: threading.Thread | None = None
        self._death = ""
        self._told = False

    @property
    def connected(self) -> bool:
        """Whether the daemon would tell us."""
        return self._stream is not None

    def connect(self) -> None:
        """Begins to listen.

        Raises:
            SandboxError: the daemon does not answer.
        """
        self._thread = threading.Thread(target=self._listen, name="docker news", daemon=True)
        self._thread.start()
        with self._changed:
            if not self._changed.wait_for(lambda: self.connected, _PING_S):
                raise SandboxError("docker: the daemon tells no news")
            if self._told:
                self._death, self._told = "", False

    def trouble(self) -> str | None:
        """That the daemon has died; said once, or until it lives again."""
        if not self._death:
            return None
        self._told = True
        death = self._death
        if self.connected:
            self._death, self._told = "", False
        return death

    def _listen(self) -> None:
        """Runs in a thread of its own until the daemon ends, or `close`."""
        client = self._open(None)
        try:
            stream = client.events(since=self._since, filters=self._filters, decode=True)
            with self._changed:
                self._stream = stream
                self._changed.notify_all()
            for event in stream:
                self._hear(event)
        except (DockerException, RequestException, OSError, ValueError, AttributeError):
            pass  # however it fell silent; the library stumbles when it is closed under its feet
        finally:
            with self._changed:
                if self._stream is not None:
                    self._stream, self._death = None, "docker: the daemon has died"
                self._changed.notify_all()
            client.close()

    def _hear(self, event: dict[str, Any]) -> None:  # JSON
        with self._changed:
            self._since = int(event["time"])
            if event["Action"] == "oom":
                self._starved.add(event["id"])
            else:
                self._codes[event["id"]] = int(event["Actor"]["Attributes"]["exitCode"])
            self._changed.notify_all()

    def code(self, container: str, within_s: float) -> int | None:
        """The exit code of a container that has ended, or None when nobody says it in time."""
        with self._changed:
            self._changed.wait_for(
                lambda: container in self._codes or not self.connected, within_s
            )
            return self._codes.get(container)

    def was_starved(self, container: str) -> bool:
        """Whether the kernel ended a process of it for want of memory."""
        return container in self._starved

    def forget(self, container: str) -> None:
        """Nobody will ask for it any more."""
        with self._changed:
            self._codes.pop(container, None)
            self._starved.discard(container)

    def close(self) -> None:
        """Listens no longer."""
        with self._changed:
            stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(DockerException, OSError, AttributeError):
                stream.close()
        if self._thread is not None:
            self._thread.join(_THREAD_S)


class Reaper:
    """Removes containers one after the other, out of everybody's way."""

    def __init__(self, daemon: Daemon) -> None:
        """Begins to wait for work."""
        self._daemon = daemon
        self._waiting: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="docker reaper", daemon=True)
        self._thread.start()

    def take(self, name: str) -> None:
        """Takes a container, by name or id, that is to be gone."""
        self._waiting.put(name)

    def _work(self) -> None:
        while (name := self._waiting.get()) is not None:
            with suppress(SandboxError), self._daemon.client() as client:
                remove(client, name)  # what is left is found by its label

    def finish(self) -> None:
        """Waits, with a bound, until everything is done."""
        self._waiting.put(None)
        self._thread.join(_LEAVE_S)

"""What the Docker daemon says of containers, as it happens."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

from docker import APIClient
from docker.errors import DockerException
from docker.types.daemon import CancellableStream

from referee.errors import SandboxError
from referee.sandbox.janitor import LABEL

_CONNECT_S: Final = 3.0
_THREAD_S: Final = 2.0
_DEAD: Final = "docker: the daemon has died"


class News:
    """Exit codes, want of memory, and what is no bot's doing: other clients' deeds, a dead daemon.

    A daemon that falls silent is dead. One that is told to stop ends containers first, then itself.
    """

    def __init__(self, run: str, open_client: Callable[[float | None], APIClient]) -> None:
        """Hears nothing yet."""
        self._open = open_client
        self._filters = {
            "type": "container",
            "event": ["destroy", "die", "kill", "oom"],
            "label": f"{LABEL}={run}",
        }
        self._since = int(time.time()) - 1
        self._changed = threading.Condition()
        self._living: set[str] = set()
        self._codes: dict[str, int] = {}
        self._starved: set[str] = set()
        self._stream: CancellableStream[dict[str, Any]] | None = None  # JSON
        self._thread: threading.Thread | None = None
        self._trouble = ""

    @property
    def connected(self) -> bool:
        """Whether the daemon would tell us."""
        return self._stream is not None

    def connect(self) -> None:
        """Begins to listen.

        Raises:
            SandboxError: the daemon does not answer.
        """
        thread = threading.Thread(target=self._listen, name="docker news", daemon=True)
        thread.start()
        with self._changed:
            self._thread = thread
            self._changed.wait_for(lambda: self.connected or not thread.is_alive(), _CONNECT_S)
            if not self.connected:
                raise SandboxError("docker: the daemon tells no news")

    def _listen(self) -> None:
        """Runs in a thread of its own until the daemon ends, or `close`."""
        with suppress(Exception):  # of many libraries; however it falls silent, it is silent
            client = self._open(None)
            try:
                stream = client.events(since=self._since, filters=self._filters, decode=True)
                with self._changed:
                    self._stream = stream
                    self._changed.notify_all()
                for event in stream:
                    self._hear(event)
            finally:
                client.close()
        with self._changed:
            if self._stream is not None and self._living:
                self._trouble = _DEAD
            self._stream = None
            self._changed.notify_all()

    def _hear(self, event: dict[str, Any]) -> None:  # JSON
        container = event["id"]
        with self._changed:
            self._since = int(event["time"])
            match event["Action"]:
                case "oom":
                    self._starved.add(container)
                case "die":
                    with suppress(ValueError):  # a label of the image can take its place
                        self._codes[container] = int(event["Actor"]["Attributes"]["exitCode"])
                case "kill" if container in self._living:
                    self._trouble = "docker: somebody else has ended a container"
                case "destroy":
                    self._codes.pop(container, None)
                    self._starved.discard(container)
            self._changed.notify_all()

    def trouble(self) -> str | None:
        """What has happened to living bots through no doing of theirs; told once."""
        with self._changed:
            trouble, self._trouble = self._trouble, ""
            return trouble or (None if self.connected else _DEAD)

    def expect(self, container: str) -> None:
        """From now on a container lives, and none but its bot or we may end it."""
        with self._changed:
            self._living.add(container)

    def give_up(self, container: str) -> None:
        """From now on it is ours to end. Idempotent."""
        with self._changed:
            self._living.discard(container)

    def code(self, container: str, within_s: float) -> int | None:
        """The exit code of a container that has ended, or None if it is not said in time."""
        with self._changed:
            self._changed.wait_for(lambda: container in self._codes or not self.connected, within_s)
            return self._codes.get(container)

    def was_starved(self, container: str) -> bool:
        """Whether the kernel ended a process of it for want of memory."""
        return container in self._starved

    def close(self) -> None:
        """Listens no longer."""
        with self._changed:
            stream, self._stream = self._stream, None
        if stream is not None:
            with suppress(DockerException, OSError, AttributeError):
                stream.close()
        if self._thread is not None:
            self._thread.join(_THREAD_S)

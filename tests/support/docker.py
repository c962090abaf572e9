"""A Docker daemon for tests: one that is there, or one of our own that can be ended at will."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import docker
import pytest
from docker.errors import DockerException
from requests import RequestException

from referee.sandbox.container.daemon import reach
from support.sandboxes import need

_START_S = 30.0
_STOP_S = 15.0
_USUAL = "unix:///var/run/docker.sock"


def answers(host: str) -> bool:
    """Whether a daemon answers there."""
    try:
        reach(host)
        client = docker.APIClient(base_url=host, version="auto", timeout=3)
    except (OSError, DockerException, RequestException):
        return False
    client.close()
    return True


_KEEPER = """
import ctypes, os, select, signal, subprocess, sys
ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)
daemon = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL)
os.write(1, b"%d" % daemon.pid)
while not (select.select([0], [], [], 0.02)[0] and not os.read(0, 1)):
    try:
        while os.waitpid(-1, os.WNOHANG)[0]: pass
    except ChildProcessError:
        pass
try: os.kill(daemon.pid, signal.SIGTERM)
except ProcessLookupError: pass
"""
"""The parent of all that a daemon leaves behind, which else were ours; it ends after us."""


class Dockerd:
    """A daemon with folders and a socket of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._keepers: list[subprocess.Popen[bytes]] = []
        self._pid = 0
        self.host = f"unix://{folder}/sock"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        words = ["dockerd", "--host", self.host, "--bridge=none", "--iptables=false"]
        for name in ("data-root", "exec-root", "pidfile"):
            words += [f"--{name}", str(self._folder / name)]
        with (self._folder / "log").open("ab") as log:
            keeper = subprocess.Popen(
                [sys.executable, "-I", "-S", "-c", _KEEPER, *words],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                start_new_session=True,
            )
        assert keeper.stdout is not None
        self._keepers.append(keeper)
        self._pid = int(os.read(keeper.stdout.fileno(), 16))
        until = time.monotonic() + _START_S
        while not answers(self.host):
            if time.monotonic() > until or not Path(f"/proc/{self._pid}").exists():
                pytest.fail("dockerd does not start: " + (self._folder / "log").read_text()[-800:])
            time.sleep(0.05)

    def kill(self) -> None:
        """Ends it as an accident would: its containers live on."""
        self._end(signal.SIGKILL)

    def end(self) -> None:
        """Tells it to stop: it ends its containers first."""
        self._end(signal.SIGTERM)

    def stop(self) -> None:
        """Ends it, and then whatever it has left."""
        self.end()
        for pid in self._left():
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        until = time.monotonic() + 2
        while self._left() and time.monotonic() < until:
            time.sleep(0.02)
        for keeper in self._keepers:
            keeper.communicate()
        self._unmount()

    def _end(self, number: signal.Signals) -> None:
        if not self._pid:
            return
        os.kill(self._pid, number)
        until = time.monotonic() + _STOP_S
        while Path(f"/proc/{self._pid}").exists():
            if time.monotonic() > until:
                os.kill(self._pid, signal.SIGKILL)
            time.sleep(0.01)
        self._pid = 0

    def _left(self) -> list[int]:
        """What carries our folder on its command line: containerd and its shims."""
        mark, found = f"{self._folder}/".encode(), []
        for place in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                own = {os.getpid(), *(keeper.pid for keeper in self._keepers)}
                if mark in (place / "cmdline").read_bytes() and int(place.name) not in own:
                    found.append(int(place.name))
        return found

    def _unmount(self) -> None:
        mounts = Path("/proc/self/mountinfo").read_text().splitlines()
        for place in sorted((line.split()[4] for line in mounts), reverse=True):
            if place.startswith(f"{self._folder}/"):
                subprocess.run(["umount", "-l", place], check=False, capture_output=True)


@contextmanager
def own_daemon() -> Iterator[Dockerd]:
    """A daemon that nobody else uses; the test is skipped where none can be started."""
    need("dockerd", "containerd", "runc", root=True)
    folder = Path(tempfile.mkdtemp(prefix="dockerd-"))  # short, since it holds a socket
    daemon = Dockerd(folder)
    try:
        daemon.start()
        yield daemon
    finally:
        daemon.stop()
        shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def some_daemon() -> Iterator[str]:
    """Where the daemon of this machine answers, or one of our own; DOCKER_HOST says so too."""
    usual = os.environ.get("DOCKER_HOST", _USUAL)
    with pytest.MonkeyPatch.context() as patch:
        if answers(usual):
            patch.setenv("DOCKER_HOST", usual)
            yield usual
            return
        with own_daemon() as daemon:
            patch.setenv("DOCKER_HOST", daemon.host)
            yield daemon.host

"""A real PostgreSQL server for tests, with a data folder, a user and an address of its own.

Public: `Postgres` (`start`, `stop`, `restart`, `running`, `log`, `database`), `Mode`,
`own_postgres`; and the fixtures of conftest: `postgres`, one server a session, and `database`, the
URL of an empty database for one test. Whoever stops the server need not start it again.
"""

import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from pwd import getpwnam

import psycopg
import pytest
from psycopg import sql

from support.sandboxes import need

_START_S = 30.0
_FIRST_PORT = 15432  # below those that the kernel gives to whoever asks for any
_ADMIN = "postgres"
_ROLE = "organiser"
_USERS = ("postgres", "nobody")


class Mode(StrEnum):
    """How a server is stopped."""

    FAST = "fast"
    """Connections are closed, all is written: as an upgrade or a reboot does it."""

    IMMEDIATE = "immediate"
    """Everything ends at once, and the next start recovers from the log: as an accident does it."""


_KEEPER = """
import ctypes, os, shutil, signal, subprocess, sys, tempfile
programs, user, group = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
library = ctypes.CDLL(None)
folder = tempfile.mkdtemp(prefix="postgres-")
os.chown(folder, user, group)
log = open(folder + "/log", "ab")
who = dict(user=user, group=group, extra_groups=[]) if os.geteuid() == 0 else {}
how = dict(cwd=folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **who)
server = None
def say(what):
    os.write(1, b"%s\\n" % str(what).encode())
def end(number):
    if server is None or server.poll() is not None:
        return
    server.send_signal(number)
    try:
        server.wait(20)
    except subprocess.TimeoutExpired:
        server.kill()
        server.wait()
try:
    init = [programs + "/initdb", "-D", folder + "/data", *sys.argv[4:]]
    say(folder if subprocess.call(init, **how) == 0 else "!" + open(log.name).read()[-800:])
    for line in sys.stdin:
        if line == "start\\n" and (server is None or server.poll() is not None):
            server = subprocess.Popen([programs + "/postgres", "-D", folder + "/data"], **how,
                                      preexec_fn=lambda: library.prctl(1, signal.SIGQUIT, 0, 0, 0))
        elif line != "start\\n":
            end(signal.SIGINT if line == "fast\\n" else signal.SIGQUIT)
        say(server.pid if server and server.poll() is None else 0)
except BrokenPipeError:
    pass
finally:
    end(signal.SIGQUIT)
    shutil.rmtree(folder, ignore_errors=True)
"""
"""The parent of a server. When we end, however that is, its input ends: then it stops the server
and takes the data away. It is no thread's child, since the kernel would end it with the thread."""


class Postgres:
    """A server that nobody else uses.

    Attributes:
        folder: where its data, its socket and its log lie; gone after `close`.
        pid: of the server while it runs, else 0.
    """

    def __init__(self, programs: Path) -> None:
        """Makes the data folder; the server does not run yet.

        Args:
            programs: where `initdb` and `postgres` are.
        """
        self._keeper = _keeper(programs)
        said = self._answer()
        if not said.startswith("/"):
            rest = self._keeper.communicate()[0]
            pytest.fail(f"initdb fails: {said}{rest}")
        self.folder = Path(said)
        self.pid = 0
        self._address = _address_of(self._keeper.pid)
        self._port = _free_port(self._address)
        self._password = secrets.token_hex(16)
        self._databases = 0
        self._configure()

    def start(self) -> None:
        """Starts it, unless it runs, and waits until it answers."""
        self.pid = self._told("start")
        until = time.monotonic() + _START_S
        while not self._answers():
            if time.monotonic() > until or not self.running:
                pytest.fail(f"PostgreSQL does not start: {self.log()[-800:]}")
            time.sleep(0.02)

    def stop(self, mode: Mode = Mode.FAST) -> None:
        """Ends it; returns when it has ended. Its data, address and port stay."""
        self.pid = self._told(mode)

    def restart(self, mode: Mode = Mode.FAST) -> None:
        """Ends it and starts it again."""
        self.stop(mode)
        self.start()

    @property
    def running(self) -> bool:
        """Whether the server's process is there and has not died."""
        try:
            state = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            return False
        return self.pid != 0 and state != "Z"

    def log(self) -> str:
        """All that it has said so far."""
        return (self.folder / "log").read_text(errors="replace")

    @contextmanager
    def database(self) -> Iterator[str]:
        """The URL of a new, empty database, which an ordinary role owns; dropped afterwards."""
        self.start()
        self._databases += 1
        name = f"test_{self._databases}"
        self._order("CREATE DATABASE {} OWNER {} TEMPLATE template0", name, _ROLE)
        try:
            yield f"postgresql://{_ROLE}:{self._password}@{self._address}:{self._port}/{name}"
        finally:
            self.start()
            self._order("DROP DATABASE {} WITH (FORCE)", name)

    def close(self) -> None:
        """Ends it and takes everything away."""
        self._keeper.communicate()
        self.pid = 0

    def _configure(self) -> None:
        """Writes down what differs from usual settings, and makes the role; fsync stays on."""
        settings = {
            "listen_addresses": self._address,
            "port": self._port,
            "unix_socket_directories": self.folder,
            "dynamic_shared_memory_type": "mmap",  # in the folder, which is taken away
            "shared_buffers": "16MB",
            "max_connections": 40,
        }
        with (self.folder / "data/postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())
        self.start()
        with self._admin() as connection:
            role, password = sql.Identifier(_ROLE), sql.Literal(self._password)
            connection.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(role, password))

    def _admin(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(
            host=str(self.folder),
            port=self._port,
            user=_ADMIN,
            dbname="postgres",
            autocommit=True,
            connect_timeout=5,
        )

    def _order(self, words: str, *names: str) -> None:
        with self._admin() as connection:
            connection.execute(sql.SQL(words).format(*map(sql.Identifier, names)))

    def _answers(self) -> bool:
        try:
            self._admin().close()
        except psycopg.OperationalError:
            return False
        return True

    def _told(self, order: str) -> int:
        """Gives the keeper an order, and waits for the server's process id."""
        assert self._keeper.stdin is not None
        self._keeper.stdin.write(f"{order}\n")
        self._keeper.stdin.flush()
        return int(self._answer())

    def _answer(self) -> str:
        assert self._keeper.stdout is not None
        return self._keeper.stdout.readline().strip()


def _keeper(programs: Path) -> subprocess.Popen[str]:
    """A keeper, which runs as we do; what it starts runs as somebody who is not root."""
    user, group = os.geteuid(), os.getegid()
    if user == 0:
        user, group = _nobody_in_particular()
    words = ["-U", _ADMIN, "-E", "UTF8", "--locale=C.UTF-8", *_icu(programs)]
    words += ["--auth-local=trust", "--auth-host=scram-sha-256", "--no-sync", "--no-instructions"]
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", _KEEPER, str(programs), str(user), str(group), *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,  # ctrl-C is for us
    )


def _icu(programs: Path) -> list[str]:
    """Texts sort as on people's servers, not by their bytes as in SQLite (PostgreSQL 15 can)."""
    words = subprocess.run([programs / "initdb", "--help"], capture_output=True, check=True).stdout
    return ["--locale-provider=icu", "--icu-locale=en-US"] if b"--icu-locale" in words else []


def _nobody_in_particular() -> tuple[int, int]:
    """A user that PostgreSQL agrees to run as."""
    for name in _USERS:
        try:
            found = getpwnam(name)
        except KeyError:
            continue
        return found.pw_uid, found.pw_gid
    pytest.fail(f"none of these users is there: {', '.join(_USERS)}")


def _address_of(pid: int) -> str:
    """A loopback address that no other living process makes of its own number.

    So a port stays ours while the server is down, and test sessions cannot meet.
    """
    return f"127.{64 + (pid >> 16)}.{pid >> 8 & 255}.{pid & 255}"


def _free_port(address: str) -> int:
    """The first port that nobody listens on, at all addresses either."""
    for port in range(_FIRST_PORT, _FIRST_PORT + 100):
        with socket.socket() as one:
            try:
                one.bind((address, port))
            except OSError:
                continue
            return port
    pytest.fail(f"no port of {address} is free")


def _programs() -> Path:
    """Where the newest server's programs are; the test is skipped where there are none."""
    found = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")]
    if found:
        return max(found, key=lambda path: float(path.parent.name))
    need("initdb")
    return Path(shutil.which("initdb") or "initdb").resolve().parent


@contextmanager
def own_postgres() -> Iterator[Postgres]:
    """A server that runs; it and its data are gone afterwards, and when we are killed, too."""
    server = Postgres(_programs())
    try:
        yield server
    finally:
        server.close()

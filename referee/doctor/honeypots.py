"""What a bot would find that gets out of its sandbox: laid out for as long as it is tried."""

import fcntl
import secrets
import socket
import struct
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from referee.sandbox.folders import store_folder, work_folder

_LOCK: Final = "hhqqi4x"
"""A `struct flock`: kind, from where, start, length, process."""

_COMMON: Final = (Path("/tmp"), Path("/var/tmp"), Path("/dev/shm"))  # noqa: S108  # others' too


@contextmanager
def lures() -> Iterator[tuple[list[str], int, str]]:
    """What a bot would find that got out: files, a port, and the name of a local socket."""
    name = f"probe-{secrets.token_hex(8)}"
    with ExitStack() as stack:
        paths = []
        for folder in (Path.cwd(), Path.home(), *_COMMON):
            path = folder / f".{name}"
            try:
                path.touch(exist_ok=False)
            except OSError:
                continue  # not writable: nothing of ours is there
            stack.callback(path.unlink)
            paths.append(str(path))
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        local = stack.enter_context(socket.socket(socket.AF_UNIX))
        local.bind(f"\0{name}")
        local.listen()
        yield paths, tcp.getsockname()[1], name


@contextmanager
def locked() -> Iterator[None]:
    """Hold a lock of the kind that /proc/locks shows in every process namespace."""
    with tempfile.TemporaryFile() as file:
        fcntl.fcntl(file, fcntl.F_OFD_SETLK, struct.pack(_LOCK, fcntl.F_WRLCK, 0, 0, 0, 0))
        yield


def hidden() -> list[str]:
    """Files and folders of the host that no bot has any business with."""
    ours = Path(__file__).parent.parent
    found = [ours, store_folder(), work_folder(), Path("/var/run/docker.sock")]
    return [str(path) for path in found if path.exists()]

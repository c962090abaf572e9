# story: talks to services of the machine over sockets that have a path, or an abstract name
# row: escape: abstract sockets and docker.sock
# expect: plays
# not-bare: bare cuts no network
import socket
from functools import partial

from hostile.honest import first_that_works, spy
from hostile.lures import ABSTRACT

PATHS = (
    "/run/docker.sock",
    "/var/run/docker.sock",
    "/run/containerd/containerd.sock",
    "/run/dbus/system_bus_socket",
    "/run/systemd/private",
    "/dev/log",
)


def knock(path: str) -> None:
    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(path)


def attack() -> str:
    doors = {path.replace("\0", "@"): path for path in (*PATHS, ABSTRACT)}
    return first_that_works({name: partial(knock, path) for name, path in doors.items()})


spy(attack)

# story: makes namespaces in which it would be root
# row: escape: clone NEWUSER
# expect: plays
# not-bare: bare forbids no system call
import os
import signal
from functools import partial

from hostile.honest import first_that_works, spy
from hostile.kernel import buffer, call

NAMESPACES = {
    "time": 0x80,
    "mount": 0x20000,
    "cgroup": 0x2000000,
    "uts": 0x4000000,
    "ipc": 0x8000000,
    "user": 0x10000000,
    "pid": 0x20000000,
    "net": 0x40000000,
}


def clone(flags: int) -> None:
    if call("clone", flags | signal.SIGCHLD, None, None, None, None) == 0:
        os._exit(0)


def clone3(flags: int) -> None:
    request = buffer(88, flags.to_bytes(8, "little"))
    if call("clone3", request, 88) == 0:
        os._exit(0)


def attack() -> str:
    user = NAMESPACES["user"]
    return first_that_works(
        {
            "clone": lambda: clone(user),
            "clone3": lambda: clone3(user),
            "clone of all": lambda: clone(user | NAMESPACES["mount"] | NAMESPACES["net"]),
            "setns": lambda: call("setns", os.open("/proc/1/ns/user", os.O_RDONLY), 0),
            **{
                f"unshare {name}": partial(call, "unshare", NAMESPACES[name]) for name in NAMESPACES
            },
        }
    )


spy(attack)

"""Networks of a test's own: hosts in namespaces, joined by links that can be pulled."""

import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final

from support.sandboxes import lacking, need

_HUB: Final = "hub"
_WIRE: Final = "wire"
"""What a host calls its end of its link."""

_ADDRESSES: Final = "10.86.0"
"""Nobody outside these namespaces sees them."""


class Network:
    """Hosts that see each other, and nothing of this machine's network, which sees none of them.

    A namespace lasts as long as the processes in it. The one that holds it ends with its standard
    input, whose other end is ours, so nothing is left however we end.
    """

    def __init__(self, hub: int) -> None:
        """There is none yet, around a namespace with a bridge."""
        self._hub = hub
        self._hosts: dict[str, int] = {}

    def join(self, name: str, holder: int) -> None:
        """Gives a host, which a process holds, an address, and joins it to the others."""
        port = f"port{len(self._hosts)}"
        self._hosts[name] = holder
        end = f"{port} type veth peer name {_WIRE} netns {holder}"
        _ip(self._hub, f"link add {end}")
        _ip(self._hub, f"link set {port} master {_HUB} up")
        _ip(holder, f"address add {self.address(name)}/24 dev {_WIRE}")
        self.up(name)

    def address(self, name: str) -> str:
        """Where others see a host."""
        return f"{_ADDRESSES}.{list(self._hosts).index(name) + 1}"

    def inside(self, name: str) -> tuple[str, ...]:
        """What stands before a command that is to run on a host; it ends when we do."""
        return ("setpriv", "--pdeathsig", "KILL", *_enter(self._hosts[name]))

    def down(self, name: str) -> None:
        """Pulls the link of a host: who speaks with it hears nothing any more, no end either."""
        _ip(self._hosts[name], f"link set {_WIRE} down")

    def up(self, name: str) -> None:
        """Puts the link in again."""
        _ip(self._hosts[name], f"link set {_WIRE} up")


def _enter(holder: int) -> tuple[str, ...]:
    return ("nsenter", f"--net=/proc/{holder}/ns/net")


def _ip(holder: int, words: str) -> None:
    subprocess.run([*_enter(holder), "ip", *words.split()], check=True)


@contextmanager
def network(*names: str) -> Iterator[Network]:
    """Hosts of these names, until the block is left.

    The test is left out where there can be none, or fails where nothing may be skipped.
    """
    need("ip", "nsenter", "setpriv", "unshare", root=True)
    with ExitStack() as held:
        bridge = f"ip link add {_HUB} type bridge && ip link set {_HUB} up"
        found = Network(held.enter_context(_namespace(bridge)))
        for name in names:
            found.join(name, held.enter_context(_namespace("ip link set lo up")))
        yield found


@contextmanager
def _namespace(begin: str) -> Iterator[int]:
    """A process that holds a network namespace, in which a command of the shell has run."""
    words = ("unshare", "--net", "sh", "-c", f"{begin} && echo ready && exec cat > /dev/null")
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        said = holder.stdout.readline()
        if said != "ready\n":
            lacking(f"no network namespace: {said.strip()}")
        try:
            yield holder.pid
        finally:
            holder.stdin.close()

"""Where a cluster's scheduler is: tls://HOST:PORT. Pure."""

from typing import Final

from msgspec import Struct

from referee.errors import RefereeError

PORT: Final = 8786
"""Where a scheduler listens unless it is told another."""

_TLS: Final = "tls://"
_MOST: Final = 0xFFFF


class Address(Struct, frozen=True):
    """A host, by name or number, and a port."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return it as dask has it."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{_TLS}{host}:{self.port}"


def read_address(text: str) -> Address:
    """Return an address; without a port it is the usual one, and `tls://` may be left out.

    Raises:
        RefereeError: it is none, or is to be spoken to in the clear.
    """
    scheme, found, rest = text.rpartition("://")
    if found and scheme != _TLS.removesuffix("://"):
        raise RefereeError(
            f"cluster {text!r}: a cluster speaks TLS only, with keys of its own; write "
            f"{_TLS}HOST:PORT"
        )
    host, colon, port = rest.rpartition(":")
    if ":" in host and not host.startswith("["):
        raise RefereeError(f"cluster {text!r}: write {_TLS}HOST:PORT, an IPv6 address in brackets")
    if rest.endswith("]") or not colon:
        host, port = rest, str(PORT)
    host = host.removeprefix("[").removesuffix("]")
    if not host or "/" in host or not port.isdecimal() or not 0 < int(port) <= _MOST:
        raise RefereeError(f"cluster {text!r}: write {_TLS}HOST:PORT")
    return Address(host, int(port))

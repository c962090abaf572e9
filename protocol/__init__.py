"""What travels between the referee and a bot: messages, framing, and who may speak when.

Knows no game, does no I/O, asks no clock. SPEC.md says the same in words.
"""

from protocol.connection import TRANSITIONS, Connection, ConnectionState
from protocol.errors import (
    LocalProtocolError,
    ProtocolError,
    RemoteFault,
    RemoteProtocolError,
)
from protocol.limits import PROTOCOL_VERSION

__all__ = [
    "PROTOCOL_VERSION",
    "TRANSITIONS",
    "Connection",
    "ConnectionState",
    "LocalProtocolError",
    "ProtocolError",
    "RemoteFault",
    "RemoteProtocolError",
]

"""A scheduler that cannot be spoken to is gone, even where the engine does not say so."""

from typing import Any, cast

import pytest
import trio.testing
from distributed import Client

from ladder.cluster.address import Address
from ladder.cluster.connection import Connection
from referee.errors import HostError


class _Client:
    """The engine's end of a connection."""

    status = "running"

    def scheduler_info(self) -> dict[str, Any]:  # as the engine has it
        """What is known, or was last known, of the machines."""
        return {"workers": {"tls://a": {}}}


async def test_a_connection_that_is_not_made_again_is_at_its_end(
    mock_clock: trio.testing.MockClock,
) -> None:
    """The engine tries that for ten seconds; once it gave up without ending, and said nothing."""
    client = _Client()
    connection = Connection(cast("Client", client), Address("127.0.0.1", 1))
    for _ in range(2):
        mock_clock.jump(20)
        client.status = "running"
        assert await connection.addresses() == {"tls://a"}
        client.status = "connecting"
        mock_clock.jump(14)
        assert await connection.addresses() == {"tls://a"}
    mock_clock.jump(2)
    with pytest.raises(HostError, match="its scheduler has gone"):
        await connection.addresses()

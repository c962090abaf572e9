"""protocol.connection: who may say what when."""

from itertools import product

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol import (
    TRANSITIONS,
    Connection,
    ConnectionState,
    LocalProtocolError,
    RemoteFault,
    RemoteProtocolError,
)
from protocol.messages import (
    Act,
    Answer,
    Clock,
    Deal,
    DealEnd,
    End,
    Fault,
    Hello,
    Ready,
    ToBot,
    View,
)
from support.drive import HELLO

VIEW = View("play", 0, 1, ["7D"], "H", "6H", 0, 0, [], [0, 0], [], [])
SAID: dict[object, ToBot] = {
    Hello: HELLO,
    Deal: Deal(1, (0, 1), 0, 1, "g", {}, (0, 0)),
    Act: Act("ab", VIEW, ("7D",), (), Clock(1, 1, 1)),
    DealEnd: DealEnd(1, (), (0, 0), (0, 0), "played"),
    Fault: Fault("ab", "late", "no answer"),
    End: End((0, 0), None, "deals"),
}
HEARD: dict[object, bytes] = {
    Ready: b'{"type":"ready","protocol":1,"name":"x"}\n',
    Answer: b'{"id":"ab","action":"7D"}\n',
}
WAY: dict[ConnectionState, list[type]] = {
    ConnectionState.NEW: [],
    ConnectionState.GREETED: [Hello],
    ConnectionState.BETWEEN: [Hello, Ready],
    ConnectionState.DEALT: [Hello, Ready, Deal],
    ConnectionState.ASKED: [Hello, Ready, Deal, Act],
    ConnectionState.OVER: [Hello, Ready, End],
}


def connection_in(state: ConnectionState) -> Connection:
    """A connection that has come to this state."""
    connection = Connection()
    for step in WAY[state]:
        if step in SAID:
            connection.send(SAID[step])
        else:
            connection.receive(HEARD[step])
            connection.next_message()
    assert connection.state is state
    return connection


@pytest.mark.parametrize(("state", "kind"), list(product(WAY, SAID)), ids=str)
def test_every_cell_of_the_table_for_what_we_say(state: ConnectionState, kind: type) -> None:
    """What the table has leads where it says; all else is our error and changes nothing."""
    connection = connection_in(state)
    after = TRANSITIONS.get((state, kind))
    if after is None:
        with pytest.raises(LocalProtocolError):
            connection.send(SAID[kind])
        assert connection.state is state
    else:
        line = connection.send(SAID[kind])
        assert msgspec.json.decode(line[:-1], type=kind) == SAID[kind]
        assert connection.state is after


@pytest.mark.parametrize(("state", "kind"), list(product(WAY, HEARD)), ids=str)
def test_every_cell_of_the_table_for_what_a_bot_says(state: ConnectionState, kind: type) -> None:
    """What the table has is heard; a line at any other moment breaks the conversation for good."""
    connection = connection_in(state)
    connection.receive(HEARD[kind])
    after = TRANSITIONS.get((state, kind))
    if after is None:
        with pytest.raises(RemoteProtocolError):
            connection.next_message()
        assert connection.state is ConnectionState.BROKEN
        with pytest.raises(RemoteProtocolError):
            connection.next_message()
    else:
        assert type(connection.next_message()) is kind
        assert connection.state is after


def test_an_answer_with_another_id_is_never_matched() -> None:
    """The id decides, not the order."""
    connection = connection_in(ConnectionState.ASKED)
    connection.receive(b'{"id":"cd","action":"7D"}\n')
    with pytest.raises(RemoteProtocolError, match="'cd'") as caught:
        connection.next_message()
    assert caught.value.fault is RemoteFault.PROTOCOL


def test_an_answer_may_come_byte_by_byte() -> None:
    """Nothing is heard before the newline."""
    connection = connection_in(ConnectionState.ASKED)
    for byte in HEARD[Answer]:
        assert connection.next_message() is None
        connection.receive(bytes([byte]))
    assert connection.next_message() == Answer("ab", "7D")


def test_what_comes_behind_an_answer_waits_for_the_next_question() -> None:
    """A second line in the same read is not heard now; it breaks when it is looked at."""
    connection = connection_in(ConnectionState.ASKED)
    connection.receive(HEARD[Answer] * 2)
    assert connection.next_message() == Answer("ab", "7D")
    assert connection.unread() == HEARD[Answer]
    with pytest.raises(RemoteProtocolError, match="nobody asked"):
        connection.next_message()


def test_too_many_bytes_break_the_conversation() -> None:
    """A flood is output, however it is cut into lines."""
    connection = connection_in(ConnectionState.ASKED)
    for _ in range(255):
        connection.receive(b"\n" * 4096)
    with pytest.raises(RemoteProtocolError) as caught:
        connection.receive(b"\n" * 4096)
    assert caught.value.fault is RemoteFault.OUTPUT
    assert connection.state is ConnectionState.BROKEN


@given(st.lists(st.binary(max_size=40) | st.sampled_from(list(HEARD.values()))))
def test_any_bytes_are_a_message_or_a_fault(pieces: list[bytes]) -> None:
    """Whatever is received at whatever moment, only a RemoteProtocolError can come of it."""
    for state in (ConnectionState.GREETED, ConnectionState.ASKED, ConnectionState.DEALT):
        connection = connection_in(state)
        try:
            for piece in pieces:
                connection.receive(piece)
                connection.next_message()
        except RemoteProtocolError:
            assert connection.state is ConnectionState.BROKEN

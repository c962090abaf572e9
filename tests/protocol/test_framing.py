"""protocol.framing: bytes into lines."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protocol.errors import RemoteFault, RemoteProtocolError
from protocol.framing import LineBuffer


@given(st.lists(st.binary(max_size=12)), st.data())
def test_lines_do_not_depend_on_the_pieces_they_come_in(
    lines: list[bytes], data: st.DataObject
) -> None:
    """However the bytes are cut, the same lines come out."""
    lines = [line.replace(b"\n", b"") for line in lines]
    whole = b"".join(line + b"\n" for line in lines)
    buffer, found = LineBuffer(line=64, total=10_000), []
    while whole:
        cut = data.draw(st.integers(1, len(whole)))
        buffer.feed(whole[:cut])
        whole = whole[cut:]
        while (line := buffer.next_line()) is not None:
            found.append(line)

    assert [line[:-1] if line.endswith(b"\r") else line for line in lines] == found
    assert len(buffer) == 0


def test_a_line_may_be_just_as_long_as_the_limit() -> None:
    """The limit counts the newline; one byte more is output, finished or not."""
    buffer = LineBuffer(line=8, total=1000)
    buffer.feed(b"1234567\n")
    assert buffer.next_line() == b"1234567"
    for too_long in (b"12345678\n", b"12345678"):
        buffer = LineBuffer(line=8, total=1000)
        buffer.feed(too_long)
        with pytest.raises(RemoteProtocolError) as caught:
            buffer.next_line()
        assert caught.value.fault is RemoteFault.OUTPUT


def test_all_bytes_of_a_match_are_counted() -> None:
    """The total is bounded even when every line is short and read at once."""
    buffer = LineBuffer(line=8, total=10)
    buffer.feed(b"1234\n")
    buffer.next_line()
    buffer.feed(b"1234\n")
    with pytest.raises(RemoteProtocolError) as caught:
        buffer.feed(b"\n")
    assert caught.value.fault is RemoteFault.OUTPUT


def test_carriage_return_is_taken_off_once() -> None:
    """CRLF is a line end; a second carriage return belongs to the line."""
    buffer = LineBuffer(line=80, total=100)
    buffer.feed(b"a\r\nb\r\r\n\r\n")
    assert [buffer.next_line() for _ in range(4)] == [b"a", b"b\r", b"", None]

"""Asks a person at the other end of a `relay`, line by line. Waits in a thread of its own."""

import socket
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import IO, Final, Protocol

import msgspec

from protocol.limits import LINE_TO_BOT, PROTOCOL_VERSION
from protocol.messages import Act, Answer, Deal, DealEnd, End, Fault, Hello, Ready, ToBot

_decoder: Final = msgspec.json.Decoder(ToBot)
_encode: Final = msgspec.json.Encoder().encode_lines


class Left(Exception):
    """The person does not play on. Caught in `serve`."""


class Person(Protocol):
    """Who sits there: is told what happens, and chooses."""

    @property
    def name(self) -> str:
        """What tables call them."""

    def hear(self, line: bytes, message: Hello | Deal | DealEnd | Fault | End) -> None:
        """Take note of a message that wants no answer, and of the line that it came in.

        Raises:
            Left: the person does not play on.
        """

    def choose(self, line: bytes, act: Act) -> str:
        """Return one of the legal actions, however long that takes.

        Raises:
            Left: the person does not play on.
        """


def serve(listener: socket.socket, person: Person, leave: Callable[[], None]) -> None:
    """Ask a person for as long as a match asks.

    A process that is ended, as in a void deal, is followed by another.

    Args:
        listener: where relays connect; once it is shut down no match asks any more.
        person: is asked.
        leave: is called if the person does not play on.
    """
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return
        try:
            with connection, suppress(OSError):
                if _is_over(connection, person):
                    return
        except Left:
            leave()
            return


def _is_over(connection: socket.socket, person: Person) -> bool:
    """Ask until the connection ends; return whether the match did."""
    for line, message in _messages(connection.makefile("rb")):
        match message:
            case Act():
                _say(connection, Answer(message.id, person.choose(line, message)))
            case Hello():
                person.hear(line, message)
                _say(connection, Ready(protocol=PROTOCOL_VERSION, name=person.name))
            case End():
                person.hear(line, message)
                return True
            case _:
                person.hear(line, message)
    return False


def _messages(stream: IO[bytes]) -> Iterator[tuple[bytes, ToBot]]:
    while (line := stream.readline(LINE_TO_BOT + 1)).endswith(b"\n"):
        yield line, _decoder.decode(line)


def _say(connection: socket.socket, message: Answer | Ready) -> None:
    line = msgspec.to_builtins(message)
    connection.sendall(_encode([{key: value for key, value in line.items() if value is not None}]))

"""A bot that is told what a person is told, and says what it would play."""

import subprocess
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress

from protocol.codec import decode_answer
from protocol.errors import RemoteProtocolError
from protocol.messages import Act
from referee.bots.find import BotSource


class Adviser:
    """A process of a bot of ours. It answers at once, so its asker waits for it."""

    def __init__(self, command: Sequence[str], folder: str) -> None:
        """Start it.

        Args:
            command: of a bot of ours that needs no sandbox.
            folder: where it runs.
        """
        self._process = subprocess.Popen(  # noqa: S603  # a sample bot
            command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
        )

    def greet(self, line: bytes) -> None:
        """Tell it the first line, which it answers."""
        self._ask(line)

    def tell(self, line: bytes) -> None:
        """Tell it a line that wants no answer."""
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101  # it is a pipe
        with suppress(OSError):
            stdin.write(line)

    def choice(self, line: bytes, act: Act) -> str | None:
        """Return what it would play; None where it has no legal answer."""
        with suppress(RemoteProtocolError):
            action = decode_answer(self._ask(line)).action
            return action if action in act.legal else None
        return None

    def _ask(self, line: bytes) -> bytes:
        stdout = self._process.stdout
        assert stdout is not None  # noqa: S101  # likewise
        self.tell(line)
        return stdout.readline().rstrip(b"\r\n")

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


@contextmanager
def advised(bot: BotSource) -> Iterator[Adviser]:
    """Yield advice by a bot of ours, until the block is left."""
    folder = bot.folder or next(iter(bot.files.values())).parent
    with closing(Adviser(bot.words, str(folder))) as advice:
        yield advice

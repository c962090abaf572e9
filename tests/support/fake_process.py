"""A bot's process that is nothing but pipes, for tests on a mock clock."""

import os

from protocol import Connection
from referee.match.leg import Ask
from referee.sandbox.freezer_file import NO_FILE, FreezerFile
from support.drive import HELLO

SIX_SECONDS_US = 6_000_000
READY = b'{"type":"ready","protocol":1,"name":"x"}\n'


class FakeProcess:
    """Pipes whose other ends the test holds; see `referee.sandbox.BotProcess`."""

    pid = 0

    def __init__(self) -> None:
        self.hears, self.stdin = os.pipe()
        self.stdout, self.says = os.pipe()
        self.stderr, self.warns = os.pipe()
        self.exited_fd, self.lives = os.pipe()
        self.ended: str | None = None
        self.waits = False
        self.bloated = False
        self.host_ended_it: bool | None = None
        self.frozen = False
        self.file: FreezerFile = NO_FILE
        self.at_once = True
        self.worked_us = 0
        self._open = {
            *(self.hears, self.stdin, self.stdout, self.says),
            *(self.stderr, self.warns, self.exited_fd, self.lives),
        }
        for descriptor in self._open:
            os.set_blocking(descriptor, False)

    def close(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.remove(descriptor)
            os.close(descriptor)

    def end(self, status: str) -> None:
        self.ended = status
        for descriptor in (self.hears, self.says, self.warns, self.lives):
            self.close(descriptor)

    def held_us(self) -> int:
        """It is not held still."""
        return 0

    def recount(self) -> None:
        """It is counted at each reading."""

    def end_act(self) -> None:
        """Likewise."""

    def counts_all(self) -> bool:
        """Yes."""
        return True

    def threads(self) -> tuple[int, ...]:
        """None that /proc knows."""
        return ()

    def cpu_us(self) -> int:
        return self.worked_us

    def status(self) -> str | None:
        return self.ended

    def out_of_memory(self) -> bool:
        return self.bloated

    def ended_by_host(self) -> bool | None:
        return self.host_ended_it

    def freeze(self, *, for_now: bool = False) -> None:
        self.frozen = True

    def is_stopped(self) -> bool:
        return self.frozen

    def stops_at_once(self) -> bool:
        return self.at_once

    def freezer(self) -> FreezerFile:
        return self.file if self.frozen else NO_FILE

    def goes_on(self) -> None:
        self.frozen = False

    def thaw(self) -> None:
        self.frozen = False

    def waits_for_input(self) -> bool:
        return self.waits

    def unread(self) -> int:
        return 0 if self.waits else 1

    def close_stdin(self) -> None:
        self.close(self.stdin)

    def send_kill(self) -> None:
        self.kill()
        self.close(self.lives)

    def is_gone(self) -> bool:
        return self.lives not in self._open

    def kill(self) -> None:
        self.ended = self.ended or "killed"

    def drop(self) -> None:
        pass

    def release(self) -> None:
        for descriptor in tuple(self._open):
            self.close(descriptor)


def asked(allowance_us: int = SIX_SECONDS_US) -> Ask:
    """A greeting."""
    connection = Connection()
    return Ask(0, "", connection.send(HELLO), allowance_us, connection)

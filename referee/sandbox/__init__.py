"""Where bot processes run. Each kind of sandbox starts a command and hands out a `BotProcess`."""

from typing import Protocol

from referee.bots import BotSpec


class BotProcess(Protocol):
    """A running bot: three file descriptors that do not block, and its end."""

    @property
    def pid(self) -> int:
        """The process id."""

    @property
    def stdin(self) -> int:
        """A descriptor that we write to."""

    @property
    def stdout(self) -> int:
        """A descriptor that we read."""

    @property
    def stderr(self) -> int:
        """A descriptor that we read."""

    @property
    def exited_fd(self) -> int:
        """A descriptor that becomes readable when the process has ended."""

    def cpu_us(self) -> int:
        """Processor time the process has used, in microseconds; stands still once it is gone."""

    def status(self) -> str | None:
        """How the process ended, in words, or None while it runs."""

    def waits_for_input(self) -> bool:
        """Whether the process has read all it was sent and sleeps until more comes."""

    def unread(self) -> int:
        """How many bytes it was sent and has not read."""

    def close_stdin(self) -> None:
        """Tells it that nothing more will come."""

    def kill(self) -> None:
        """Ends it and its process group, at once. Idempotent."""

    def release(self) -> None:
        """Closes the descriptors, after `kill`. Idempotent."""


class Sandbox(Protocol):
    """A way of running bots."""

    @property
    def name(self) -> str:
        """The word for it on the command line."""

    def launch(self, bot: BotSpec) -> BotProcess:
        """Starts a bot.

        Raises:
            OSError: it cannot be started.
        """

    def clear(self) -> None:
        """Ends what bots that are gone have left behind; touches nothing of those that live."""

    def sweep(self) -> None:
        """Ends whatever bots have left behind, when none of them plays."""

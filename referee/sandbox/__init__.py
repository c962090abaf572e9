"""Where bot processes run. Each kind of sandbox starts a command and hands out a `BotProcess`.

What is said to a bot, and when it is late, is `referee.play`. Begin here, with `BotProcess` and
`Sandbox`, then `choose`.
"""

from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Final, Protocol

from referee.sandbox.freezer_file import FreezerFile

if TYPE_CHECKING:  # slow to import, and a process that counts needs none of it
    from referee.bots.find import BotSource, BotSpec

UNKNOWN_STATUS: Final = "exit status unknown"
"""How a process has ended, where the one that knows it does not say in time."""


class BotProcess(Protocol):
    """A running bot: three file descriptors that do not block, and its end.

    What is said of the bot is said of all processes that it has started, as far as the sandbox
    can see them.
    """

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
        """A descriptor that becomes readable when the bot has ended."""

    def cpu_us(self) -> int:
        """Processor time used, in microseconds; stands still once it is gone."""

    def recount(self) -> None:
        """Count now what `cpu_us` else counts now and then."""

    def end_act(self) -> None:
        """Have `cpu_us` count nothing of the act that is over from now on, which it has not yet."""

    def held_us(self) -> int:
        """For how long we held it still to look at it, all in all, in microseconds."""

    def counts_all(self) -> bool:
        """Whether `cpu_us` leaves out nothing: neither processes that are gone nor their like."""

    def threads(self) -> Iterable[int]:
        """The ids of its threads, as /proc has them; those that began first come first."""

    def status(self) -> str | None:
        """How the process ended, in words, or None while it runs."""

    def waits_for_input(self) -> bool:
        """Whether the process has read all it was sent and sleeps until more comes."""

    def unread(self) -> int:
        """How many bytes it was sent and has not read."""

    def out_of_memory(self) -> bool:
        """Whether a process of it was ended because it wanted more memory than the bot may have."""

    def ended_by_host(self) -> bool | None:
        """Whether the machine ended a process of it for want of memory; None: unknown."""

    def stops_at_once(self) -> bool:
        """Whether `freeze` takes microseconds: a daemon takes milliseconds, or seconds."""

    def freezer(self) -> FreezerFile:
        """Returns the file that lets it go on; none where it is not stopped, or not by a file."""

    def goes_on(self) -> None:
        """Takes note that it was let go on by `freezer`, and not stopped again."""

    def freeze(self, *, for_now: bool = False) -> None:
        """Stops it where it is. Idempotent.

        Args:
            for_now: whether it is not to be stopped after each act from now on.
        """

    def is_stopped(self) -> bool:
        """Whether all of it has come to a stop after `freeze`; what is in the kernel takes time."""

    def thaw(self) -> None:
        """Lets it go on. Idempotent."""

    def close_stdin(self) -> None:
        """Tells it that nothing more will come."""

    def send_kill(self) -> None:
        """Has it and all that it has started end, and does not wait for that: `kill` does.

        To die can take a process seconds, with what the kernel has to take apart.
        """

    def is_gone(self) -> bool:
        """Whether it has ended with all that it has started, as far as can be seen."""

    def kill(self) -> None:
        """Ends it and all that it has started, at once. Idempotent."""

    def drop(self) -> None:
        """Begin to drop from memory what it has read, after `kill`; `release` waits for that.

        For several bots it takes no longer so than for one. Idempotent.
        """

    def release(self) -> None:
        """Closes the descriptors, after `kill`. Idempotent."""


class Sandbox(Protocol):
    """A way of running bots."""

    @property
    def name(self) -> str:
        """The word for it on the command line."""

    @property
    def how(self) -> str:
        """What it binds bots by, in words, for people and for the record."""

    async def prepare(self, found: "BotSource") -> "BotSpec":
        """Makes a bot ready to be launched here: built, and where it can be run.

        It stays so until `release`, or until the sandbox is closed.

        Raises:
            RefereeError: it does not build, or cannot run here.
        """

    def temporarily(self, found: "BotSource") -> AbstractAsyncContextManager["BotSpec"]:
        """Makes a bot ready until the block is left, as `prepare` does, and leaves nothing of it.

        Raises:
            RefereeError: it does not build, or cannot run here.
        """

    def hold(self, bot: "BotSpec") -> bool:
        """Uses a bot that was prepared before; False if it has to be prepared again.

        Raises:
            HostError: the disk does not let us.
        """

    def release(self, bot: "BotSpec") -> None:
        """Lets go of a bot, once for each time that it was prepared or held."""

    def close(self) -> None:
        """Lets go of all bots: none is launched any more."""

    async def launch(self, bot: "BotSpec") -> BotProcess:
        """Starts a bot that was prepared here.

        Raises:
            OSError: it cannot be started.
            HostError: no bot can be started.
        """

    def trouble(self) -> str | None:
        """What has gone wrong with the sandbox itself since it was opened, if anything."""

    def clear(self) -> None:
        """Ends what bots that are gone have left behind; touches nothing of those that live."""

    def sweep(self) -> None:
        """Ends whatever bots have left behind, when none of them plays."""

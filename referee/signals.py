"""Signals that ask us to stop, where nothing waits for them, or that say we stood still."""

import signal
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

heard: Final[list[int]] = []
"""Those that have asked us to stop."""


continued: Final[list[int]] = [0]
"""How often this process was let go on after it had been stopped, as its one entry."""


def count_continuations() -> None:
    """Count in `continued` how often we are let go on; no bot in a sandbox can signal us."""

    def count(*_: object) -> None:
        continued[0] += 1

    signal.signal(signal.SIGCONT, count)


def treat_all_alike() -> None:
    """Lets every such signal raise KeyboardInterrupt where no scope waits for it."""

    def interrupt(*_: object) -> None:
        if not heard:
            heard.append(signal.SIGINT)
            raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, interrupt)


def treat_none() -> None:
    """Lets none of them change the exit code of a command that is over."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_IGN)

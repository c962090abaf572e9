"""Signals that ask us to stop, where nothing waits for them."""

import signal
from typing import Final

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

heard: Final[list[int]] = []
"""Those that have asked us to stop."""


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

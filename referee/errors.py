"""What can go wrong that is no bot's doing; `referee.cli` makes a line and an exit code of it.

A bot's mistake is never an exception: it is a `referee.verdict.Verdict`, a value.
"""

from collections.abc import Iterator


class RefereeError(Exception):
    """A mistake of the person who runs the referee, found before play: exit code 2."""


class HostError(Exception):
    """The machine let us down during play (a full disk, a missing permission): exit code 3."""


class SandboxError(HostError):
    """No bot can be started, or the sandbox itself is gone: what was played then is void."""


def innermost(error: BaseException) -> BaseException:
    """The worst error in a group of groups: a nursery wraps what its tasks raise.

    A bug of ours is worse than trouble of the host, that worse than a wish to stop, and that worse
    than a mistake of the operator: no bug hides behind what is said of the others. Among errors
    that are equally bad it is the first.
    """
    return max(_leaves(error), key=_badness)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    else:
        yield error


def _badness(error: BaseException) -> int:
    match error:
        case RefereeError():
            return 0
        case HostError() | OSError():
            return 2
        case Exception():
            return 3
    return 1  # KeyboardInterrupt and its like

"""What can go wrong that is no bot's doing; `referee.cli` makes a line and an exit code of it.

A bot's mistake is never an exception: it is a `referee.verdict.Verdict`, a value.
"""


class RefereeError(Exception):
    """A mistake of the person who runs the referee, found before play: exit code 2."""


class HostError(Exception):
    """The machine let us down during play (a full disk, a missing permission): exit code 3."""


class SandboxError(HostError):
    """No bot can be started, or the sandbox itself is gone: what was played then is void."""


def innermost(error: BaseException) -> BaseException:
    """The first error in a group of groups: a nursery wraps what its tasks raise."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error

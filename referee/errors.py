"""What can go wrong that is no bot's doing; `referee.cli` makes a line and an exit code of it.

A bot's mistake is never an exception: it is a `referee.match.verdict.Verdict`, a value.
"""

import errno
from collections.abc import Iterator
from typing import Final

USAGE: Final = 2
"""Exit code: wrong usage or configuration, found before play."""
HOST: Final = 3
"""Exit code: the host or the referee failed."""
INTERRUPTED: Final = 130
"""Exit code: interrupted by a signal."""

SHORTAGES: Final = (
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EIO,
    errno.EROFS,
    errno.EMFILE,
    errno.ENFILE,
    errno.ENOMEM,
    errno.ESTALE,
)
"""Numbers of system errors that are the machine's fault, whatever was to be done."""

NO_MEANS: Final = (errno.EMFILE, errno.ENFILE, errno.ENOMEM)
"""Those of them that say nothing of a file: it could not even be looked at."""

_NO_MEMORY: Final = "not enough memory"
_NO_HANDLES: Final = (errno.EMFILE, errno.ENFILE)
_UNLOADABLE: Final = (
    ("Cannot allocate memory", _NO_MEMORY),
    ("failed to map segment", _NO_MEMORY),
    ("Too many open files", "Too many open files"),
    ("Error 24", "Too many open files"),
    ("Error 23", "Too many open files in system"),
)
"""Words of the dynamic linker, in an ImportError, and what the machine lacked."""


class RefereeError(Exception):
    """A mistake of the person who runs the referee, found before play: exit code 2."""


def not_installed(what: str, extra: str, error: ModuleNotFoundError) -> RefereeError:
    """Return what is said to a person who has installed less than they ask for.

    Args:
        what: what they have asked for.
        extra: what this package calls all that it takes.
        error: what was missed first.
    """
    return RefereeError(
        f"{what} needs {error.name}, which is not installed: "
        f"pip install 'briscola-referee[{extra}]'"
    )


class HostError(Exception):
    """The machine let us down during play (a full disk, a missing permission): exit code 3."""


class SandboxError(HostError):
    """No bot can be started, or the sandbox itself is gone: what was played then is void."""


class Unstoppable(SandboxError):
    """A bot was not stopped between its acts, though what stops bots is there."""


class Shortage(HostError):
    """The machine has no room, no memory or no file handles left, or lets nothing be written."""


def shortage(error: BaseException) -> Shortage | None:
    """Tell whether an error was raised because the machine ran out of something.

    An error that was made of another (`raise ... from`) is what that one is, but it has the better
    words: a bot that cannot be read for want of file handles is not its author's mistake. Memory
    may run out in the midst of handling another error, too.

    Returns:
        What to raise instead, which says in a line what the machine lacks; None if it is not so.
    """
    words = str(error) if isinstance(error, RefereeError | HostError) else ""
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        lack = _lack(link)
        if lack or isinstance(link, Shortage):
            return Shortage(words or lack)
        link = link.__cause__ or (link.__context__ if _is_memory(link.__context__) else None)
    return None


def check_means(error: BaseException) -> None:
    """Pass over an error that says something of a file; for those who look whether it is whole.

    Raises:
        Shortage: it says only that no file handles or no memory were left to look at it.
    """
    while not (isinstance(error, OSError) and error.errno in NO_MEANS):
        if error.__cause__ is None:
            return
        error = error.__cause__
    raise Shortage(_lack(error)) from error


def _is_memory(error: BaseException | None) -> bool:
    return isinstance(error, MemoryError)


def _lack(error: BaseException) -> str:
    """What the machine lacks, if an error says so by itself; else nothing."""
    match error:
        case MemoryError() | OSError(errno=errno.ENOMEM, filename=None):
            return _NO_MEMORY
        case OSError(errno=number, filename=None) if number in _NO_HANDLES:
            return f"{error.strerror}: see `ulimit -n`"
        case OSError(errno=number) if number in SHORTAGES:
            return f"{error.strerror}: {error.filename or 'output'}"
        case RuntimeError() if "can't start new thread" in str(error):
            return "no thread can be started: not enough memory, or too many processes"
        case ImportError():
            lacks = [lack for words, lack in _UNLOADABLE if words in str(error)]
            return f"{lacks[0]}: {error.path or error.name or 'a library'}" if lacks else ""
    return ""


def innermost(error: BaseException) -> BaseException:
    """The worst error in a group of groups: a nursery wraps what its tasks raise.

    What the machine's want of something has caused is a `Shortage`, whatever it was before.

    A bug of ours is worse than trouble of the host, that worse than a wish to stop, and that worse
    than a mistake of the operator: no bug hides behind what is said of the others. Among errors
    that are equally bad it is the first.
    """
    return max(_leaves(error), key=_badness)


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for inner in error.exceptions:
            yield from _leaves(inner)
    elif isinstance(error, HostError):
        yield error  # it has its words, and its raiser had reasons
    else:
        yield shortage(error) or error


def _badness(error: BaseException) -> int:
    match error:
        case RefereeError():
            return 0
        case HostError() | OSError():
            return 2
        case Exception():
            return 3
    return 1  # KeyboardInterrupt and its like

"""Of several errors at once it is the worst that counts."""

import pytest

from referee.cli import run
from referee.commands.app import app
from referee.errors import (
    HOST,
    INTERRUPTED,
    USAGE,
    HostError,
    RefereeError,
    SandboxError,
    Shortage,
    check_means,
    innermost,
)
from referee.match.verdict import Blame, Mishap
from referee.play.start import Void

REFUSED, GONE, FULL = RefereeError("no such game"), SandboxError("gone"), OSError(28, "No space")
VOID, STOPPED, BUG = Void(Mishap(Blame.HOST, "lag")), KeyboardInterrupt(), KeyError("a bug")


@pytest.mark.parametrize(
    ("errors", "worst"),
    [
        ((REFUSED, BUG), BUG),
        ((BUG, REFUSED), BUG),
        ((HostError("x"), BUG), BUG),
        ((VOID, BUG), BUG),
        ((FULL, STOPPED, BUG), BUG),
        ((REFUSED, GONE), GONE),
        ((REFUSED, FULL), FULL),
        ((STOPPED, GONE), GONE),
        ((GONE, FULL), GONE),
        ((REFUSED, STOPPED), STOPPED),
        ((REFUSED,), REFUSED),
    ],
)
def test_the_worst_of_a_group_is_what_is_told(
    errors: tuple[BaseException, ...], worst: BaseException
) -> None:
    """A bug before the host, the host before a wish, a wish before a mistake; however wrapped."""
    nested = [BaseExceptionGroup("each", [error]) for error in errors]
    for group in (BaseExceptionGroup("tasks", errors), BaseExceptionGroup("nurseries", nested)):
        found = innermost(group)
        assert found is worst or (worst is FULL and isinstance(found, Shortage))


def test_an_error_alone_is_itself() -> None:
    """There is nothing to choose."""
    for error in (REFUSED, GONE, STOPPED, BUG):
        assert innermost(error) is error


@pytest.mark.parametrize(
    ("errors", "code", "line"),
    [
        ((REFUSED, BUG), HOST, "referee: a bug of the referee: please report it"),
        ((REFUSED, GONE), HOST, "referee: gone"),
        ((REFUSED, STOPPED), INTERRUPTED, "referee: interrupted"),
        ((REFUSED, REFUSED), USAGE, "referee: no such game"),
    ],
)
def test_a_command_ends_by_the_worst_of_its_errors(
    errors: tuple[BaseException, ...],
    code: int,
    line: str,
    no_commands: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A bug beside a mistake of the operator is not taken for wrong usage."""

    @app.command()
    def several() -> None:
        raise BaseExceptionGroup("tasks", errors)

    assert run(["several"]) == code
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith(line)
    assert ("KeyError: 'a bug'" in said) is (BUG in errors)


def _made_of(error: BaseException, cause: BaseException) -> BaseException:
    error.__cause__ = cause
    return error


FULL_DISK, NO_HANDLES = OSError(28, "No space left on device"), OSError(24, "Too many open files")


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (MemoryError(), "not enough memory"),
        (OSError(12, "Cannot allocate memory"), "not enough memory"),
        (NO_HANDLES, "Too many open files: see `ulimit -n`"),
        (OSError(30, "Read-only file system", "log"), "Read-only file system: log"),
        (_made_of(RefereeError("record 'r': No space"), FULL_DISK), "record 'r': No space"),
        (_made_of(_made_of(RefereeError("x"), RefereeError("y")), NO_HANDLES), "x"),
        (
            ImportError("a.so: failed to map segment from shared object", path="a.so"),
            "not enough memory: a.so",
        ),
        (
            RuntimeError("can't start new thread"),
            "no thread can be started: not enough memory, or too many processes",
        ),
        (_made_of(KeyError("half made"), MemoryError()), "not enough memory"),
    ],
)
def test_what_the_machine_lacks_is_neither_a_mistake_nor_a_bug(
    error: BaseException,
    line: str,
    no_commands: None,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """One line and exit code 3, whatever was made of the system's error on its way."""

    @app.command()
    def lacking() -> None:
        raise error

    assert run(["lacking"]) == HOST
    assert capsys.readouterr().err == f"referee: {line}\n"


@pytest.mark.parametrize(
    "error",
    [
        _made_of(RefereeError("in use"), BlockingIOError(11, "Resource temporarily unavailable")),
        _made_of(RefereeError("no such file"), FileNotFoundError(2, "No such file")),
    ],
)
def test_a_mistake_that_a_system_error_has_shown_stays_one(error: BaseException) -> None:
    """It is the number of the system's error that tells."""
    assert innermost(error) is error


def test_who_proves_files_tells_a_bad_one_from_no_handles() -> None:
    """A sector that cannot be read is found; without handles nothing was looked at."""
    check_means(OSError(5, "Input/output error"))
    with pytest.raises(Shortage):
        check_means(_made_of(RefereeError("record 'r'"), NO_HANDLES))

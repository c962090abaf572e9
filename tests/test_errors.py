"""Of several errors at once it is the worst that counts."""

import pytest

from referee.cli import app, run
from referee.errors import HostError, RefereeError, SandboxError, innermost
from referee.exits import HOST, INTERRUPTED, USAGE
from referee.starting import Void
from referee.verdict import Family, Mishap

REFUSED, GONE, FULL = RefereeError("no such game"), SandboxError("gone"), OSError(28, "No space")
VOID, STOPPED, BUG = Void(Mishap(Family.HOST, "lag")), KeyboardInterrupt(), KeyError("a bug")


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
    assert innermost(BaseExceptionGroup("tasks", errors)) is worst
    nested = [BaseExceptionGroup("each", [error]) for error in errors]
    assert innermost(BaseExceptionGroup("nurseries", nested)) is worst


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
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A bug beside a mistake of the operator is not taken for wrong usage."""
    monkeypatch.setattr(app, "registered_commands", [])

    @app.command()
    def several() -> None:
        raise BaseExceptionGroup("tasks", errors)

    assert run(["several"]) == code
    said = capsys.readouterr().err
    assert said.splitlines()[-1].startswith(line)
    assert ("KeyError: 'a bug'" in said) is (BUG in errors)

"""Commands that are run in the same process."""

import pytest

from referee.cli import run


class Tell:
    """Runs a command; returns what it printed, if it ended with the code."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        """Takes what is printed."""
        self._capsys = capsys

    def __call__(self, *words: str, code: int = 0) -> str:
        ended = run([*words])
        out, said = self._capsys.readouterr()
        assert ended == code, said
        return out + said

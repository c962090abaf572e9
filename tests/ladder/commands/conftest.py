"""What tests of a ladder's commands share."""

import pytest

from ladder.store.store import Store
from support.commands import Tell


@pytest.fixture
def tell(store: Store, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Tell:
    """Runs a command on the test's ladder; returns what it printed, if it ended with the code."""
    monkeypatch.setenv("REFEREE_LADDER", store.where.typed)
    return Tell(capsys)

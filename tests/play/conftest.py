"""What tests of play share."""

from collections.abc import Iterator

import pytest

from support.fake_process import FakeProcess


@pytest.fixture
def process() -> Iterator[FakeProcess]:
    """A bot's process that is nothing but pipes."""
    found = FakeProcess()
    yield found
    found.release()

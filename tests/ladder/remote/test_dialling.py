"""Connections to a site that does not do its part."""

import pytest
import trio
from trio.testing import MockClock

from ladder.remote.dialling import Dialler


class NeverClosed:
    """A stream whose other end never says that it closes, too, as TLS wants it."""

    async def aclose(self) -> None:
        await trio.sleep_forever()


async def test_a_site_that_does_not_close_holds_no_one_up(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stream(_: Dialler) -> NeverClosed:
        return NeverClosed()

    async def talked(*_: object) -> None:
        """All is said."""

    monkeypatch.setattr(Dialler, "_stream", stream)
    monkeypatch.setattr(Dialler, "_talked", talked)
    with trio.fail_after(60):
        await Dialler("https://ladder.test", "token", {})(talked)
    assert trio.current_time() < 60

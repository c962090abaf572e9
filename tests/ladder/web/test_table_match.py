"""A match beside the site ends when all of its seats have heard how."""

from collections.abc import Callable
from pathlib import Path

import pytest
import trio
from trio.testing import MockClock

from ladder.web.table_match import play_beside
from ladder.web.table_process import TableOrder, TableReport, socket_of
from support.sites import order

_THOUGHT_S = 5.0


def plays(wrong: str) -> Callable[..., object]:
    """What stands in for a match's process: it tells its seat one line, and ends."""

    async def process(order: TableOrder, *_: object) -> str:
        seat = await trio.open_unix_socket(socket_of(order, 0))
        await seat.send_all(b"how it ended\n")
        await seat.receive_some()
        await seat.aclose()
        return wrong

    return process


async def kept(record: Path) -> None:
    """Keep nothing."""
    assert record.name == "record"


def heard(_: TableReport) -> None:
    """Take no note."""


@pytest.mark.parametrize("wrong", ["", "no room"], ids=["played", "broken"])
async def test_who_thinks_about_the_last_deal_is_waited_for(
    wrong: str, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The site says nothing of the match before; one that could not be played has no such deal."""
    told: list[bytes] = []

    async def thinks(stream: trio.SocketStream) -> None:
        line = await stream.receive_some()
        await stream.send_all(b"read\n")
        await trio.sleep(_THOUGHT_S)
        told.append(bytes(line))

    monkeypatch.setattr("ladder.web.table_match._process", plays(wrong))
    assert await play_beside(order(), {0: thinks}, heard, kept) == wrong
    assert told == ([] if wrong else [b"how it ended\n"])


async def test_who_hears_nothing_holds_up_no_match_for_long(
    autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hangs(stream: trio.SocketStream) -> None:
        await stream.send_all(b"read\n")
        await trio.sleep_forever()

    monkeypatch.setattr("ladder.web.table_match._process", plays(""))
    begun = trio.current_time()
    assert await play_beside(order(), {0: hangs}, heard, kept) == ""
    assert trio.current_time() - begun == pytest.approx(15)

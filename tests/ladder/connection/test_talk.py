"""A conversation outlives its connections: whatever breaks when, each message comes once."""

from collections import deque

import pytest
import trio
from hypothesis import given
from hypothesis import strategies as st
from msgspec import json
from trio.testing import MockClock

from ladder.connection.messages import LONGEST, Data, Ended, Envelope
from ladder.connection.resumable import MOST_KEPT, OutOfStep, Resumable
from ladder.connection.talk import BEAT_S, SILENT_S, Broken, Talk
from support.wires import Pipe, connected


async def _talked(talk: Talk, wire: Pipe, scope: trio.CancelScope) -> None:
    try:
        await talk.over(wire)
    except Broken:
        scope.cancel()


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=6))
def test_each_message_comes_once_and_in_order_whatever_breaks(cuts: list[tuple[int, int]]) -> None:
    said = [Data(life, bytes([life])) for life in range(20)]

    async def conversation() -> None:
        heard: dict[str, list[bytes]] = {"one": [], "other": []}

        async def hear_one(message: bytes) -> None:
            heard["one"].append(message)

        async def hear_other(message: bytes) -> None:
            await trio.lowlevel.checkpoint()  # it may be cancelled before it has heard
            heard["other"].append(message)

        one, other = Talk(hear_one), Talk(hear_other)
        for message in said:
            one.say(message)
            other.say(message)
        for lasts in (*cuts, None):
            wires = connected() if lasts is None else connected(lasts)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_talked, one, wires[0], nursery.cancel_scope)
                nursery.start_soon(_talked, other, wires[1], nursery.cancel_scope)
                if lasts is None:
                    await one.all_but(0)
                    await other.all_but(0)
                    nursery.cancel_scope.cancel()
        expected = [json.encode(message) for message in said]
        assert heard == {"one": expected, "other": expected}

    trio.run(conversation, clock=MockClock(autojump_threshold=0))


async def _nothing(_: bytes) -> None: ...


class Says:
    """A wire whose other end says what it is given, and then nothing."""

    def __init__(self, *texts: bytes) -> None:
        self._texts = deque(texts)
        self.sent: list[Envelope] = []

    async def send(self, envelope: bytes) -> None:
        self.sent.append(json.decode(envelope, type=Envelope))

    async def receive(self) -> bytes:
        if not self._texts:
            await trio.sleep_forever()
        return self._texts.popleft()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (b"", "not understood"),
        (b"[" * 3000, "not understood"),
        (b"\xff", "not understood"),
        (b'{"number":1,"heard":0,"\xff":1}', "not understood"),
        (b'{"number":1}', "not understood"),
        (b'{"number":1,"heard":0,"more":1}', "not understood"),
        (b'{"number":2,"heard":0}', "message 2 came after message 0"),
        (b'{"number":0,"heard":1}', "message 1 is confirmed, which was never said"),
        (b" " * LONGEST + b'{"number":0,"heard":0}', "too long"),
    ],
)
async def test_who_does_not_keep_to_the_rules_is_not_listened_to(text: bytes, why: str) -> None:
    with pytest.raises(OutOfStep, match=why):
        await Talk(_nothing).over(Says(text))


async def test_all_that_comes_is_listened_to_at_a_pace(autojump_clock: MockClock) -> None:
    """Be there something new in it or not."""
    pauses = deque([0.0, 1.0, 0.5])
    talk = Talk(_nothing, lambda: pauses.popleft() if pauses else 0.0)
    begun = trio.current_time()
    with pytest.raises(Broken):
        await talk.over(Says(b'{"number":0,"heard":0}', b'{"number":0,"heard":0}'))
    assert trio.current_time() - begun == SILENT_S + 1.5


async def test_a_connection_over_which_nothing_comes_is_broken(autojump_clock: MockClock) -> None:
    """Each end lets the other hear of it, so a silent one is gone."""
    wire = Says()
    begun = trio.current_time()
    with pytest.raises(Broken, match="nothing came for 30 s"):
        await Talk(_nothing).over(wire)
    assert trio.current_time() - begun == SILENT_S
    assert len(wire.sent) >= SILENT_S // BEAT_S


async def test_what_is_not_confirmed_has_a_bound() -> None:
    talk = Talk(_nothing)
    for _ in range(MOST_KEPT):
        talk.say(Ended(1))
    with pytest.raises(OutOfStep, match="256 messages were not confirmed"):
        talk.say(Ended(1))


def test_what_is_confirmed_twice_is_forgotten_once() -> None:
    state = Resumable()
    for text in (b"a", b"b", b"c"):
        state.say(text)
    state.confirm(2)
    state.confirm(1)
    assert state.after(0) == [(3, b"c")]
    assert state.after(3) == []

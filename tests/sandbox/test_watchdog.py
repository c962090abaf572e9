"""A bot that holds the lock of its pipe would hang whoever comes to the other end: it is ended."""

from pathlib import Path
from threading import Event

import pytest

from referee.match.verdict import FaultCode
from referee.sandbox import watchdog
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from referee.sandbox.watchdog import Watchdog
from support.invariants import nothing_left
from support.sandboxes import need_sandbox, python_bot
from support.walls_of_filter import allowing, calls
from support.zoo import HONEST, meet

HOLDS = """
import json, os, socket, sys
silent, other = socket.socketpair()
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{"type":"ready","protocol":1,"name":"holds"}', flush=True)
    elif message["type"] == "act":
        os.write(1, b"{")
        os.sendfile(1, silent.fileno(), None, 1)
"""
"""Begins its answer, and then stays in its pipe until something comes out of a silent socket."""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["bare", "bwrap", "docker"])
async def test_a_bot_that_holds_its_pipe_is_ended_and_charged(
    mode: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    """The filter is taken away that keeps it from it where there is one."""
    if mode == "docker":
        request.getfixturevalue("docker_host")
    need_sandbox(mode)
    holds = python_bot(tmp_path / "holds", HOLDS)
    allowing(*calls("sendfile 40 71"))(monkeypatch)
    monkeypatch.setattr(watchdog, "LOOK_S", 0.05)
    (tmp_path / "t").mkdir()
    with nothing_left(Path(holds), tmp_path / "t", docker=mode == "docker"):
        async with opened(SandboxName(mode)) as sandbox:
            result = await meet(sandbox, (holds, HONEST), tmp_path / "record")

    assert {(fault.bot, fault.code) for fault in result.totals.faults} <= {
        (0, FaultCode.LATE),
        (0, FaultCode.CRASHED),
    }
    assert result.totals.fault_counts[0]


def test_a_glance_is_taken_while_a_look_at_a_bot_lasts_and_its_end_waits_for_none() -> None:
    """An act waits for no look at another bot; what is over by then may raise what it likes."""
    dog, looks, goes_on, glances = Watchdog(), Event(), Event(), list[int]()

    def lasting() -> None:
        looks.set()
        goes_on.wait(10)

    def glance() -> None:
        glances.append(1)
        raise ValueError("closed")

    dog.look_by(lasting)
    dog.glance_by(glance)
    with dog.awake():
        assert looks.wait(10)
        dog.glance_no_more(glance)
        seen = len(glances)
        goes_on.set()
        dog.look_no_more(lasting)
    assert seen == len(glances) == 1

"""Plays the first legal action; a hostile bot imports this and says only its misdeed.

Every process ends by itself after `LIFE_S` seconds, whatever becomes of the referee.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

Act = dict[str, Any]

LIFE_S = 50
TMP = "/tmp"  # noqa: S108  # the one place where a bot in a sandbox may write

signal.alarm(LIFE_S)


def sandboxed() -> bool:
    """Whether a sandbox is around us: what could harm a machine is done nowhere else."""
    return os.getcwd() == "/bot"


def write(data: bytes, to: int = 1) -> None:
    """Writes all of it, past every buffer."""
    while data:
        data = data[os.write(to, data) :]


def say(text: str) -> None:
    write(text.encode() + b"\n")


def answer(act: Act, **fields: object) -> None:
    """The honest answer, with other fields, or more of them."""
    say(json.dumps({"id": act["id"], "action": act["legal"][0], **fields}))


def text_of(act: Act) -> str:
    """The honest answer as text, to be spoilt."""
    return json.dumps({"id": act["id"], "action": act["legal"][0]})


def ready() -> None:
    say('{"type":"ready","protocol":1,"name":"hostile"}')


def rest() -> None:
    """Does nothing until somebody ends this process, or its time is over."""
    time.sleep(LIFE_S)


def child(work: Callable[[], object]) -> int:
    """Forks a process that does some work and ends; returns its id, or 0 where none is granted."""
    try:
        pid = os.fork()
    except OSError:
        return 0
    if pid == 0:
        signal.alarm(LIFE_S)
        try:
            work()
        finally:
            os._exit(0)
    return pid


def end_this_later() -> None:
    """Has a child kill this process when its time is over, should it be stopped then."""
    this = os.getpid()

    def work() -> None:
        time.sleep(LIFE_S - 5)
        os.kill(this, signal.SIGKILL)

    child(work)


def play(
    misdeed: Callable[[Act], None] = answer,
    *,
    at: int = 3,
    hello: Callable[[], object] = ready,
    end: Callable[[], object] = bool,
    only_in_a_sandbox: bool = False,
) -> None:
    """Plays until `end`; the misdeed takes the place of one answer.

    Args:
        misdeed: what to do instead of answering.
        at: the act of this process that it is for, from 1; 0 for every act.
        hello: what to do instead of saying `ready`.
        end: what to do before leaving.
        only_in_a_sandbox: elsewhere the bot is honest to the end.
    """
    harmless = only_in_a_sandbox and not sandboxed()
    acts = 0
    for line in sys.stdin:
        message = json.loads(line)
        kind = message["type"]
        if kind == "hello":
            hello()
        elif kind == "act":
            acts += 1
            wrong = at in (0, acts) and not harmless
            (misdeed if wrong else answer)(message)
        elif kind == "end":
            end()
            break


def spy(attack: Callable[[], str], *, at: int = 3, only_in_a_sandbox: bool = True) -> None:
    """Plays, tries an attack in between, and plays ESCAPED:what if it comes back with something.

    An OSError means that the attack was beaten off.
    """

    def misdeed(act: Act) -> None:
        try:
            found = attack()
        except OSError:
            found = ""
        if os.getuid() == 0 and sandboxed():
            found = "the bot is root"
        if found:
            answer(act, action=f"ESCAPED:{found}")
        else:
            answer(act)

    play(misdeed, at=at, only_in_a_sandbox=only_in_a_sandbox)


def first_that_works(attempts: dict[str, Callable[[], object]]) -> str:
    """The name of the first attempt that raises no OSError, or nothing."""
    for name, attempt in attempts.items():
        try:
            attempt()
        except OSError:
            continue
        return name
    return ""

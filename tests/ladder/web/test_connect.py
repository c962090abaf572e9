"""Bots that stay on their authors' machines play against bots of the ladder."""

import base64
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final

import httpx2
import msgspec
import pytest
import trio
from trio.testing import MockClock, wait_all_tasks_blocked

from ladder.connection.messages import LONGEST, Begin, Data, Ended, Over, ToAuthor
from ladder.connection.talk import Broken, Talk, Wire
from ladder.core.tokens import Scope, token_text
from ladder.remote.dialling import Dialler, SocketWire
from ladder.remote.site_client import VARIABLE
from ladder.web.connected_bot import LEAVING_S, LONGEST_DEAL_S, LONGEST_S, ConnectedBot
from ladder.web.table_process import Ended as MatchEnded
from ladder.web.table_process import TableOrder, TableReport
from referee.cli import run
from support.ladders import made, usual_pools
from support.sandboxes import need
from support.sites import order, served
from support.wires import Pipe, connected

_decode: Final = msgspec.json.Decoder(ToAuthor).decode
Serve = Callable[[trio.SocketStream], Awaitable[None]]


class Stage:
    """Stands in for the process of a match: the test speaks as the referee.

    Attributes:
        seats: what the referee has of each life, as a stream.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seats: list[trio.SocketStream] = []
        self.ends = trio.Event()
        self._nursery: trio.Nursery | None = None
        self._serve: Serve | None = None
        self._ends: list[trio.socket.SocketType] = []
        monkeypatch.setattr("ladder.web.connected_bot.play_beside", self._play)

    async def _play(
        self,
        order: TableOrder,
        serve: Mapping[int, Serve],
        hear: Callable[[TableReport], None],
        _: object,
    ) -> str:
        self._serve = serve[0]
        async with trio.open_nursery() as self._nursery:
            await self.ends.wait()
            self._nursery.cancel_scope.cancel()
        hear(MatchEnded((5, -5), faults=("late",)))
        return ""

    async def begin(self) -> trio.SocketStream:
        """The referee starts a process of the bot."""
        ours, theirs = trio.socket.socketpair()
        self._ends += [ours, theirs]
        assert self._nursery is not None
        assert self._serve is not None
        self._nursery.start_soon(self._serve, trio.SocketStream(theirs))
        await wait_all_tasks_blocked()
        self.seats.append(trio.SocketStream(ours))
        return self.seats[-1]

    def close(self) -> None:
        for end in self._ends:
            end.close()


@pytest.fixture
async def stage(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Stage]:
    with closing(Stage(monkeypatch)) as stage:
        yield stage


class Far:
    """The bot's machine, as the test plays it."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.talk = Talk(self._hear)

    async def _hear(self, message: bytes) -> None:
        self.heard.append(_decode(message))

    async def over(self, wire: Pipe) -> None:
        with suppress(Broken):
            await self.talk.over(wire)


async def test_what_is_said_goes_both_ways_and_the_end_is_heard(stage: Stage) -> None:
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        seat = await stage.begin()
        await seat.send_all(b"hello\n")
        nursery.start_soon(bot.attach, here)
        nursery.start_soon(far.over, there)
        await wait_all_tasks_blocked()
        far.talk.say(Data(1, b"rea"))
        far.talk.say(Data(1, b"dy\n"))
        assert await seat.receive_some(3) == b"rea"
        assert await seat.receive_some(9) == b"dy\n"
        await seat.aclose()
        await wait_all_tasks_blocked()
        stage.ends.set()
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    over = Over("The match is over.", (5, -5), ("late",))
    assert far.heard == [Begin(1), Data(1, b"hello\n"), Ended(1), over]
    assert bot.is_over


async def test_a_match_that_takes_too_long_is_broken_off(
    stage: Stage, autojump_clock: MockClock
) -> None:
    """Its place is for others, too; its author hears why."""
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(far.over, there)
        nursery.start_soon(bot.attach, here)
        begun = trio.current_time()
        await bot.play()
        assert trio.current_time() - begun == LONGEST_S + LONGEST_DEAL_S
    assert far.heard == [Over("The match took too long, and was broken off.")]


async def test_what_an_earlier_life_says_is_left_alone(stage: Stage) -> None:
    """As in a void deal: another process has begun by then."""
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        await stage.begin()
        seat = await stage.begin()
        nursery.start_soon(bot.attach, here)
        nursery.start_soon(far.over, there)
        for message in (Data(1, b"old"), Ended(1), Data(2, b"new")):
            far.talk.say(message)
        assert await seat.receive_some(9) == b"new"
        nursery.cancel_scope.cancel()


async def test_a_bot_that_has_ended_is_seen_to_have(stage: Stage) -> None:
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        seat = await stage.begin()
        nursery.start_soon(bot.attach, here)
        nursery.start_soon(far.over, there)
        far.talk.say(Data(1, b"x"))
        far.talk.say(Ended(1))
        assert await seat.receive_some(9) == b"x"
        assert await seat.receive_some(9) == b""
        nursery.cancel_scope.cancel()


async def test_another_connection_takes_the_place_of_the_one_before(stage: Stage) -> None:
    """Which may be dead, though that was not heard of yet; what was said over it counts."""
    bot, far = ConnectedBot("ada", order()), Far()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        seat = await stage.begin()
        for number in range(3):
            here, there = connected()
            async with trio.open_nursery() as connection:
                nursery.start_soon(bot.attach, here)
                connection.start_soon(far.over, there)
                await seat.send_all(b"%d" % number)
                far.talk.say(Data(1, b"%d" % number))
                assert await seat.receive_some(9) == b"%d" % number
                await wait_all_tasks_blocked()
                connection.cancel_scope.cancel()
        nursery.cancel_scope.cancel()
    assert far.heard == [Begin(1), *(Data(1, b"%d" % number) for number in range(3))]


async def test_who_does_not_keep_to_the_rules_has_left(stage: Stage) -> None:
    bot = ConnectedBot("ada", order())
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        nursery.start_soon(bot.attach, here)
        await there.send(b'{"number":7,"heard":0}')
        await wait_all_tasks_blocked()
        assert bot.is_over
        nursery.cancel_scope.cancel()


async def test_a_message_that_no_bot_says_ends_the_match(stage: Stage) -> None:
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        nursery.start_soon(bot.attach, here)
        nursery.start_soon(far.over, there)
        far.talk.say(Begin(1))
        await wait_all_tasks_blocked()
        assert bot.is_over
        nursery.cancel_scope.cancel()


async def test_who_begins_another_match_has_left_the_one_before(stage: Stage) -> None:
    """As an author whose program has ended: nothing waits for its clock."""
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        nursery.start_soon(bot.attach, here)
        nursery.start_soon(far.over, there)
        await bot.leave()
        assert bot.is_over
        await wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert far.heard == [Over("Another match was begun.")]


async def test_a_bot_that_stays_away_has_left_before_much_is_kept(stage: Stage) -> None:
    """If it comes after all, it hears that."""
    bot, far = ConnectedBot("ada", order()), Far()
    here, there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        await wait_all_tasks_blocked()
        seat = await stage.begin()
        with suppress(trio.BrokenResourceError):
            for _ in range(1000):
                await seat.send_all(b"x")
                await wait_all_tasks_blocked()
                if bot.is_over:
                    break
        assert bot.is_over
        nursery.start_soon(far.over, there)
        await bot.attach(here)
        nursery.cancel_scope.cancel()
    assert far.heard[-1] == Over("The bot was away for too long.")


async def test_who_is_gone_at_the_end_is_not_waited_for(
    stage: Stage, autojump_clock: MockClock
) -> None:
    """A machine that confirms nothing any more holds no connection for ever."""
    bot = ConnectedBot("ada", order())
    here, _there = connected()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(bot.play)
        stage.ends.set()
        await wait_all_tasks_blocked()
        begun = trio.current_time()
        await bot.attach(here)
        assert trio.current_time() - begun == LEAVING_S
        nursery.cancel_scope.cancel()


# --- over a network


class Cutter:
    """A proxy before a site that cuts each of its connections after so many bytes of the site."""

    def __init__(self, url: str, *lasts: int) -> None:
        self._to = int(url.rpartition(":")[2])
        self._lasts = list(lasts)
        self.cut = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                one, _ = self._listener.accept()
                thread = threading.Thread(target=self._carry, args=(one,))
                self._threads.append(thread)
                thread.start()

    def _carry(self, one: socket.socket) -> None:
        lasts = self._lasts.pop(0) if self._lasts else 1 << 30
        with one, socket.create_connection(("127.0.0.1", self._to)) as other:
            back = threading.Thread(target=self._pass_on, args=(other, one, lasts))
            back.start()
            self._pass_on(one, other, 1 << 30)
            back.join()

    def _pass_on(self, source: socket.socket, to: socket.socket, lasts: int) -> None:
        with suppress(OSError):
            while data := source.recv(min(lasts, 4096)):
                to.sendall(data)
                lasts -= len(data)
                if not lasts:
                    self.cut += 1
                    break
        for end in (source, to):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        self._listener.close()


@contextmanager
def site(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A site of two games; its author ada runs the commands."""
    need("bwrap", root=True)
    with made(folder / "ladder", usual_pools("briscola-2", "sueca")) as store:
        monkeypatch.setenv(VARIABLE, store.tokens.add("ada", (Scope.PLAY,), 1)[1])
    with served(folder / "ladder", "--no-run", "--sandbox", "bwrap") as url:
        yield url


STRANGE: Final = token_text(bytes(4), bytes(32))
AGAINST: Final = ("--against", "first", "--game", "briscola-2", "--sandbox", "bwrap")


async def says(url: str, message: str | bytes) -> None:
    """Says something that no bot's machine says: the connection is closed."""
    wanted = {"against": "first", "game": "briscola-2", "name": "x"}

    async def talk(wire: Wire) -> None:
        assert isinstance(wire, SocketWire)
        await wire.socket.send_message(message)
        while True:
            await wire.receive()

    with trio.fail_after(20), pytest.raises(Broken):
        await Dialler(url, os.environ[VARIABLE], wanted)(talk)


def compressed(url: str) -> str:
    """What a site answers whose visitor wants messages to be compressed."""
    asked = {
        "upgrade": "websocket",
        "connection": "upgrade",
        "sec-websocket-version": "13",
        "sec-websocket-key": base64.b64encode(bytes(16)).decode(),
        "sec-websocket-extensions": "permessage-deflate",
    }
    return httpx2.get(f"{url}/api/connect?against=first", headers=asked).text


def interrupted(url: str, folder: Path) -> tuple[int, str]:
    """The exit code of a `connect` that is interrupted while its bot thinks, and what it says."""
    thinks = folder / "thinks.sh"
    thinks.write_text("#!/bin/sh\necho up >&2\nexec sleep 600\n")
    thinks.chmod(0o755)
    words = [sys.executable, "-m", "referee", "connect", url, str(thinks), *AGAINST]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        up = process.stderr.readline()
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    return process.returncode, up + said


@pytest.mark.slow
def test_a_bot_plays_from_its_author_s_machine_whatever_the_connection_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Cut four times it plays to the end, and is not faulted; what is refused is said in a line."""
    with site(tmp_path, monkeypatch) as url:
        assert run(["connect", url, "sample:greedy", *AGAINST]) == 0
        whole = capfd.readouterr().out
        assert whole.startswith("The match is over.\n   greedy ")

        with closing(Cutter(url, 300, 2000, 3000, 9000)) as cutter:
            assert run(["connect", cutter.url, "sample:greedy", *AGAINST, "--deals", "3"]) == 0
        said = capfd.readouterr()
        assert cutter.cut == 4
        assert said.out.startswith("The match is over.\n   greedy ")
        assert said.err.count("connecting again") >= 3

        crashes = tmp_path / "crashes.sh"
        crashes.write_text("#!/bin/sh\nread hello\n")
        crashes.chmod(0o755)
        assert run(["connect", url, str(crashes), *AGAINST]) == 1
        assert "referee: " in capfd.readouterr().err

        assert interrupted(url, tmp_path) == (130, "up\nreferee: interrupted\n")

        trio.run(says, url, b"\xff\x00")
        trio.run(says, url, "nonsense")
        trio.run(says, url, "x" * 2 * LONGEST)
        trio.run(says, url, b'{"number":1,"heard":0,"\xff":1}')
        assert "No extension of websockets" in compressed(url)

        for words, why in [
            (("--against", "stranger"), "no bot 'stranger'"),
            (("--against", "first"), "first plays briscola-2, sueca: say which by 'game'"),
            (("--against", "first", "--game", "chess"), "first does not play chess"),
        ]:
            assert run(["connect", url, "sample:greedy", *words, "--sandbox", "bwrap"]) == 2
            refused = capfd.readouterr().err
            assert refused.startswith(f"referee: {url}: {why}")
            assert refused.count("\n") == 1
        monkeypatch.setenv(VARIABLE, STRANGE)
        assert run(["connect", url, "sample:greedy", *AGAINST]) == 2
        assert "That token is not valid" in (refused := capfd.readouterr().err)
        assert refused.count("\n") == 1


def test_a_site_that_is_not_there_is_said_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(VARIABLE, STRANGE)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        url = f"http://127.0.0.1:{taken.getsockname()[1]}"
    assert run(["connect", url, "sample:greedy", *AGAINST[:2], "--sandbox", "bare"]) == 3
    assert capfd.readouterr().err.endswith(f"referee: {url} cannot be reached\n")

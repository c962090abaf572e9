"""A real bot as an opponent: its process is told everything as in a match, but for a clock."""

import atexit
import threading
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Final, TypeVar

import trio

from protocol.codec import decode_ready
from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.limits import DEPTH, LINE_FROM_BOT, MATCH_FROM_BOT, NOTE, PROTOCOL_VERSION
from protocol.messages import Answer, Deal, DealEnd, End, Hello, Limits
from referee.bots.find import BotSource, find
from referee.bots.settings import read_settings
from referee.debug.fed_process import FedProcess
from referee.errors import RefereeError, innermost
from referee.games import find as find_game
from referee.match.chance import BlockKey, block_key, event_key, private_seed
from referee.match.clock import full_clock, parse_time
from referee.match.outbox import Voice
from referee.match.table import Table
from referee.play.start import launched
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName

ANSWER_S: Final = 60.0
"""How long a bot may take for an answer before it is given up, in seconds."""

_T = TypeVar("_T")


class BotOpponent:
    """A bot in a process of its own, which lives until `close`; it plays one seat at a time."""

    def __init__(
        self,
        bot: str,
        game: str,
        options: dict[str, str],
        sandbox: SandboxName = SandboxName.AUTO,
    ) -> None:
        """Find the bot; its process starts with its first deal.

        Args:
            bot: as for `referee match`.
            game: an id of the catalogue.
            options: of the game.
            sandbox: where it runs.

        Raises:
            RefereeError: there is no such bot.
        """
        self._settings = read_settings()
        self._source: BotSource = find(bot, self._settings)
        self._rules, self._name = find_game(game).rules_of(options)
        self._game, self._sandbox = game, sandbox
        self._time = parse_time("")
        self._voice = Voice(0, full_clock(self._time), MATCH_FROM_BOT)
        self._key = event_key(f"opponent {bot}")
        self._deals = 0
        self._thread: threading.Thread | None = None
        self._token: trio.lowlevel.TrioToken | None = None
        self._process: FedProcess | None = None
        self._over = trio.Event()

    def deal(self, table: Table, seat: int) -> None:
        """Tell the bot that cards were dealt; start it if it does not run.

        Raises:
            RefereeError: it does not start, or does not get ready.
        """
        if self._thread is None:
            self._start()
        self._deals += 1
        seats = self._rules.game.seats
        message = Deal(
            deal=self._deals,
            seats=tuple((other - seat) % seats for other in range(seats)),
            seat=seat,
            dealer=table.dealer,
            game=self._game,
            options=self._rules.options,
            scores=(0,) * seats,
        )
        self._voice.open_deal(self._block_key(), message)

    def act(self, table: Table, seat: int) -> str:
        """Return what the bot answers.

        Raises:
            RefereeError: that is no answer, or not legal.
        """
        view, news = table.view(seat)
        id_, line = self._voice.ask(view, table.legal, news)
        process = self._running()
        try:
            answer = self._call(lambda: process.ask(line)).answer(id_)
        except BaseException:  # ctrl-C, too: what the bot says later would be of another act
            self._end()
            raise
        if not isinstance(answer, Answer) or answer.action not in table.legal:
            said = answer.action if isinstance(answer, Answer) else answer
            self._end()
            raise RefereeError(f"bot {self._source.typed!r} went wrong: {said}")
        self._voice.connection.replay(answer)
        return answer.action

    def deal_end(self, table: Table, seat: int) -> None:
        """Tell the bot, with its next act, how the deal ended, unless it went wrong in it."""
        if self._thread is None:
            return
        _, news = table.view(seat)
        over = table.to_move is None
        values = table.tally().values if over else (0,) * self._rules.game.seats
        message = DealEnd(
            deal=self._deals,
            events=news,
            points=table.account().points,
            scores=values[seat:] + values[:seat],
            reason="played" if over else "fault",
        )
        self._voice.queue(message)
        self._voice.digests()  # no record wants them: what was said is not kept

    def close(self) -> None:
        """Let the bot leave, and give back its sandbox; another deal starts it anew."""
        if self._thread is None:
            return
        process, end = self._process, End((0,) * self._rules.game.seats, None, "deals")
        try:
            if process is not None:
                line = self._voice.farewell(end)
                self._call(lambda: process.part(line))
        except LocalProtocolError:
            pass  # in the middle of a deal: it is ended without a word
        finally:
            self._end()

    def _end(self) -> None:
        """End the process, whatever it does, and give back its sandbox."""
        assert self._thread is not None  # noqa: S101  # it was started
        with suppress(trio.RunFinishedError):
            trio.from_thread.run_sync(self._over.set, trio_token=self._token)
        self._forget()

    def _forget(self) -> None:
        """Wait for the thread, which is at its end, and let go of what it held."""
        assert self._thread is not None  # noqa: S101  # it was started
        self._thread.join()
        self._thread = self._token = self._process = None
        atexit.unregister(self.close)

    def _block_key(self) -> BlockKey:
        return block_key(self._key, self._deals)

    def _running(self) -> FedProcess:
        assert self._process is not None  # noqa: S101  # `deal` comes first
        return self._process

    def _call(self, ask: Callable[[], Awaitable[_T]]) -> _T:
        """Wait for something in the thread of the process."""

        async def in_time() -> _T:
            with trio.fail_after(ANSWER_S):
                return await ask()

        try:
            return trio.from_thread.run(in_time, trio_token=self._token)
        except trio.TooSlowError:
            raise RefereeError(
                f"bot {self._source.typed!r} gave no answer in {ANSWER_S:.0f} seconds"
            ) from None

    def _start(self) -> None:
        ready = threading.Event()
        trouble: list[BaseException] = []
        self._thread = threading.Thread(
            target=trio.run, args=(self._live, ready, trouble), daemon=True
        )
        self._thread.start()
        ready.wait()
        atexit.register(self.close)  # where its environment is not closed
        if trouble:
            self._forget()
            raise trouble[0]

    async def _live(self, ready: threading.Event, trouble: list[BaseException]) -> None:
        """Hold the sandbox open, with the bot in it, until `close`."""
        self._token, self._over = trio.lowlevel.current_trio_token(), trio.Event()
        try:
            async with opened_for(self._sandbox, [self._source], self._settings) as sandbox:
                spec = await sandbox.prepare(self._source)
                started = await launched(spec, sandbox)
                self._process = process = FedProcess(0, started)
                try:
                    await self._greet(process)
                    ready.set()
                    await self._over.wait()
                finally:
                    process.end()
                    sandbox.sweep()
        except Exception as error:  # whatever it is, the caller gets it
            trouble.append(innermost(error))
        finally:
            ready.set()

    async def _greet(self, process: FedProcess) -> None:
        hello = Hello(
            protocol=(PROTOCOL_VERSION,),
            game=self._game,
            options=self._rules.options,
            decks=1,
            rules=self._name,
            bot=0,
            bots=self._rules.game.seats,
            limits=Limits(LINE_FROM_BOT, MATCH_FROM_BOT, DEPTH, NOTE),
            time=self._time,
            seed=private_seed(self._block_key(), 0),
        )
        with trio.move_on_after(self._time.start_ms / 1000) as scope:
            reply = await process.ask(self._voice.greet(hello))
        if scope.cancelled_caught:
            raise RefereeError(f"bot {self._source.typed!r} did not get ready in time")
        try:
            self._voice.connection.replay(decode_ready(reply.line[:-1].removesuffix(b"\r")))
        except RemoteProtocolError as error:
            why = reply.exit or error.detail
            raise RefereeError(f"bot {self._source.typed!r} did not get ready: {why}") from error

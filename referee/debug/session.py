"""Feeds a bot from a record, up to where it is to stop."""

from collections import deque
from collections.abc import Awaitable, Callable, Iterator, Mapping

from msgspec import Struct

from protocol.codec import decode_ready
from protocol.errors import RemoteProtocolError
from referee.bots.find import BotSpec
from referee.debug.fed_process import FedProcess
from referee.debug.stops import AtAct, Reply, Stop, UntilDifference, difference
from referee.errors import RefereeError
from referee.play.start import launched
from referee.play.tee import Tee
from referee.record.reader import Mismatch, RecordReader
from referee.record.retelling import Greeting, Parting, Question, Step
from referee.record.verify import Resimulation
from referee.sandbox import Sandbox
from referee.text import plural

Before = Callable[[Question, int], Awaitable[None]]
"""Is waited for before the act at which to stop is asked: the act, and the bot's process id."""

After = Callable[[Question, Mapping[int, FedProcess]], Awaitable[None]]
"""Is waited for when that act was answered: the act, and all processes by place."""


class Stopped(Struct, frozen=True):
    """Where it was stopped.

    Attributes:
        question: the act; None where the bot did not get ready.
        reply: what the bot made of it.
        difference: how that differs from the record; None: it does not.
        before: how the bot's answer to an act before differed first, if one did: from there on it
            was told what followed from what it said then.
    """

    question: Question | None
    reply: Reply
    difference: str | None
    before: str | None = None


class Fed(Struct, frozen=True):
    """What came of it.

    Attributes:
        stopped: where it was stopped; None: nowhere.
        acts: how many acts of the bot there were.
        trouble: why the record does not hold to its end, if so.
    """

    stopped: Stopped | None
    acts: int
    trouble: str | None = None


class Feeding:
    """A record whose bot is told everything again."""

    def __init__(
        self,
        reader: RecordReader,
        bot: int,
        specs: Mapping[int, BotSpec],
        sandbox: Sandbox,
        tee: Tee | None,
    ) -> None:
        """Begin before the first line.

        Args:
            reader: the record.
            bot: which of its bots, from 0.
            specs: what is started for the record's bots, for this one at least; others that are
                there are told what they were told, too.
            sandbox: where.
            tee: takes all that is said, if anything does.

        Raises:
            RefereeError: there is no such game or option here.
            Mismatch: the record is of other rules, or begins with what is no line.
        """
        self._steps: deque[tuple[int, Step]] = deque()
        self._bot = bot
        self._specs = specs
        self._sandbox = sandbox
        self._tee = tee
        self._record = Resimulation(reader, self._listen)
        self._processes: dict[int, FedProcess] = {}
        self._acts = 0
        self._in_deal: list[int] = []
        """The bot's acts in the deal that is meant."""
        self._before: str | None = None
        self._trouble: str | None = None

    def _listen(self, step: Step) -> None:
        place = step.place if isinstance(step, Parting) else step.ask.place
        bot = self._record.match.bot_at(place)
        if bot in self._specs:
            self._steps.append((bot, step))

    def _next_steps(self) -> Iterator[tuple[int, Step]]:
        """Yield the steps of one deal after the other, as far as the record holds."""
        try:
            for _ in self._record.deals():
                while self._steps:
                    yield self._steps.popleft()
            self._trouble = self._record.unfinished
        except Mismatch as error:  # what the record says of this deal is not to be believed
            self._trouble = str(error)
            self._steps.clear()
        while self._steps:
            yield self._steps.popleft()

    async def run(self, stop: Stop, before: Before, after: After | None = None) -> Fed:
        """Feed the bot until it is to stop, or to the end.

        Raises:
            RefereeError: the act that is meant is not there, or is not the bot's.
        """
        stopped = None
        try:
            for bot, step in self._next_steps():
                stopped = await self._take(bot, step, stop, before)
                if stopped is not None:
                    if after is not None and stopped.question is not None:
                        await after(stopped.question, self._processes)
                    break
        finally:
            for process in self._processes.values():
                process.end()
            self._sandbox.sweep()
        if stopped is None and isinstance(stop, AtAct):
            raise RefereeError(self._not_there(stop))
        return Fed(stopped, self._acts, self._trouble)

    def _not_there(self, stop: AtAct) -> str:
        if not self._in_deal:
            return f"deal {stop.deal}: the bot has no act there"
        acts = ", ".join(map(str, self._in_deal))
        return f"act {stop.act} of deal {stop.deal} is not the bot's: it has {acts}"

    async def _take(self, bot: int, step: Step, stop: Stop, before: Before) -> Stopped | None:
        match step:
            case Greeting():
                found = await self._greet(step, self._specs[bot])
                return found if bot == self._bot else None
            case Parting():
                process = self._processes.pop(step.place, None)
                if process is not None:
                    await process.part(step.line)
            case Question() if bot == self._bot:
                return await self._ask(step, stop, before)
            case Question():
                if step.ask.place in self._processes:
                    await self._processes[step.ask.place].ask(step.ask.line)
        return None

    async def _greet(self, step: Greeting, spec: BotSpec) -> Stopped | None:
        """Start a process; it is told nothing more where it did not get ready then."""
        try:
            started = await launched(spec, self._sandbox)
        except OSError as error:
            raise RefereeError(f"bot {spec.typed!r} cannot be started: {error}") from error
        process = FedProcess(step.ask.place, started, self._tee)
        self._processes[step.ask.place] = process
        reply = await process.ask(step.ask.line)
        if step.verdict is not None:
            return None
        try:
            decode_ready(reply.line[:-1].removesuffix(b"\r"))
        except RemoteProtocolError as error:
            return Stopped(None, reply, f"it did not get ready: {reply.exit or error.detail}")
        return None

    async def _ask(self, step: Question, stop: Stop, before: Before) -> Stopped | None:
        self._acts += 1
        if isinstance(stop, AtAct) and stop.is_in(step):
            self._in_deal.append(step.act)
        process = self._processes.get(step.ask.place)
        if process is None:  # it ended at an act before, where it went on then
            return None
        here = stop.is_here(step)
        if here:
            await before(step, process.process.pid)
        reply = await process.ask(step.ask.line)
        differs = difference(step, reply)
        if here or (differs is not None and isinstance(stop, UntilDifference)):
            return Stopped(step, reply, differs, self._before)
        if differs is not None and self._before is None:
            where = f"deal {step.leg + 1}.{step.deal}, act {step.act}"
            self._before = f"{where}: {differs}"
        if reply.exit is not None:
            self._processes.pop(step.ask.place).end()
        return None


def chosen_bot(
    names: list[str], hashes: list[str], name: str, hash_: str, called: str | None
) -> int:
    """Return which bot of a record is meant.

    Args:
        names: of the record's bots, told apart.
        hashes: of what they were.
        name: of the bot that is to be fed.
        hash_: of what it is; "" if that is not known.
        called: the name that was asked for; None: the bot of the same files, else of that name.

    Raises:
        RefereeError: there is no such bot, or more than one.
    """
    among = f"the record has {', '.join(names)}"
    if called is not None:
        if called not in names:
            raise RefereeError(f"--as {called!r}: {among}")
        return names.index(called)
    if hash_ in hashes:
        return hashes.index(hash_)
    of_name = [at for at, its in enumerate(names) if its.partition("#")[0] == name]
    if len(of_name) != 1:
        count = "no bot" if not of_name else plural(len(of_name), "bot")
        raise RefereeError(f"{count} of the record is called {name!r}: say --as NAME; {among}")
    return of_name[0]

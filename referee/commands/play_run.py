"""`referee play`, once it is known what is to be played: the match with a person at the table."""

import sys
from contextlib import AsyncExitStack, ExitStack
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

import trio
from msgspec import Struct

from referee.bots.find import BotSource, BotSpec, find
from referee.bots.settings import Settings
from referee.commands.match_run import default_path, opened_recorder, told, where_text
from referee.match.leg import DealResult
from referee.match.plan import MatchPlan
from referee.people.adviser import Adviser, advised
from referee.people.choosing import ByKeys, ByLine, kept
from referee.people.par import par_of
from referee.people.seat_server import serve
from referee.people.terminal_person import YOU, TerminalPerson
from referee.people.with_people import Place, WithPeople, place_for
from referee.play.conductor import MatchResult, play_match
from referee.play.interrupts import interruptible
from referee.rules.match_end import Reason
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.terminal.match_report import print_report
from referee.text import told_apart

ADVISER: Final = "sample:greedy"
"""The strongest of the sample bots: it gives hints, and plays for par."""

_Bot = TypeVar("_Bot", BotSource, BotSpec)


class _Table(Struct, frozen=True):
    """Where bots play, who, and the bot that plays for par in the person's place."""

    sandbox: Sandbox
    bots: list[BotSpec]
    adviser: BotSpec


class PlayRun(Struct, frozen=True):
    """What is to be played.

    Attributes:
        plan: the match.
        others: the bots, in the order of the plan's less the person.
        person: which of the plan's bots is the person.
        name: what the record calls them.
        settings: the organiser's.
        sandbox: where bots run.
        record: where the record goes; None for a new file in `records/`.
    """

    plan: MatchPlan
    others: list[BotSource]
    person: int
    name: str
    settings: Settings
    sandbox: SandboxName
    record: Path | None

    def run(self) -> int:
        """Play, and print what it brought; return the exit code.

        Raises:
            RefereeError: a bot or the record cannot be had.
            HostError: the machine lets us down.
        """
        with ExitStack() as stack:
            place = stack.enter_context(place_for(self.name))
            adviser = find(ADVISER, self.settings)
            hints = stack.enter_context(advised(adviser))
            sources = self._with(self.others, place.source)
            person = self._person(sources, hints)
            path = self.record or default_path(self.plan, sources)
            with kept(console()):
                played = trio.run(self._conduct, place, person, adviser, path)
            if played is None:
                raise KeyboardInterrupt
            result, where = played
        print_report(self.plan, sources, result, path, where, repeatable=True)
        return told(result)

    def _with(self, others: list[_Bot], person: _Bot) -> list[_Bot]:
        found = others[:]
        found.insert(self.person, person)
        return found

    def _person(self, sources: list[BotSource], hints: Adviser) -> TerminalPerson:
        names = [source.name for source in sources]
        names[self.person] = YOU
        talk = console()
        keys = talk.is_terminal and sys.stdin.isatty()
        chooser = ByKeys(talk) if keys else ByLine(talk)
        return TerminalPerson(self.name, told_apart(names), talk, chooser, hints)

    async def _conduct(
        self, place: Place, person: TerminalPerson, adviser: BotSource, path: Path
    ) -> tuple[MatchResult, str] | None:
        """Play; return what came of it, and where bots ran: None if there was no time to begin."""
        preparing, playing = trio.CancelScope(), trio.CancelScope()
        talk = console(stderr=True)
        async with interruptible(preparing, playing), AsyncExitStack() as stack:
            with preparing, busy(talk, "preparing the bots ..."):
                table = await self._laid(stack, adviser)
            if preparing.cancelled_caught:
                return None
            talk.print(where_text(table.sandbox), style="dim")
            recorder = stack.enter_context(opened_recorder(path))
            nursery = await stack.enter_async_context(trio.open_nursery())
            token = trio.lowlevel.current_trio_token()
            ask = partial(
                serve, place.listener, person, partial(token.run_sync_soon, playing.cancel)
            )
            nursery.start_soon(partial(trio.to_thread.run_sync, ask, abandon_on_cancel=True))
            result = await play_match(
                self.plan,
                self._with(table.bots, place.spec),
                WithPeople(table.sandbox, place.spec),
                recorder,
                interrupt=playing,
                watch=lambda deal: nursery.start_soon(self._compare, table, deal, person),
            )
            if result.end.end == Reason.INTERRUPTED:
                nursery.cancel_scope.cancel()
            place.stop()
        return result, table.sandbox.name

    async def _laid(self, stack: AsyncExitStack, adviser: BotSource) -> _Table:
        sandbox = await stack.enter_async_context(
            opened_for(self.sandbox, self.others, self.settings)
        )
        bots = [await sandbox.prepare(bot) for bot in self.others]
        return _Table(sandbox, bots, await sandbox.prepare(adviser))

    async def _compare(self, table: _Table, deal: DealResult, person: TerminalPerson) -> None:
        """Tell a person the par of a deal that is over."""
        specs = dict(enumerate(self._with(table.bots, table.adviser)))
        person.pars.put(await par_of(self.plan, deal, self.person, specs, table.sandbox))

"""`referee debug`, once it is known where to stop: the bot is fed, and what it made of it shown."""

import os
import shlex
import shutil
import sys
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from referee.bots.find import BotSource, BotSpec, find, is_handed_in
from referee.bots.settings import read_settings
from referee.commands.debug_show import debug_json, print_stopped, print_what_if, print_worlds
from referee.debug.fed_process import FedProcess
from referee.debug.play_worlds import WorldPlayer, WorldsPlayed, compared
from referee.debug.session import Fed, Feeding, chosen_bot
from referee.debug.stops import AtFault, Stop, UntilDifference
from referee.debug.what_if import WhatIf, play_on
from referee.errors import RefereeError, innermost
from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.play.interrupts import interruptible
from referee.play.tee import Tee, written
from referee.record.reader import Mismatch, RecordReader
from referee.record.retelling import Question
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened, opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.console import busy, console
from referee.terminal.debug_command import debug_command
from referee.terminal.json_output import json_text
from referee.text import plural, told_apart

_PDB: Final = ("-m", "pdb")
_PDB_PROGRAM: Final = Path(__file__).resolve().parent.parent / "debug" / "pdb_on_terminal.py"
_USUAL: Final = "sample:greedy"
PlayedOn = tuple[tuple[WhatIf, DealResult] | None, WorldsPlayed | None]
"""What came of playing on from the act: on the record's deck, and on others."""

_NO_HASH: Final = ""
"""Of a command: what it runs is not known by its files."""


class DebugRun(Struct, frozen=True):
    """What is to be done.

    Attributes:
        path: the record.
        words: the bot, or a command of several words that runs it.
        called: the bot's name in the record, if it was said.
        stop: where to stop.
        sandbox: where the bot runs.
        attach: whether to wait for a debugger there.
        what_if: what is played there instead, and the deal played on; None: nothing.
        worlds: on how many other decks, too.
        against: who plays for the record's other bots then.
    """

    path: Path
    words: tuple[str, ...]
    called: str | None
    stop: Stop
    sandbox: SandboxName
    attach: bool
    what_if: str | None = None
    worlds: int | None = None
    against: tuple[str, ...] = ()

    def run(self, tee: Path | None, *, as_json: bool) -> int:
        """Feed the bot, and print where it was stopped; return the exit code.

        Raises:
            RefereeError: a file, the bot or the act is not to be had.
        """
        with RecordReader(self.path) as reader, written(tee) as writes:
            names = told_apart([line.name for line in reader.header.bots])
            try:
                which, fed, played_on = trio.run(self._fed, reader, names, writes)
            except Exception as error:  # a nursery may have wrapped it
                found = innermost(error)
                if not isinstance(found, Mismatch):
                    raise
                raise RefereeError(f"{self.path}: does not verify: {found}") from error
            several = reader.header.legs > 1
        if as_json:
            ended, worlds = played_on
            what_if = None if ended is None else ended[0]
            print(json_text(debug_json(names[which], fed, what_if, worlds), indent=None))
        else:
            self._show(names, which, fed, played_on, several=several)
        if fed.stopped is None:
            return int(isinstance(self.stop, AtFault) or fed.trouble is not None)
        return int(isinstance(self.stop, UntilDifference))

    def _show(
        self,
        names: Sequence[str],
        which: int,
        fed: Fed,
        played_on: PlayedOn,
        *,
        several: bool,
    ) -> None:
        name, (ended, worlds) = names[which], played_on
        if fed.stopped is None:
            what = "no fault" if isinstance(self.stop, AtFault) else "no difference"
            console().print(f"{name}: {what} in {plural(fed.acts, 'act')}")
            if fed.trouble is not None:
                console(stderr=True).print(f"{self.path}: {fed.trouble}", style="red")
            return
        print_stopped(
            name,
            fed.stopped,
            several=several,
            again=lambda act: debug_command(
                str(self.path), act, self.words, called=self.called, sandbox=self.sandbox
            ),
        )
        if ended is not None and fed.stopped.question is not None:
            print_what_if(*ended, fed.stopped.question, names)
        if worlds is not None and ended is not None:
            print_worlds(ended[0].action, worlds)

    async def _fed(
        self, reader: RecordReader, names: list[str], tee: Tee | None
    ) -> tuple[int, Fed, PlayedOn]:
        """Return which bot of the record it is, what came of feeding it, and of playing on."""
        hashes = [line.hash for line in reader.header.bots]
        with trio.CancelScope() as scope:
            async with interruptible(scope):
                if len(self.words) > 1:
                    spec = _command_spec(self.words)
                    which = chosen_bot(names, hashes, spec.name, spec.hash, self.called)
                    others = self._others(len(names), which)
                    async with opened(SandboxName.BARE) as sandbox:
                        specs = {bot: await sandbox.prepare(one) for bot, one in others.items()}
                        specs[which] = spec
                        return which, *await self._feed(reader, which, specs, sandbox, tee)
                settings = read_settings()
                found = find(self.words[0], settings)
                which = chosen_bot(names, hashes, found.name, found.hash, self.called)
                sources = {which: found, **self._others(len(names), which)}
                async with opened_for(self.sandbox, sources.values(), settings) as sandbox:
                    with busy(console(stderr=True), f"preparing {found.typed} ..."):
                        specs = {bot: await sandbox.prepare(one) for bot, one in sources.items()}
                    return which, *await self._feed(reader, which, specs, sandbox, tee)
        raise KeyboardInterrupt

    def _others(self, bots: int, which: int) -> dict[int, BotSource]:
        """Find who plays for the record's other bots, where the deal is played on.

        Raises:
            RefereeError: there are more or fewer than those, or one cannot be had.
        """
        if self.what_if is None:
            return {}
        others = [bot for bot in range(bots) if bot != which]
        typed = self.against or (_USUAL,) * len(others)
        if len(typed) != len(others):
            raise RefereeError(f"--against: the record has {plural(len(others), 'other bot')}")
        settings = read_settings()
        return {bot: find(one, settings) for bot, one in zip(others, typed, strict=True)}

    async def _feed(
        self,
        reader: RecordReader,
        which: int,
        specs: Mapping[int, BotSpec],
        sandbox: Sandbox,
        tee: Tee | None,
    ) -> tuple[Fed, PlayedOn]:
        talk, spec = console(stderr=True), specs[which]
        talk.print(f"sandbox: {sandbox.name} ({sandbox.how}); no clock runs", style="dim")
        feeding = Feeding(reader, which, specs, sandbox, tee)
        played_on: list[tuple[WhatIf, DealResult]] = []

        async def after(at: Question, processes: Mapping[int, FedProcess]) -> None:
            if self.what_if is not None:
                played_on.append(await play_on(self.path, at, self.what_if, processes))

        before = _wait_for_debugger if self.attach else _go_on
        quiet = self.attach or spec.hash == _NO_HASH  # a debugger may have the terminal
        with nullcontext() if quiet else busy(talk, f"feeding {spec.name} (Ctrl-C stops) ..."):
            fed = await feeding.run(self.stop, before, after)
        worlds = None
        if self.worlds is not None and played_on and fed.stopped is not None:
            worlds = await self._play_worlds(self.worlds, fed.stopped.question, specs, sandbox)
        return fed, (played_on[0] if played_on else None, worlds)

    async def _play_worlds(
        self, count: int, at: Question | None, specs: Mapping[int, BotSpec], sandbox: Sandbox
    ) -> WorldsPlayed:
        """Play the action, and the recorded one, on other decks."""
        assert at is not None  # noqa: S101  # the deal was played on from it
        assert self.what_if is not None  # noqa: S101  # --worlds goes with it
        player = WorldPlayer(self.path, at, specs, sandbox)
        recorded = at.answer.act if isinstance(at.answer, ActLine) else None
        actions = [self.what_if, *([] if recorded in (None, self.what_if) else [recorded])]
        with busy(console(stderr=True), f"playing {plural(count, 'deck')} ...") as say:
            values = await player.play(
                actions, count, lambda done: say(f"played {done:,} of {plural(count, 'deck')} ...")
            )
        sandbox.sweep()
        return compared(actions, values, player.values)


async def _go_on(_: Question, __: int) -> None:
    """There is nothing to wait for."""


async def _wait_for_debugger(question: Question, pid: int) -> None:
    where = f"deal {question.leg + 1}.{question.deal}, act {question.act}"
    console(stderr=True).print(
        f"process {pid} waits before {where}: attach a debugger, then press Enter"
    )
    await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)


def _command_spec(words: tuple[str, ...]) -> BotSpec:
    """Return a command that runs the bot where we are.

    Raises:
        RefereeError: there is no such program, or no terminal for pdb to talk on.
    """
    program = shutil.which(words[0])
    if program is None:
        raise RefereeError(f"there is no program {words[0]!r}")
    rest = words[1:]
    if rest[:2] == _PDB:
        rest = (str(_PDB_PROGRAM), _terminal(), *rest[2:])
    name = Path(next((word for word in rest[::-1] if Path(word).is_file()), words[0])).stem
    return BotSpec(
        name,
        (program, *rest),
        os.getcwd(),
        _NO_HASH,
        shlex.join(words),
        submitted=any(map(is_handed_in, (program, *rest, os.getcwd()))),
    )


def _terminal() -> str:
    for descriptor in (0, 1, 2):
        if os.isatty(descriptor):
            return os.ttyname(descriptor)
    raise RefereeError("pdb needs a terminal to talk on, and there is none")

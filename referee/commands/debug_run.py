"""`referee debug`, once it is known where to stop: the bot is fed, and what it made of it shown."""

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

import trio
from msgspec import Struct

from protocol.messages import Answer
from referee.bots.find import BotSpec, find
from referee.bots.settings import read_settings
from referee.debug.session import Fed, Feeding, Stopped, chosen_bot
from referee.debug.stops import AtFault, Stop, UntilDifference
from referee.errors import RefereeError
from referee.match.lines import ActLine
from referee.match.verdict import Verdict
from referee.play.interrupts import interruptible
from referee.play.tee import Tee, written
from referee.record.reader import Mismatch, RecordReader
from referee.record.retelling import Question
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened, opened_for
from referee.sandbox.names import SandboxName
from referee.terminal.act_view import position_lines, text_lines
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.text import plural, told_apart

_PDB: Final = ("-m", "pdb")
_PDB_PROGRAM: Final = Path(__file__).resolve().parent.parent / "debug" / "pdb_on_terminal.py"
_NO_HASH: Final = ""
"""Of a command: what it runs is not known by its files."""


class DebugJson(Struct, frozen=True, kw_only=True):
    """What `referee debug --json` prints.

    Attributes:
        bot: its name in the record.
        acts: how many acts of it there were, up to where it was stopped.
        stopped: whether it was stopped anywhere.
        leg: of the act at which it was stopped, from 0; null where it did not get ready.
        deal: of the leg, from 1.
        act: how many acts of the deal were carried out before it.
        recorded: the action that the record has; null for a fault.
        recorded_us: how long that took, in microseconds.
        fault: the code of the fault that the record has there.
        answered: the action that it answered now; null where that was no answer.
        us: how long that took.
        difference: how it differs from the record; null if it does not.
        differed_before: where and how it differed first, at an act before; likewise.
        told: what it was told for the act.
        said: what it wrote.
        stderr: what it wrote there meanwhile, or since the act before.
        trouble: why the record does not hold to its end.
    """

    bot: str
    acts: int
    stopped: bool
    leg: int | None = None
    deal: int | None = None
    act: int | None = None
    seat: int | None = None
    recorded: str | None = None
    recorded_us: int | None = None
    fault: str | None = None
    answered: str | None = None
    us: int | None = None
    difference: str | None = None
    differed_before: str | None = None
    told: str = ""
    said: str = ""
    stderr: str = ""
    trouble: str | None = None


class DebugRun(Struct, frozen=True):
    """What is to be done.

    Attributes:
        path: the record.
        words: the bot, or a command of several words that runs it.
        called: the bot's name in the record, if it was said.
        stop: where to stop.
        sandbox: where the bot runs.
        attach: whether to wait for a debugger there.
    """

    path: Path
    words: tuple[str, ...]
    called: str | None
    stop: Stop
    sandbox: SandboxName
    attach: bool

    def run(self, tee: Path | None, *, as_json: bool) -> int:
        """Feed the bot, and print where it was stopped; return the exit code.

        Raises:
            RefereeError: a file, the bot or the act is not to be had.
        """
        with RecordReader(self.path) as reader, written(tee) as writes:
            names = told_apart([line.name for line in reader.header.bots])
            try:
                which, fed = trio.run(self._fed, reader, names, writes)
            except Mismatch as error:
                raise RefereeError(f"{self.path}: does not verify: {error}") from error
            several = reader.header.legs > 1
        if as_json:
            print(json_text(_as_json(names[which], fed), indent=None))
        else:
            self._print(names[which], fed, several=several)
        if fed.stopped is None:
            return int(isinstance(self.stop, AtFault) or fed.trouble is not None)
        return int(isinstance(self.stop, UntilDifference))

    async def _fed(
        self, reader: RecordReader, names: list[str], tee: Tee | None
    ) -> tuple[int, Fed]:
        """Return which bot of the record it is, and what came of feeding it."""
        hashes = [line.hash for line in reader.header.bots]
        with trio.CancelScope() as scope:
            async with interruptible(scope):
                if len(self.words) > 1:
                    spec = _command_spec(self.words)
                    which = chosen_bot(names, hashes, spec.name, spec.hash, self.called)
                    async with opened(SandboxName.BARE) as sandbox:
                        return which, await self._feed(reader, which, spec, sandbox, tee)
                settings = read_settings()
                found = find(self.words[0], settings)
                which = chosen_bot(names, hashes, found.name, found.hash, self.called)
                async with opened_for(self.sandbox, [found], settings) as sandbox:
                    with busy(console(stderr=True), f"preparing {found.typed} ..."):
                        spec = await sandbox.prepare(found)
                    return which, await self._feed(reader, which, spec, sandbox, tee)
        raise KeyboardInterrupt

    async def _feed(
        self, reader: RecordReader, which: int, spec: BotSpec, sandbox: Sandbox, tee: Tee | None
    ) -> Fed:
        talk = console(stderr=True)
        talk.print(f"sandbox: {sandbox.name} ({sandbox.how}); no clock runs", style="dim")
        feeding = Feeding(reader, which, spec, sandbox, tee)
        if self.attach:
            return await feeding.run(self.stop, _wait_for_debugger)
        if spec.hash == _NO_HASH:  # a debugger may have the terminal
            return await feeding.run(self.stop, _go_on)
        with busy(talk, f"feeding {spec.name} (Ctrl-C stops) ..."):
            return await feeding.run(self.stop, _go_on)

    def _print(self, name: str, fed: Fed, *, several: bool) -> None:
        to = console()
        if fed.stopped is None:
            what = "no fault" if isinstance(self.stop, AtFault) else "no difference"
            to.print(f"{name}: {what} in {plural(fed.acts, 'act')}")
        else:
            self._print_stopped(name, fed.stopped, several=several)
        if fed.trouble is not None and fed.stopped is None:
            console(stderr=True).print(f"{self.path}: {fed.trouble}", style="red")

    def _print_stopped(self, name: str, stopped: Stopped, *, several: bool) -> None:
        to, question, reply = console(), stopped.question, stopped.reply
        if question is not None:
            deal = f"{question.leg + 1}.{question.deal}" if several else str(question.number)
            to.print(f"deal {deal}, act {question.act}, seat {question.seat}: {name}", style="bold")
            for line in position_lines(question.ask.line):
                to.print(line)
            for line in text_lines("told", question.ask.line.decode(), "dim"):
                to.print(line)
            to.print(f"   recorded {_recorded(question)}")
        said = reply.line.decode(errors="backslashreplace") or "nothing"
        for line in text_lines("said", said):
            to.print(line)
        to.print(f"   took     {reply.us / 1000:.1f} ms")
        if reply.exit is not None:
            to.print(f"   ended    {reply.exit}", style="red")
        for line in text_lines("stderr", reply.stderr, "yellow"):
            to.print(line)
        style = "green" if stopped.difference is None else "bold red"
        to.print(f"   {stopped.difference or 'as in the record'}", style=style)
        if stopped.before is not None:
            to.print(f"   it had differed before, at {stopped.before}", style="yellow")
        if question is not None:
            again = f"--deal {deal} --act {question.act}"
            words = shlex.join(self.words)
            command = f"referee debug {shlex.quote(str(self.path))} {again} -- {words}"
            to.print(f"   this act again: {command}", style="dim", soft_wrap=True)


def _recorded(question: Question) -> str:
    """What the record has of an act, on one line."""
    answer = question.answer
    if isinstance(answer, Verdict):
        return f"the fault {answer.code}: {answer.detail}"
    note = "" if answer.note is None else f"  note: {answer.note}"
    value = "" if answer.eval is None else f"  eval: {answer.eval}"
    return f"{answer.act} after {answer.us.complete / 1000:.1f} ms{value}{note}"


def _as_json(name: str, fed: Fed) -> DebugJson:
    stopped = fed.stopped
    if stopped is None:
        return DebugJson(bot=name, acts=fed.acts, stopped=False, trouble=fed.trouble)
    question, reply = stopped.question, stopped.reply
    answer = None if question is None else question.answer
    said = "" if question is None else reply.answer(question.ask.id)
    return DebugJson(
        bot=name,
        acts=fed.acts,
        stopped=True,
        leg=None if question is None else question.leg,
        deal=None if question is None else question.deal,
        act=None if question is None else question.act,
        seat=None if question is None else question.seat,
        recorded=answer.act if isinstance(answer, ActLine) else None,
        recorded_us=answer.us.complete if isinstance(answer, ActLine) else None,
        fault=str(answer.code) if isinstance(answer, Verdict) else None,
        answered=said.action if isinstance(said, Answer) else None,
        us=reply.us,
        difference=stopped.difference,
        differed_before=stopped.before,
        told="" if question is None else question.ask.line.decode(),
        said=reply.line.decode(errors="backslashreplace"),
        stderr=reply.stderr,
        trouble=fed.trouble,
    )


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
    return BotSpec(name, (program, *rest), os.getcwd(), _NO_HASH, shlex.join(words))


def _terminal() -> str:
    for descriptor in (0, 1, 2):
        if os.isatty(descriptor):
            return os.ttyname(descriptor)
    raise RefereeError("pdb needs a terminal to talk on, and there is none")

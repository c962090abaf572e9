"""What `referee debug` found out: for people, and as one JSON object."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from protocol.messages import Answer
from referee.debug.mean_interval import MeanInterval
from referee.debug.play_worlds import WorldsPlayed
from referee.debug.session import Fed, Stopped
from referee.debug.what_if import WhatIf
from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.match.verdict import FaultCode, Verdict
from referee.record.retelling import Question
from referee.terminal.act_view import position_lines, text_lines
from referee.terminal.console import console
from referee.terminal.deal_view import scene_text, scenes
from referee.text import plural


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
        what_if: how the deal ends with another action; null if none was asked for.
        worlds: how it ends on other decks that agree with what the bot knew; likewise.
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
    what_if: WhatIf | None = None
    worlds: WorldsPlayed | None = None


def print_stopped(
    name: str, stopped: Stopped, *, several: bool, again: Callable[[str], str]
) -> None:
    """Print where a bot was stopped: what it knew, was told, said, and how that differs.

    Args:
        name: the bot's in the record.
        stopped: where.
        several: whether the record has several legs.
        again: makes a command of the options that name the act.
    """
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
    to.print(f"   {stopped.difference or _likeness(stopped)}", style=style)
    if stopped.before is not None:
        to.print(f"   it had differed before, at {stopped.before}", style="yellow")
    if question is not None:
        command = again(f"--deal {deal} --act {question.act}")
        to.print(f"   this act again: {command}", style="dim", soft_wrap=True)


def _likeness(stopped: Stopped) -> str:
    """What there is to say where nothing is known to differ: of a late act, only the time is."""
    question, reply = stopped.question, stopped.reply
    if question is None or not isinstance(question.answer, Verdict):
        return "as in the record"
    now = reply.answer(question.ask.id)
    if question.answer.code is not FaultCode.LATE or not isinstance(now, Answer):
        return "as in the record"
    return f"the record has no answer in time; now {now.action} after {reply.us / 1000:.1f} ms"


def print_what_if(
    found: WhatIf, deal: DealResult, question: Question, names: Sequence[str]
) -> None:
    """Print how the deal goes on and ends so, trick by trick, and how it ended."""
    to = console()
    seat = question.seat
    to.print("   played on with all hands open:", style="dim")
    for scene in scenes(deal, None):
        acts = tuple(act for act in scene.acts if act.number >= question.act)
        if acts:
            to.print(scene_text(replace(scene, acts=acts), deal, names, None))
    points = " ".join(map(str, found.points))
    before = "" if found.recorded is None else f", in the record {found.recorded[seat]:+d}"
    brought = f"the bot's {found.by_seat[seat]:+d}{before}"
    to.print(f"   with {found.action}: points by seat {points}, {brought}", style="bold")


def print_worlds(action: str, found: WorldsPlayed) -> None:
    """Print what an action brings on decks that agree with what the bot knew."""
    to = console()
    to.print(
        f"   on {plural(found.count, 'deck')} that agree with what it knew, "
        "each as a deal of its own (95 % intervals):"
    )
    to.print(f"   {action:8} {_interval_text(found.action)} a deal")
    if found.recorded_action is not None and found.gain is not None:
        to.print(f"   {found.recorded:8} {_interval_text(found.recorded_action)}, as recorded")
        to.print(
            f"   gain     {_interval_text(found.gain)}; better on {found.better}, "
            f"as good on {found.equal}, worse on {found.worse}",
            style="bold",
        )


def _interval_text(found: MeanInterval) -> str:
    return f"{found.mean:+.2f}  [{found.low:+.2f} {found.high:+.2f}]"


def _recorded(question: Question) -> str:
    """What the record has of an act, on one line."""
    answer = question.answer
    if isinstance(answer, Verdict):
        return f"the fault {answer.code}: {answer.detail}"
    note = "" if answer.note is None else f"  note: {answer.note}"
    value = "" if answer.eval is None else f"  eval: {answer.eval}"
    return f"{answer.act} after {answer.us.complete / 1000:.1f} ms{value}{note}"


def debug_json(
    name: str, fed: Fed, played_on: WhatIf | None, worlds: WorldsPlayed | None
) -> DebugJson:
    """Return what there is to say of it, for programs."""
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
        what_if=played_on,
        worlds=worlds,
    )

"""`referee replay`: a record as a person reads it."""

import sys
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec import Struct

from referee.match.leg import DealResult
from referee.match.lines import ActLine
from referee.match.terms import unusual_options
from referee.match.verdict import Evidence
from referee.record.deal_choice import DealChoice
from referee.record.eyes import Eyes, NotSeated
from referee.record.held_deals import HeldDeals
from referee.record.retelling import ActLines
from referee.record.stderr_log import StderrByAct
from referee.record.verify import Resimulation
from referee.terminal.console import console
from referee.terminal.deal_view import (
    deal_heading,
    ending_text,
    remark_lines,
    scene_text,
    scenes,
)

_STDERR_SHOWN: Final = 5


def _ends(evidence: Evidence) -> Sequence[str]:
    """Return the first and the last lines of what was kept of stderr."""
    head, tail = evidence.stderr_head.splitlines(), evidence.stderr_tail.splitlines()
    lines = head + tail
    if len(lines) <= 2 * _STDERR_SHOWN:
        return lines
    return (*lines[:_STDERR_SHOWN], "...", *lines[-_STDERR_SHOWN:])


class Wanted(Struct, frozen=True):
    """What is to be shown.

    Attributes:
        deal: which deal; None: all.
        eyes: whose.
        step: whether to wait after each trick.
    """

    deal: DealChoice | None
    eyes: Eyes
    step: bool


class RecordView:
    """Prints a record."""

    def __init__(
        self, found: Resimulation, names: Sequence[str], lines: ActLines, stderr: StderrByAct
    ) -> None:
        """Begin before the first deal.

        Args:
            found: the record, which is played again while it is shown.
            names: of its bots, told apart.
            lines: hears of its acts.
            stderr: what of it is to be shown.
        """
        self._found = found
        self._names = names
        self._lines = lines
        self._stderr = stderr
        self._to = console()
        self._talk = console(stderr=True)

    def show(self, deals: HeldDeals, wanted: Wanted) -> bool:
        """Print what was played; return whether there was such a deal."""
        found, there = self._found, False
        heading = f"{found.header.terms.game}: {' - '.join(self._names)}"
        for number, deal in enumerate(deals.and_the_last(), 1):
            lines = self._lines.take(number)
            leg = found.totals.leg
            if wanted.deal is not None and not wanted.deal.is_meant(number, leg, deal.start.deal):
                continue
            if not there:
                self._to.print(heading, style="bold")
            there = True
            self._show_deal(deal, number, wanted, lines)
        self._show_end(wanted)
        return there

    def _show_deal(
        self, deal: DealResult, number: int, wanted: Wanted, lines: Mapping[int, ActLine]
    ) -> None:
        found, to, names = self._found, self._to, self._names
        leg, of_leg = found.totals.leg, deal.start.deal
        to.print()
        to.print(deal_heading(deal, found.called(deal, number), names))
        try:
            viewer = wanted.eyes.seat(deal)
        except NotSeated:
            to.print("   not in this deal")
            return
        stderr = self._stderr.get((leg, of_leg), {})
        for scene in scenes(deal, viewer, lines):
            to.print(scene_text(scene, deal, names, viewer))
            for line in remark_lines(scene, deal, names, stderr):
                to.print(line)
            self._wait(wanted)
        if (ending := ending_text(deal, names)) is not None:
            to.print(ending)
        self._show_faults(deal, number, viewer)
        self._show_scores(deal)

    def _wait(self, wanted: Wanted) -> None:
        if wanted.step and sys.stdin.isatty():
            self._talk.print("   Enter: on, Ctrl-C: stop", style="dim", end="")
            sys.stdin.readline()

    def _show_scores(self, deal: DealResult) -> None:
        points = " ".join(map(str, deal.account.points))
        by, figures = "side", deal.scores
        if deal.account.caller is not None:
            by, figures = "seat", deal.by_seat
        scores = " ".join(map(str, figures)) or "none, it has no end"
        self._to.print(f"   points by seat {points}   score by {by} {scores}")
        so_far = zip(self._names, self._found.leg_scores, strict=False)
        standing = "  ".join(f"{name} {score}" for name, score in so_far)
        if standing and figures:
            self._to.print(f"   so far {standing}")

    def _show_faults(self, deal: DealResult, number: int, viewer: int | None) -> None:
        """Print the evidence of faults, and how to play the deal again where all is shown."""
        to, found = self._to, self._found
        place = None if viewer is None else deal.places[viewer]
        lines = [line for line in found.fault_lines.get(number, []) if place in (None, line.place)]
        for line in lines:
            to.print(f"   fault: place {line.place}: {line.code}: {line.detail}", style="red")
            evidence = line.evidence
            if evidence.exit is not None:
                to.print(f"   it ended: {evidence.exit}", style="dim")
            if error := evidence.error():
                to.print(f"   on its stderr: {error}", style="yellow")
            for text in _ends(evidence):
                to.print(f"   stderr: {text[:200]}", style="dim")
        if lines and viewer is None:
            start, (game, chosen) = deal.start, found.game_of(deal)
            options = "".join(f" -o {option}" for option in unusual_options(game, chosen))
            deck = " ".join(start.deck)
            again = f"--game {game}{options} --dealer {start.dealer} --deck '{deck}'"
            bots = " ".join(["BOT"] * len(start.bots))
            to.print(f"   the same deal again: referee match {bots} {again}", style="dim")

    def _show_end(self, wanted: Wanted) -> None:
        to, found, names = self._to, self._found, self._names
        for fault in found.last_faults:
            text = f"fault after the last deal of leg {fault.leg + 1}: place {fault.seat}: "
            to.print(text + fault.code, style="red")
        for void in found.totals.voids if wanted.deal is None else ():
            text = f"void: deal {void.deal} of leg {void.leg + 1} ({void.family}): {void.detail}"
            to.print(text, style="yellow")
        if found.end is not None and wanted.deal is None:
            winner = found.end.winner
            who = "drawn" if winner is None else " and ".join(names[bot] for bot in winner)
            scores = " ".join(map(str, found.end.scores))
            to.print()
            to.print(f"result: {who} ({found.end.end}), scores {scores}", style="bold")

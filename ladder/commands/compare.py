"""`referee compare`: plays two bots against each other until it is clear which is better."""

import secrets
import sys
from collections.abc import Callable, Coroutine, Iterator
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated

import trio
import typer
from msgspec.structs import replace
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn

from ladder.commands.players import ClusterOption, opened_players
from ladder.compare.blocks import block_list, new_folder, write_csv
from ladder.compare.blocks import worst as costliest
from ladder.compare.comparison import MOST_BLOCKS, PART, Comparison, ComparisonEnd, make_comparison
from ladder.compare.conductor import compare as play
from ladder.compare.report import print_report, print_worst, report
from ladder.stats.confidence_sequence import Conclusion
from ladder.stats.sprt import SprtResult, read_sprt
from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.commands import shared
from referee.errors import HOST, INTERRUPTED, HostError, innermost
from referee.match.chance import KEY_BITS
from referee.match.clock import parse_time
from referee.match.seating import Seating
from referee.match.terms import Terms, all_options, read_options
from referee.match.verdict import ATTEMPTS, Freeze
from referee.play.interrupts import interruptible
from referee.sandbox.names import SandboxName
from referee.terminal.board import Board, BoardProgress
from referee.terminal.console import busy, console
from referee.terminal.json_output import json_text
from referee.workers.jobs import Job, JobResult


def compare(
    first: Annotated[str, typer.Argument(metavar="A", help="A BOT as for `referee match`.")],
    second: Annotated[str, typer.Argument(metavar="B", help="The other one.")],
    game: Annotated[
        str, typer.Option(help="A game with two sides, of which each bot holds one; or see --with.")
    ] = "briscola-2",
    options: shared.Options = None,
    field: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="BOT",
            help="Who else sits at the table, where a game has more than two sides: one for all "
            "other seats, or one for each. A and B then play the same decks from the same seats.",
        ),
    ] = None,
    until: Annotated[
        str, typer.Option(metavar="decided|N", help="Until it is clear, or exactly N blocks.")
    ] = "decided",
    within: Annotated[
        float | None,
        typer.Option(metavar="D", help="Stop too when the means differ by no more than D a deal."),
    ] = None,
    most: Annotated[
        int | None,
        typer.Option("--max-blocks", metavar="N", help=f"Give up then.  [default: {MOST_BLOCKS}]"),
    ] = None,
    sprt: Annotated[
        str | None,
        typer.Option(
            metavar="elo0=0,elo1=5",
            help="Decide by this test instead; also alpha, beta, model=normalized|logistic.",
        ),
    ] = None,
    part: Annotated[
        int,
        typer.Option(
            "--match-blocks", metavar="N", help="For how many blocks processes live: a match."
        ),
    ] = PART,
    key: shared.Key = None,
    seating: Annotated[
        Seating | None,
        typer.Option(
            help="In which seatings each deck is played.  [default: full; rotate with --with]"
        ),
    ] = None,
    time: shared.Time = "",
    sandbox: shared.Sandbox = SandboxName.AUTO,
    freeze: shared.Freeze = Freeze.AUTO,
    pace: shared.Pace = 0,
    on_fault: shared.OnFault = None,
    workers: shared.Workers = None,
    cluster: ClusterOption = None,
    records: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Keep the record of every match there.")
    ] = None,
    worst: Annotated[
        int,
        typer.Option(metavar="N", min=0, help="Name the N decks that cost A most."),
    ] = 0,
    csv: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the value of every block there.")
    ] = None,
    as_json: shared.Json = False,
) -> None:
    """Finds out which of two bots is better. Plays until the answer is sure to 95 %.

    Both play the same decks from both sides, in short matches; what counts as one observation is
    A's mean deal value in a match, for which processes live. Where a game has more than two sides,
    both play the same decks from the same seats, each by itself among the bots of --with, and what
    counts is what A had more than B. The answer is A, B, no difference beyond D, or undecided; it
    is wrong in at most one comparison of twenty, however long that takes and whatever bots do.

    Exit code 0 when there is an answer, or when N blocks have been played; 1 when it stays
    undecided, or when a bot was faulted; 3 when this machine or a cluster lets us go no further,
    and 130 when interrupted, with what there is so far.
    """
    plan = make_comparison(
        Job(
            terms=Terms(
                game=game,
                options=all_options(game, read_options(options or ()), 1 + len(field or "B")),
                seating=seating or (Seating.ROTATE if field else Seating.FULL),
                time=parse_time(time),
                on_fault=on_fault,
                freeze=freeze,
                pace_ms=pace,
            ),
            bots=(first, second),
            key=secrets.token_hex(KEY_BITS // 8) if key is None else key,
            first=0,
            blocks=1,
        ),
        until=until,
        part=part,
        within=within,
        most=most,
        sprt=None if sprt is None else read_sprt(sprt),
        field=tuple(field or ()),
    )
    settings = read_settings()
    bots = (find(first, settings), find(second, settings))
    hashes = tuple(bot.hash for bot in bots)
    of_field = tuple(find(bot, settings).hash for bot in plan.field)
    job = replace(plan.job, hashes=hashes)
    comparison = Comparison(replace(plan, job=job, field_hashes=of_field))
    folder = None if records is None else new_folder(records)
    conducted = partial(_conduct, comparison, workers, sandbox, folder, cluster)
    trouble = _ended_by(comparison, conducted)
    blocks = block_list(comparison, folder)
    if csv is not None:
        write_csv(csv, blocks)
    if as_json:
        print(json_text(report(comparison, bots, blocks), indent=None))
    else:
        print_report(console(), comparison, bots)
        print_worst(console(), comparison, bots, costliest(blocks, worst))
    if trouble:
        print(f"referee: {trouble}", file=sys.stderr)
    raise typer.Exit(exit_code(comparison))


def exit_code(comparison: Comparison) -> int:
    """How the command ends."""
    if comparison.ending is ComparisonEnd.INTERRUPTED:
        return INTERRUPTED
    if comparison.ending is ComparisonEnd.HOST:
        return HOST
    if any(comparison.faults):
        return 1
    if comparison.plan.fixed is not None:
        return 0
    decided: Conclusion | SprtResult = (
        comparison.decision if comparison.sprt is None else comparison.sprt.verdict
    )
    return int(decided in {Conclusion.UNDECIDED, SprtResult.OPEN})


def _ended_by(
    comparison: Comparison, conducted: Callable[[], Coroutine[object, object, None]]
) -> str:
    """Conduct a comparison; return in words what of the host has ended it, "" if nothing has.

    Raises:
        HostError: nothing was played until then; else what was played holds.
    """
    try:
        trio.run(conducted)
    except Exception as error:
        trouble = innermost(error)
        if not isinstance(trouble, HostError) or not comparison.parts:
            raise
        comparison.give_up(str(trouble))
        return str(trouble)
    why = comparison.given_up
    return why and f"given up after {ATTEMPTS} attempts: {why}"


async def _conduct(
    comparison: Comparison,
    workers: int | None,
    sandbox: SandboxName,
    records: Path | None,
    cluster: str | None,
) -> None:
    """Plays until there is an answer, or a signal asks us to stop."""
    talk = console(stderr=True)
    playing = trio.CancelScope()
    async with interruptible(playing):
        with playing:
            async with AsyncExitStack() as stack:
                board, settings = Board(), read_settings()
                with busy(talk, "preparing the workers ..."):
                    players = opened_players(
                        cluster, workers, sandbox, settings, talk.print, show=board.show
                    )
                    pool = await stack.enter_async_context(players)
                with _progress(comparison, talk, board) as watch:
                    await play(comparison, pool, watch, records)
    comparison.interrupt()


@contextmanager
def _progress(
    comparison: Comparison, talk: Console, board: Board
) -> Iterator[Callable[[JobResult], None]]:
    """Shows the blocks that were played, where the mean lies by now, and a board below."""
    columns = (
        SpinnerColumn(),
        TextColumn("blocks", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.description}", markup=False),
    )
    off = not talk.is_terminal
    with BoardProgress(*columns, console=talk, transient=True, disable=off) as progress:
        progress.board = board
        task = progress.add_task("", total=comparison.plan.parts * comparison.plan.part)

        def watch(result: JobResult) -> None:
            if not progress.tasks[task].completed:
                kind, _, how = result.outcome.sandbox.partition(": ")
                talk.print(f"sandbox: {kind} ({how})", style="dim")
            if result.bug:
                talk.print(result.bug)
            said = ""
            if talk.is_terminal:
                said = "A's mean: {:+.2f} to {:+.2f}".format(*comparison.interval())
            progress.update(task, completed=comparison.blocks, description=said)

        yield watch

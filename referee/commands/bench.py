"""`referee bench`: what the referee costs, beside what the machine itself costs."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import trio
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.text import Text

from referee.bench import cluster as clusters
from referee.bench.figures import BY_DEFAULT, LEGEND, Part
from referee.bench.report import BenchReport
from referee.bench.running import ProgressCallback, measure
from referee.bench.sizes import QUICK, USUAL, Sizes
from referee.commands.bench_cluster import run_cluster, show_cluster
from referee.commands.bench_words import judged, short
from referee.errors import RefereeError
from referee.play.interrupts import interruptible
from referee.terminal.console import console, print_table
from referee.terminal.json_output import json_text
from referee.text import plural

_ROUNDS, _QUICK_ROUNDS, _MOST_ROUNDS = 7, 2, 1000
_CLUSTER_ROUNDS = 5
_BUSY = 0.5


def bench(
    rounds: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help=f"All take turns so many times.  [default: {_ROUNDS}; {_CLUSTER_ROUNDS} with "
            "--cluster]",
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="A rough look: less of everything, two rounds.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print every sample and the machine as JSON.")
    ] = False,
    only: Annotated[
        list[Part] | None,
        typer.Option(help="Only this, may be repeated.  [default: all but docker]"),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Instead: what a match on the machines of a cluster costs beside one on this "
            "machine's cores: tls://HOST:PORT of its scheduler.",
        ),
    ] = None,
) -> None:
    """Measures what the referee costs.

    Nearly all targets are ratios to L, a round trip between two C programs. Exit code 0 whether
    they are met or not: it is a measurement.
    """
    if rounds is not None and not 1 <= rounds <= _MOST_ROUNDS:
        raise RefereeError(f"rounds={rounds}: from 1 to {_MOST_ROUNDS}")
    if cluster is not None:
        if only:
            raise RefereeError(
                "say --cluster or --only, not both: a cluster is measured as a whole"
            )
        _bench_cluster(cluster, rounds, quick=quick, as_json=as_json)
        return
    report = trio.run(
        _run,
        tuple(only or BY_DEFAULT),
        rounds or (_QUICK_ROUNDS if quick else _ROUNDS),
        QUICK if quick else USUAL,
    )
    if as_json:
        print(json_text(report))
    else:
        show(report, console())


def _bench_cluster(address: str, rounds: int | None, *, quick: bool, as_json: bool) -> None:
    """Measures a cluster, and prints what was found."""
    report = trio.run(
        run_cluster,
        clusters.opener(),
        address,
        rounds or (_QUICK_ROUNDS if quick else _CLUSTER_ROUNDS),
        clusters.QUICK if quick else clusters.USUAL,
        _progress,
    )
    if as_json:
        print(json_text(report))
    else:
        show_cluster(report, console())


async def _run(parts: tuple[Part, ...], rounds: int, sizes: Sizes) -> BenchReport:
    """Measures until it is done or a signal stops us."""
    with trio.CancelScope() as scope, _progress(console(stderr=True)) as watch:
        async with interruptible(scope):
            return await measure(parts, rounds, sizes, watch)
    raise KeyboardInterrupt


@contextmanager
def _progress(talk: Console) -> Iterator[ProgressCallback]:
    """A bar on a terminal, drawn between two steps only: it takes no time from them."""
    columns = (
        TextColumn("{task.description:<16}", markup=False),
        BarColumn(),
        TimeRemainingColumn(),
    )
    off = not talk.is_terminal
    bar = Progress(*columns, console=talk, transient=True, disable=off, auto_refresh=False)
    with bar as progress:
        task = progress.add_task("preparing", total=None)

        def watch(name: str, done: int, total: int) -> None:
            progress.update(task, description=name, completed=done, total=total, refresh=True)

        yield watch


def show(report: BenchReport, to: Console) -> None:
    """Prints a report as a table, and what it takes to read it."""
    machine = report.machine
    to.print(
        f"{machine.processor}, {machine.cores} cores; {machine.kernel}; {machine.python}; "
        f"{machine.compiler} -O2; referee {machine.referee}, its acts {machine.exchange}; "
        f"{plural(report.rounds, 'round')}"
    )
    if machine.busy > _BUSY:
        text = f"others were busy before: {machine.busy:.1f} processes wanted to run"
        to.print(text, style="yellow")
    to.print()
    print_table(to, ("what", "#median", "", "#lowest", "#highest", "#L", "target"), _rows(report))
    to.print()
    for what, why in report.absent.items():
        to.print(f"without {what}: {why}", style="yellow")
    to.print(Text(LEGEND, "dim"))  # a string would be one line
    to.print()
    to.print(
        f"L is a round trip of {report.line_bytes} bytes, an act's line on average, between two C "
        "programs on one core. To compare another runner, divide its time a move on one core by L; "
        "we measured fastchess at 12 L a ply, cutechess at 33 L, loops over streams of asyncio or "
        "trio at 13 L and more."
    )


def _rows(report: BenchReport) -> Iterator[tuple[str | Text, ...]]:
    for row in report.rows:
        in_l = "" if row.in_l is None else f"{row.in_l:.2f}"
        figures = (short(row.median), row.unit, short(row.low), short(row.high), in_l)
        yield (row.what, *figures, judged(row.goal))

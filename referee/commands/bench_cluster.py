"""`referee bench --cluster`: what a cluster plays of what this machine's own cores would."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from statistics import median

import trio
from rich.console import Console
from rich.text import Text

from referee.bench.cluster import ClusterSizes, Opener, measure, sandbox_of
from referee.bench.cluster_report import ClusterReport, ClusterRow
from referee.bench.machine import machine
from referee.bench.running import ProgressCallback
from referee.commands.bench_words import judged, short
from referee.play.interrupts import interruptible
from referee.sandbox.names import SandboxName
from referee.terminal.console import console, print_table
from referee.text import plural
from referee.workers.pool import opened_pool

_LEGEND = """\
ms         of a core, a match: here by a pool, there by the machines of the cluster
overhead   what a match takes a core of the cluster more
conductor  processor time of this process, a match; those that verify records are not in it"""


async def run_cluster(
    opened: Opener,
    address: str,
    rounds: int,
    sizes: ClusterSizes,
    progress: Callable[[Console], AbstractContextManager[ProgressCallback]],
) -> ClusterReport:
    """Measure until it is done or a signal stops us.

    Args:
        opened: opens the machines of a cluster.
        address: of its scheduler.
        rounds: how often each has its turn.
        sizes: what is played.
        progress: shows how far it is.

    Raises:
        RefereeError: there are no keys of the cluster, or its sandbox does not work here.
        HostError: the cluster does not answer, or a match went wrong.
    """
    talk = console(stderr=True)
    with trio.CancelScope() as scope, progress(talk) as watch:
        async with interruptible(scope), opened(address, talk.print) as machines:
            sandbox = await sandbox_of(machines)
            name = SandboxName(sandbox.partition(":")[0])
            async with opened_pool(sandbox=name) as pool:
                rows = await measure(pool, machines, rounds, sizes, watch)
                return ClusterReport(
                    here=machine(""),
                    workers=pool.size,
                    cluster=address,
                    machines=machines.machines,
                    cores=machines.cores,
                    sandbox=sandbox,
                    rounds=rounds,
                    rows=rows,
                )
    raise KeyboardInterrupt


def show_cluster(report: ClusterReport, to: Console) -> None:
    """Print a report as a table, and what it takes to read it."""
    here = report.here
    to.print(
        f"{report.cluster}: {plural(report.machines, 'machine')}, {plural(report.cores, 'core')}; "
        f"here: {here.processor}, {plural(report.workers, 'core')}, referee {here.referee}; "
        f"sandbox: {report.sandbox}; {plural(report.rounds, 'round')}"
    )
    to.print()
    show_rows(report.rows, to)
    to.print()
    to.print(Text(_LEGEND, "dim"))  # a string would be one line


def show_rows(rows: tuple[ClusterRow, ...], to: Console) -> None:
    """Print rows of a report as a table."""
    costs = ("#ms here", "#ms there", "#overhead", "#conductor")
    parts = ("#% of the pool", "#lowest", "#highest", "target")
    print_table(
        to,
        ("deals a match", *costs, *parts),
        [
            (
                f"{row.deals}",
                *map(short, (median(row.pool_ms), median(row.cluster_ms))),
                *map(short, (row.overhead_ms, median(row.conductor_ms))),
                *(f"{part:.0f}" for part in (row.part, row.low, row.high)),
                judged(row.goal),
            )
            for row in rows
        ],
    )

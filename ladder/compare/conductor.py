"""Conducts a comparison of two bots: match parts to the workers until it is decided.

All parts are equally long and short, since each counts as one observation: its blocks were played
by the same processes. They are looked at in the order of their indexes one by one, whichever is
finished first. So with the same key the same bots get the same answer after the same part, however
many workers there are.
"""

from collections.abc import Callable
from pathlib import Path

import trio
from msgspec.structs import replace

from ladder.compare.against_field import job_with, merged
from ladder.compare.blocks import record_path
from ladder.compare.comparison import Comparison, ComparisonPlan
from referee.errors import innermost
from referee.workers.crew import crew
from referee.workers.jobs import JobResult, Players


async def compare(
    comparison: Comparison,
    players: Players,
    watch: Callable[[JobResult], None] = lambda _: None,
    records: Path | None = None,
) -> None:
    """Plays until the comparison ends, or this is cancelled.

    Args:
        comparison: takes in what was played.
        players: play.
        watch: is told of every part that was taken in.
        records: the folder in which records are kept; None to keep none.

    Raises:
        HostError: blocks cannot be played here.
        RefereeError: a bot cannot be.
    """
    plan = comparison.plan
    waiting = iter(range(plan.parts))
    done: dict[int, JobResult] = {}
    news = trio.Event()

    async def work() -> None:
        nonlocal news
        for number in waiting:
            first = number * plan.part
            done[number] = await _part(plan, first, players, records)
            news.set()
            news = trio.Event()

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(crew, players, work)
            number = 0
            while comparison.ending is None:
                while number not in done:
                    await news.wait()
                result = done.pop(number)
                comparison.add(result.outcome)
                watch(result)
                number += 1
            nursery.cancel_scope.cancel()
    except ExceptionGroup as error:
        raise innermost(error) from error


async def _part(
    plan: ComparisonPlan, first: int, players: Players, records: Path | None
) -> JobResult:
    """Play a part: A against B, or each of them in the same seats among the same others."""
    found = []
    for at in range(2 if plan.field else 1):
        record = None if records is None else str(record_path(records, first, at))
        job = replace(plan.job, first=first, blocks=plan.part, record=record)
        if plan.field:
            job = job_with(job, at, plan.field, plan.field_hashes)
        found.append(await players.play(job))
    if len(found) == 1:
        return found[0]
    bugs = [result.bug for result in found if result.bug]
    return JobResult(merged(found[0].outcome, found[1].outcome), "\n".join(bugs))

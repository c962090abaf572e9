"""A whole match, its proof, bots in Python and short matches, beside an act, in one run.

    python tests/bench_match.py [ROUNDS]

What `referee bench` leaves out: a whole match with its starts and all between the deals, an act
that is proved from a record, deals of bots in Python on all cores, and matches of one deal by fresh
processes. All take turns, so that a busy moment hurts all alike; medians.
"""

import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

import trio

from referee.bench.matches import C_BOT, KEY, cost_of_acts, terms
from referee.bench.targets import ACTS_A_DEAL
from referee.bots.find import find
from referee.bots.settings import read_settings
from referee.match.verdict import Freeze
from referee.record.reader import RecordReader
from referee.record.verify import Resimulation
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from referee.workers.jobs import Job
from referee.workers.pool import WorkerPool, opened_pool

ROUNDS = 7
DEALS = 250
PYTHON_BOT = "sample:first"
CORES = len(os.sched_getaffinity(0))


def proof_us(record: Path) -> float:
    """Microseconds an act, to prove a record."""
    begin = time.perf_counter()
    with RecordReader(record) as reader:
        found = Resimulation(reader)
        acts = sum(len(deal.acts) for deal in found.deals())
    assert found.unfinished is None
    return (time.perf_counter() - begin) * 1e6 / acts


async def a_second(pool: WorkerPool, bot: str, jobs: int, deals: int) -> float:
    """Acts a second, of so many matches of so many deals."""
    acts = 0

    async def play(number: int) -> None:
        nonlocal acts
        job = Job(
            terms=terms(), bots=(bot, bot), key=f"{KEY} {number}", first=0, blocks=deals, luck=False
        )
        outcome = (await pool.play(job)).outcome
        acts += outcome.acts  # read after the wait

    begin = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for number in range(jobs):
            nursery.start_soon(play, number)
    return acts / (time.perf_counter() - begin)


async def main(rounds: int) -> None:
    """Prints medians."""
    settings = read_settings()
    bot = find(C_BOT, settings)
    names = ("act", "whole match", "proof", "Python", "short")
    seen: dict[str, list[float]] = {name: [] for name in names}
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record"
        async with opened_pool(CORES, SandboxName.BARE) as pool:
            for bot_text in (C_BOT, PYTHON_BOT):  # prepared once
                await a_second(pool, bot_text, CORES, 1)
            for _ in range(rounds):
                async with opened(SandboxName.BARE, settings) as sandbox:
                    cost = await cost_of_acts(sandbox, bot, Freeze.AUTO, DEALS, record)
                seen["act"].append(cost.act)
                seen["whole match"].append(cost.whole)
                seen["proof"].append(proof_us(record))
                record.unlink()
                seen["Python"].append(await a_second(pool, PYTHON_BOT, CORES, DEALS))
                seen["short"].append(await a_second(pool, C_BOT, 30 * CORES, 1))
    act, whole, proof, python, short = (median(seen[name]) for name in names)
    print(f"act          {act:8.1f} us, bare, C bots")
    print(f"whole match  {whole:8.1f} us an act, {whole / act:.2f} x an act")
    print(f"proof        {proof:8.1f} us an act, {act / proof:.1f} x as fast as to play it")
    print(f"Python       {python / ACTS_A_DEAL:8.0f} deals/s on {CORES} cores")
    print(f"short        {short / ACTS_A_DEAL:8.0f} matches/s of one deal, C bots, {CORES} cores")


if __name__ == "__main__":
    trio.run(main, int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS)

"""Thousands of matches in one process, many damaged conversations, thousands of comparisons.

    python tests/soak.py [--matches N] [--mutations N] [--comparisons N] [--events N] [--nulls N]
        [--fields N]

Nothing may grow, no more than one comparison in twenty may go wrong, and intervals hold the truth
as often as they say. Exit code 1, with a line for each thing that is not so.
"""

import argparse
import gc
import os
import sys
import tempfile
import time
from glob import glob
from pathlib import Path
from typing import Final

import nulls
import trio
from msgspec import Struct

from referee.bots.find import BotSpec, find
from referee.bots.settings import Settings
from referee.match.plan import make_plan
from referee.match.verdict import FaultCode
from referee.play.conductor import play_match
from referee.record.writer import Recorder
from referee.sandbox import Sandbox, janitor
from referee.sandbox.choose import opened
from referee.sandbox.count_process import COUNT_PROCESSES
from referee.sandbox.folders import work_folder
from referee.sandbox.names import SandboxName
from referee.sandbox.procfs import descendants, is_dead
from support import fault_effects, fuzz, simulations
from support.processes import open_files
from support.terms import config_of

BOTS: Final = ("sample:first-c", "sample:first-c")
AT_ONCE: Final = 100
"""Matches between the opening and the closing of a sandbox."""

SHOWN_EVERY: Final = 500
MUTATED_AT_ONCE: Final = 10_000
RSS_MOST: Final = 5 * 1024 * 1024
"""By how much our memory may grow after the first `SHOWN_EVERY` matches."""

WRONG_MOST: Final = 0.05
HELD_LEAST, HELD_MOST = 0.93, 0.97
LIVES: Final = (1, 2, 4, 10, 40, 200)


class Gauge(Struct, frozen=True):
    """What must not grow, counted while no sandbox is open.

    Attributes:
        children: processes below us, the living and the dead.
        mounts: of ours; others may come and go.
        folders: of our run.
    """

    rss: int
    fds: int
    threads: int
    children: int
    zombies: int
    groups: int
    mounts: int
    folders: int

    def text(self) -> str:
        """In one line."""
        rest = ", ".join(f"{name} {getattr(self, name)}" for name in self.__struct_fields__[1:])
        return f"rss {self.rss / 2**20:.2f} MiB, {rest}"


def gauge() -> Gauge:
    """Counts."""
    gc.collect()
    run = janitor.run_of(os.getpid())
    below = descendants(os.getpid())
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return Gauge(
        rss=pages * os.sysconf("SC_PAGE_SIZE"),
        fds=open_files(),
        threads=len(os.listdir("/proc/self/task")),
        children=len(below),
        zombies=sum(map(is_dead, below)),
        groups=len(janitor.groups_of(run)),
        mounts=Path("/proc/self/mountinfo").read_text().count(work_folder().name),
        folders=len(glob(f"{work_folder()}/{run}*")),
    )


def grown(before: Gauge, after: Gauge) -> list[str]:
    """What has grown, in words."""
    found = [
        f"{name}: {getattr(before, name)} -> {getattr(after, name)}"
        for name in Gauge.__struct_fields__[1:]
        if getattr(after, name) > getattr(before, name)
    ]
    if after.rss - before.rss > RSS_MOST:
        found.append(f"rss: {before.rss} -> {after.rss}")
    return found


async def _play(number: int, specs: list[BotSpec], sandbox: Sandbox, path: Path) -> None:
    """One deal; every hundredth record is verified.

    Raises:
        AssertionError: it did not end as it must.
    """
    asked = config_of(game="briscola-2", bots=2, deals=1, key=str(number), dealer=number % 2)
    recorder = Recorder(path)
    try:
        scope = trio.CancelScope()
        result = await play_match(make_plan(asked), specs, sandbox, recorder, interrupt=scope)
    finally:
        recorder.close()
    assert result.end.end == "deals", result
    assert result.totals.faults == [], result
    assert result.totals.voids == [], result
    _look_at(path, verify=number % AT_ONCE == 0)


def _look_at(record: Path, *, verify: bool) -> None:
    """Takes a record away, and sees before whether it holds."""
    if verify:
        found = fuzz.trouble(record.read_bytes(), record)
        assert found is None, found
    record.unlink()


def _nothing_left() -> None:
    """Sees that bots that are gone have left neither groups nor processes."""
    COUNT_PROCESSES.close()  # they are kept for the next bot
    run = janitor.run_of(os.getpid())
    tops = [top for top in janitor.groups_of(run) if not top.endswith(f"{janitor.SPARE}/{run}")]
    assert not [found for top in tops for found in glob(f"{top}/*/")]
    assert len(descendants(os.getpid())) == 1  # the janitor


async def _some(numbers: range, path: Path, mode: SandboxName) -> None:
    """Plays some matches in a sandbox of their own.

    Raises:
        AssertionError: one did not end as it must, or something was left before it was closed.
    """
    async with opened(mode) as sandbox:
        specs = [await sandbox.prepare(find(bot, Settings())) for bot in BOTS]
        for number in numbers:
            await _play(number, specs, sandbox, path)
        _nothing_left()


async def soak(matches: int, mode: SandboxName = SandboxName.BWRAP) -> list[str]:
    """Plays so many matches; hands out what grew.

    Raises:
        AssertionError: a match did not end as it must.
    """
    first: Gauge | None = None
    last = gauge()
    begin = time.monotonic()
    print(f"before: {last.text()}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "record")
        for start in range(0, matches, AT_ONCE):
            numbers = range(start, min(start + AT_ONCE, matches))
            await _some(numbers, path, mode)
            if numbers.stop % SHOWN_EVERY == 0 or numbers.stop == matches or first is None:
                last = gauge()
                rate = numbers.stop / (time.monotonic() - begin)
                print(f"{numbers.stop}: {last.text()}, {rate:.1f} matches/s", flush=True)
                if first is None or numbers.stop <= SHOWN_EVERY:
                    first = last
    return [] if first is None else grown(first, last)


def mutate(mutations: int) -> tuple[dict[FaultCode, int], list[str]]:
    """Damages so many conversations, and a tenth as many records; what came of it, what grew."""
    counts: dict[FaultCode, int] = {}
    first: Gauge | None = None
    last = gauge()
    for start in range(0, mutations, MUTATED_AT_ONCE):
        seeds = range(start, min(start + MUTATED_AT_ONCE, mutations))
        for code, number in fuzz.fuzz_conversations(seeds).items():
            counts[code] = counts.get(code, 0) + number
        fuzz.fuzz_records(seeds[::9])
        fuzz.fuzz_matches(seeds[::99])
        last = gauge()
        first = first or last
        print(f"{seeds.stop} mutations: {last.text()}", flush=True)
    return counts, [] if first is None else grown(first, last)


def reckon(comparisons: int, events: int) -> list[str]:
    """Simulates so many comparisons of equals, of each kind, and ratings of so many events."""
    found = []
    for kind, share in simulations.false_decisions(comparisons).items() if comparisons else ():
        print(f"{comparisons} comparisons, {kind}: {share:.1%} wrong", flush=True)
        if share > WRONG_MOST:
            found.append(f"wrong decisions, {kind}: {share:.1%}")
    if events:
        held = simulations.coverage(events)
        print(f"{events} events: {held:.1%} of the 95 % intervals hold the truth", flush=True)
        if not HELD_LEAST <= held <= HELD_MOST:
            found.append(f"intervals hold the truth in {held:.1%}")
        for lives in LIVES if events else ():
            held = simulations.new_bot_coverage(lives, events)
            print(f"{events} ladders: {held:.1%} of new bots after {lives} match parts", flush=True)
            if not HELD_LEAST <= held <= HELD_MOST:
                found.append(f"after {lives} match parts intervals hold the truth in {held:.1%}")
    return found


def look_whether_faults_pay(fields: int) -> list[str]:
    """Plays so many fields in which a bot faults for itself, and as many for its friend."""
    found = []
    for kind in (fault_effects.faulter, fault_effects.friend) if fields > 1 else ():
        for effect in kind(fields):
            print(effect.text(), flush=True)
            if fault_effects.pays(effect):
                found.append(f"a fault pays: {effect.text()}")
    return found


def main() -> int:
    """The script."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--mutations", type=int, default=100_000)
    parser.add_argument("--comparisons", type=int, default=2000)
    parser.add_argument("--events", type=int, default=500)
    parser.add_argument("--nulls", type=int, default=500)
    parser.add_argument("--fields", type=int, default=100)
    parser.add_argument("--sandbox", choices=("bare", "bwrap"), default="bwrap")
    wanted = parser.parse_args()
    begin = time.monotonic()
    trouble = trio.run(soak, wanted.matches, SandboxName(wanted.sandbox))
    played = time.monotonic() - begin
    counts, more = mutate(wanted.mutations)
    mutated = time.monotonic() - begin - played
    verdicts = ", ".join(f"{code} {number}" for code, number in sorted(counts.items()))
    print(f"{wanted.matches} matches: {wanted.matches / max(played, 1e-9):.1f} a second")
    print(f"{wanted.mutations} mutations in {mutated:.0f} s: {verdicts or 'none'}")
    wrong = reckon(wanted.comparisons, wanted.events) + look_whether_faults_pay(wanted.fields)
    if wanted.nulls and nulls.main(["all", str(wanted.nulls)]):
        wrong.append("equal bots are told apart: see the lines above")
    for line in (*(f"grew: {line}" for line in (*trouble, *more)), *wrong):
        print(line, file=sys.stderr)
    return int(bool(trouble or more or wrong))


if __name__ == "__main__":
    sys.exit(main())

"""What a sandbox costs: starting a bot, and each act, beside a bare one, in one run.

    python tests/bench_sandbox.py [ROUNDS] [MODE...]

L is the time of one round trip between two C programs on the core that the match is played on: the
mean line of an act one way, an answer back. All figures are medians over the rounds; the kinds of
match take turns, so that a busy moment hurts all alike.
"""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import mean, median

import trio

from protocol.messages import Answer
from referee.bots import find
from referee.config import MatchConfig, MatchPlan, make_plan
from referee.leg import Leg
from referee.match import play_match
from referee.pinning import one_core
from referee.recording import Recorder
from referee.sandbox import Sandbox
from referee.sandbox.opening import SandboxName, opened
from referee.settings import Settings
from referee.verdict import Freeze
from support.drive import AT_ONCE, heard

BOT = "sample:first-c"
DEALS = 200
STARTS = 25
PING = """
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static char line[65536], answer[] = "{\\"id\\":\\"0123456789abcdef\\",\\"action\\":\\"7D\\"}\\n";
static int until_newline(int from) {
    int got = 0;
    while (got == 0 || line[got - 1] != '\\n') {
        int more = read(from, line + got, sizeof line - got);
        if (more <= 0) exit(0);
        got += more;
    }
    return got;
}
int main(int argc, char **argv) {
    int rounds = atoi(argv[1]), size = atoi(argv[2]), to[2], back[2];
    if (pipe(to) || pipe(back)) return 1;
    if (fork() == 0) {
        close(to[1]);
        for (;;) {
            until_newline(to[0]);
            if (write(back[1], answer, sizeof answer - 1) < 0) return 1;
        }
    }
    static char question[65536];
    for (int at = 0; at < size - 1; at++) question[at] = 'x';
    question[size - 1] = '\\n';
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    for (int round = 0; round < rounds; round++) {
        if (write(to[1], question, size) < 0) return 1;
        until_newline(back[0]);
    }
    clock_gettime(CLOCK_MONOTONIC, &b);
    printf("%f\\n", ((b.tv_sec - a.tv_sec) * 1e9 + (b.tv_nsec - a.tv_nsec)) / rounds / 1000);
    return 0;
}
"""


def plan(freeze: Freeze = Freeze.AUTO) -> MatchPlan:
    """Deals of briscola for two, from a fixed key."""
    asked = MatchConfig(
        game="briscola-2", bots=2, deals=DEALS, key="bench", dealer=0, freeze=freeze
    )
    return make_plan(asked)


def mean_line() -> int:
    """How long the line of an act is, in bytes."""
    leg, sizes = Leg(plan().leg(0)), []
    leg.next_deal()
    for place in leg.to_start():
        heard(leg.greet(place), {"type": "ready", "protocol": 1, "name": "x"})
    leg.open_deal()
    while (ask := leg.ask()) is not None:
        sizes.append(len(ask.line.splitlines()[-1]) + 1)
        action = leg.deal.table.legal[0]
        heard(ask, {"id": ask.id, "action": action})
        leg.answered(Answer(ask.id, action), AT_ONCE)
    return round(mean(sizes))


async def cost_of_an_act(sandbox: Sandbox, freeze: Freeze, record: Path) -> float:
    """Microseconds an act, between two C bots."""
    spec = await sandbox.prepare(find(BOT, Settings()))
    recorder = Recorder(record)
    try:
        scope = trio.CancelScope()
        done = await play_match(plan(freeze), [spec, spec], sandbox, recorder, interrupt=scope)
    finally:
        recorder.close()
    assert done.totals.fault_counts == [0, 0]
    return done.wall_us / done.totals.acts


async def starts(sandbox: Sandbox, times: int) -> tuple[float, float]:
    """Milliseconds to a bot's first line, and for its whole life."""
    spec = await sandbox.prepare(find(BOT, Settings()))
    first, whole = [], []
    with one_core():
        for _ in range(times):
            begin = time.perf_counter()
            process = await sandbox.launch(spec)
            os.write(process.stdin, b'{"type":"hello"}\n')
            await trio.lowlevel.wait_readable(process.stdout)
            first.append(time.perf_counter() - begin)
            process.kill()
            trio.lowlevel.notify_closing(process.stdout)
            process.release()
            whole.append(time.perf_counter() - begin)
    return median(first) * 1000, median(whole) * 1000


def compiled(folder: Path) -> Path:
    """The program that measures L."""
    (folder / "ping.c").write_text(PING)
    program = folder / "ping"
    subprocess.run(["gcc", "-O2", "-o", program, folder / "ping.c"], check=True)
    return program


def round_trip(program: Path, size: int) -> float:
    """L, in microseconds."""
    with one_core():
        words = [str(program), "20000", str(size)]
        return float(subprocess.run(words, capture_output=True, check=True, text=True).stdout)


def kinds(modes: list[str]) -> Iterator[tuple[str, Freeze]]:
    """What is measured: each mode as it usually is, and with every bot frozen."""
    for mode in modes:
        yield mode, Freeze.AUTO
        yield mode, Freeze.ALWAYS


async def measure(rounds: int, modes: list[str], folder: Path) -> None:
    """Measures, and prints a table."""
    program, size = compiled(folder), mean_line()
    trips: list[float] = []
    acts: dict[tuple[str, Freeze], list[float]] = {kind: [] for kind in kinds(modes)}
    begins: dict[str, list[tuple[float, float]]] = {mode: [] for mode in modes}
    for number in range(rounds):
        trips.append(round_trip(program, size))
        for mode in modes:
            async with opened(SandboxName(mode)) as sandbox:
                for freeze in (Freeze.AUTO, Freeze.ALWAYS):
                    record = folder / f"{number}-{mode}-{freeze}"
                    cost = await cost_of_an_act(sandbox, freeze, record)
                    acts[mode, freeze].append(cost)
                times = STARTS if mode != "docker" else 3
                begins[mode].append(await starts(sandbox, times))
        print(f"round {number + 1} of {rounds}", file=sys.stderr)
    trip = median(trips)
    print(f"L = {trip:.2f} us (a line of {size} bytes)")
    base = median(acts[modes[0], Freeze.AUTO])
    for (mode, freeze), found in acts.items():
        cost = median(found)
        print(
            f"act    {mode:<6} freeze {freeze:<6} {cost:7.2f} us {cost / trip:6.2f} L"
            f"  {(cost - base) / trip:+6.2f} L"
        )
    for mode, pairs in begins.items():
        first, whole = median(pair[0] for pair in pairs), median(pair[1] for pair in pairs)
        print(f"start  {mode:<6} first line {first:7.2f} ms, whole life {whole:7.2f} ms")


if __name__ == "__main__":
    wanted = sys.argv[2:] or ["bare", "bwrap"]
    with tempfile.TemporaryDirectory() as scratch:
        trio.run(measure, int(sys.argv[1]) if sys.argv[1:] else 7, wanted, Path(scratch))

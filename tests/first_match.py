"""How long a bot that was accepted waits for the end of its first match.

    python -m tests.first_match [--bots N] [--every S] [--game ID ...]

Opens a ladder of six bots, has `referee serve` play it in bubblewrap, and hands in one bot after
the other, each of an author of its own. It takes root, and a machine with nothing else to do.
"""

import argparse
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median, quantiles

sys.path.insert(0, str(Path(__file__).parent))

from ladder.store.location import where_of
from ladder.store.store import Store
from support.sites import started  # it lies beside this file

SAMPLES = ("first", "random", "greedy")


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--bots", type=int, default=40)
    parser.add_argument("--every", type=float, default=10.0, help="seconds")
    parser.add_argument("--game", action="append")
    asked = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that its site ends, too
    with tempfile.TemporaryDirectory() as folder:
        ladder = str(Path(folder) / "ladder")
        games = [word for game in asked.game or ["briscola-2"] for word in ("--game", game)]
        _referee("ladder", "open", "--ladder", ladder, *games)
        for number in range(2 * len(SAMPLES)):
            _submit(ladder, number)
        site = started(ladder, "--sandbox", "bwrap")
        try:
            for number in range(2 * len(SAMPLES), 2 * len(SAMPLES) + asked.bots):
                time.sleep(asked.every)  # measured in real time: there is no clock to mock
                _submit(ladder, number)
            time.sleep(60)
        finally:
            site.process.terminate()
            site.process.wait()
        _print(sorted(_waits_s(ladder, asked.bots)), asked.bots)


def _print(waits_s: list[float], bots: int) -> None:
    print(f"{len(waits_s)} of {bots} bots have played")
    if len(waits_s) > 1:
        p95 = quantiles(waits_s, n=20, method="inclusive")[-1]
        print(f"median {median(waits_s):.1f} s, p95 {p95:.1f} s, most {waits_s[-1]:.1f} s")


def _waits_s(ladder: str, bots: int) -> Iterator[float]:
    """From the moment a bot is accepted until its first match counts, by the ladder's facts."""
    with Store(where_of(ladder)) as store:
        roster = store.refresh()
        for entrant in sorted(roster.entrants)[-bots:]:
            found = store.matches_of([entrant], 1_000_000)
            if found:
                first_ms = min(match.at_ms for _, match in found)
                yield (first_ms - roster.entrants[entrant].at_ms) / 1000


def _submit(ladder: str, number: int) -> None:
    sample = SAMPLES[number % len(SAMPLES)]
    words = ("--name", f"{sample}-{number}", "--author", f"author-{number}")
    _referee("submit", f"sample:{sample}", "--ladder", ladder, *words)


def _referee(*words: str) -> None:
    command = [sys.executable, "-m", "referee", *words]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)  # our own


if __name__ == "__main__":
    main()

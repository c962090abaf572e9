"""Whether a bot can take the processor from another, which is late then by no fault of its own.

    python -m tests.fair_shares SANDBOX [--deals 8] [--of-a-match 2] [--move-ms 200]
        [--no-children] [HOW...]

Bots that need 50 % and 90 % of their clock, and one that has children do 50 %, play against each
kind of attacker of `tests/hostile/steals.py`, in bwrap or docker, as the user who calls, so many
deals each; few deals a match, so that attackers begin anew, the kinds in turn. One of them is
honest: what goes wrong against it is the machine's noise. Prints how often each was at fault, and
how many deals were void. Exit code 1 if a victim was at fault more often than against the honest
one, and not by chance: by Fisher's exact test, with a risk of 1 % over all kinds. Bots of a match
share a core, so two of these run beside each other where there are two: `taskset -c 0 python ...`.
A round of all kinds takes 80 to 290 seconds at 100 ms a move, as a user in Docker longest, where
most of it are starts. Ctrl-C and SIGTERM print what there is.
"""

import argparse
import signal
import sys
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).parent))

import numpy as np
import trio
from hostile.steals import HOW
from msgspec import Struct
from scipy.stats import fisher_exact

from referee.bots.find import BotSpec, find
from referee.bots.settings import Settings
from referee.match.plan import make_plan
from referee.match.verdict import FAULTS_BEFORE_BENCH, Freeze
from referee.play.conductor import play_match
from referee.record.writer import NoRecord
from referee.sandbox import Sandbox
from referee.sandbox.choose import opened
from referee.sandbox.names import SandboxName
from support.terms import config_of

MOVE_MS: Final = 200
START_MS: Final = 700
NEEDS: Final = ((50, 0), (90, 0), (50, 4))
"""How many per cent of its clock a bot needs, and by how many children one after the other."""

HONEST: Final = "honest"
_OWN_START_MS: Final = 60
"""What Python and the sandbox need of the time before `ready`."""

_VICTIM: Final = Path(__file__).parent / "support" / "bots" / "thinks.py"
_ATTACKER: Final = Path(__file__).parent / "hostile" / "steals.py"
_DEALS: Final = 2
_RISK: Final = 0.01
"""How probable it is that equals are told apart, over all kinds."""


class Tally(Struct):
    """What came of some deals: faults by code of the victim and of the attacker, void deals.

    What was said of each fault of the attacker is kept for the test that did not expect it.
    """

    victim: Counter[str]
    attacker: Counter[str]
    charges: Counter[str]
    deals: int = 0
    voids: int = 0
    said: list[str] = []


class Meeting(Struct):
    """A victim that needs a share of its clock, and a kind of attacker."""

    how: str
    percent: int
    children: int
    bots: list[BotSpec]
    tally: Tally


def folder(top: Path, program: Path, *words: object) -> str:
    """A bot that is one of our programs with some words."""
    name = "-".join(map(str, (program.stem, *words)))
    found = top / name
    found.mkdir(exist_ok=True)
    (found / program.name).write_text(program.read_text())
    command = " ".join(map(str, ("python3", "-S", program.name, *words)))
    (found / "bot.toml").write_text(f'name = "{name}"\ncommand = "{command}"\n')
    return str(found)


async def meeting(
    sandbox: Sandbox,
    top: Path,
    how: str,
    need: tuple[int, int],
    move_ms: int = MOVE_MS,
) -> Meeting:
    """Prepare both bots."""
    percent, children = need
    start_ms = START_MS * percent // 100 - _OWN_START_MS if how == "before-ready" else 0
    typed = (
        folder(top, _VICTIM, percent, move_ms, start_ms, children),
        folder(top, _ATTACKER, how),
    )
    bots = [await sandbox.prepare(find(one, Settings())) for one in typed]
    return Meeting(how, percent, children, bots, Tally(Counter(), Counter(), Counter()))


async def play(
    sandbox: Sandbox,
    met: Meeting,
    *,
    move_ms: int = MOVE_MS,
    start_ms: int = START_MS,
    deals: int = _DEALS,
    freeze: Freeze = Freeze.AUTO,
) -> None:
    """Play a match, and add what came of it to the tally."""
    tally = met.tally
    start = f"{start_ms}ms" if met.how == "before-ready" else "5s"
    plan = make_plan(
        config_of(
            game="briscola-2",
            bots=2,
            deals=deals,
            key=f"{met.how} {tally.deals}",
            time=f"move={move_ms}ms,bank=0s,soft=0ms,start={start}",
            freeze=freeze,
            dealer=tally.deals // deals % 2,
        )
    )
    result = await play_match(plan, met.bots, sandbox, NoRecord(), interrupt=trio.CancelScope())
    for fault in result.totals.faults:
        (tally.attacker if fault.bot else tally.victim)[str(fault.code)] += 1
        if fault.bot:
            tally.said.append(f"{fault.code}: {fault.detail}")
        if "kept another bot from running" in fault.detail:
            tally.charges["victim" if fault.bot == 0 else "attacker"] += 1
    tally.deals += deals
    tally.voids += len(result.totals.voids)


class Asked(argparse.Namespace):
    """What was typed."""

    sandbox: str
    how: list[str]
    deals: int
    of_a_match: int
    move_ms: int
    no_children: bool


async def _play_all(sandbox: Sandbox, meetings: list[Meeting], asked: Asked) -> None:
    for number in range(0, asked.deals, asked.of_a_match):
        print(f"\r{number} of {asked.deals} deals each ", end="", file=sys.stderr, flush=True)
        for met in meetings:
            await play(sandbox, met, move_ms=asked.move_ms, deals=asked.of_a_match)


def _words(faults: Counter[str]) -> str:
    return ", ".join(f"{count} {code}" for code, count in sorted(faults.items())) or "-"


async def main(asked: Asked) -> int:
    """Play so many deals each, or until ctrl-C, and print a line for each kind and need."""
    needs = [
        (percent, children) for percent, children in NEEDS if not (children and asked.no_children)
    ]
    async with opened(SandboxName(asked.sandbox)) as sandbox:
        print(f"{sandbox.name}: {sandbox.how}; {asked.move_ms} ms a move", flush=True)
        with tempfile.TemporaryDirectory() as top:
            pairs = product(dict.fromkeys((HONEST, *(asked.how or HOW))), needs)
            meetings = [await meeting(sandbox, Path(top), *pair, asked.move_ms) for pair in pairs]
            try:
                await _play_all(sandbox, meetings, asked)
            except* KeyboardInterrupt:  # it may come from within a nursery
                pass
    for met in meetings:
        tally = met.tally
        print(
            f"{met.how:16} {met.percent} %{' in children' if met.children else '':12} "
            f"{tally.deals:4} deals  "
            f"victim: {_words(tally.victim):12} attacker: {_words(tally.attacker):20} "
            f"charged: {_words(tally.charges):12} void: {tally.voids}",
            flush=True,
        )
    noise = {(m.percent, m.children): m.tally for m in meetings if m.how == HONEST}
    kinds_tried = len(meetings) - len(noise)
    return int(
        any(_chance(m.tally, noise[m.percent, m.children]) * kinds_tried < _RISK for m in meetings)
    )


def _chance(beside: Tally, control: Tally) -> float:
    """Return how probable so many faults of a victim are, were it as often at fault elsewhere."""
    counts = ((one.victim.total(), one.deals - one.victim.total()) for one in (beside, control))
    return float(fisher_exact(np.array([*counts]), alternative="greater").pvalue)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background ignores it
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))  # trio hears that
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("sandbox", choices=("bwrap", "docker"))
    parser.add_argument("how", nargs="*", metavar="HOW", help="kinds of attackers; all if none")
    parser.add_argument("--deals", type=int, default=8, help="so many each (8)")
    parser.add_argument(
        "--of-a-match",
        type=int,
        default=_DEALS,
        choices=range(1, FAULTS_BEFORE_BENCH + 1),
        help=f"so many a match ({_DEALS}); after {FAULTS_BEFORE_BENCH} faults a bot is out",
    )
    parser.add_argument("--move-ms", type=int, default=MOVE_MS, help=f"the clock ({MOVE_MS})")
    parser.add_argument(
        "--no-children", action="store_true", help="without the bot that has children do its work"
    )
    typed = parser.parse_intermixed_args(namespace=Asked())
    if unknown := [kind for kind in typed.how if kind not in HOW]:  # it would be honest
        parser.error(f"no such kind: {unknown[0]} (there are {', '.join(HOW)})")
    sys.exit(trio.run(main, typed))

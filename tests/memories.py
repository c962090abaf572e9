"""How often bots that forget are named for second meetings of a deck, and how soon one that cheats.

    python -m tests.memories honest [N]     N fields of each kind and season, 2000 if it is not said
    python -m tests.memories cheats [N]     after how many blocks a cheat is named in 80 % of N

Somebody is named in 1 % of honest fields at most: exit code 1 where a share is above that by more
than chance explains (5 % for all shares together). A cheat knows its opponent's cards in second
meetings, which is worth so many card points a deal to it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from msgspec.structs import replace
from nulls import interval
from scipy.stats import binom

from ladder.stats.meetings import RISK
from support import memories
from support.memories import Memory, Season, found_in
from support.nulls import KINDS

GAINS = (20.0, 10.0, 5.0, 2.0)
POWER = 0.8


def honest(trials: int) -> bool:
    """Print a line for each season and kind; whether none is named too often."""
    fine, shares = True, len(memories.SEASONS) * len(KINDS)
    for season in memories.SEASONS:
        for kind in KINDS:
            named = sum(bool(memories.named(season, kind, at)) for at in range(trials))
            low, high = interval(named, trials)
            share = f"{100 * named / trials:.2f} % ({100 * low:.2f} to {100 * high:.2f})"
            print(f"{season:22} {kind:12} {share} of {trials} fields", flush=True)
            fine &= float(binom.sf(named - 1, trials, RISK)) > 0.05 / shares
    return fine


def power(season: Season, memory: Memory, trials: int) -> float:
    """In what share of seasons the bot that remembers is named."""
    found = (found_in(season, KINDS["plain"], at, memory).beyond[0] for at in range(trials))
    return sum(map(bool, found)) / trials


def needed(season: Season, memory: Memory, trials: int) -> int | None:
    """The parts of a table, or of a ladder, after which it is named often enough; None: too many.

    They are doubled until they are enough, then found to a sixteenth.
    """
    high = 4
    while power(replace(season, parts=high), memory, trials) < POWER:
        high *= 2
        if high * season.blocks > 200_000:
            return None
    low, step = high // 2, max(high // 32, 1)
    while high - low > step:
        middle = (low + high) // 2
        enough = power(replace(season, parts=middle), memory, trials) >= POWER
        low, high = (low, middle) if enough else (middle, high)
    return high


def cheats(trials: int) -> None:
    """Print a line for each kind of play and gain."""
    for name, event in (
        ("two bots", False),
        ("event", False),
        ("event", True),
        ("ladder", False),
    ):
        season = memories.SEASONS[name]
        for gain in GAINS:
            parts = needed(season, Memory(gain, event), trials)
            how = f"{name}, remembers {'the event' if event else 'the match'}"
            if parts is None:
                print(f"{how:32} +{gain:g}: not in 200,000 blocks", flush=True)
                continue
            each = parts * season.blocks
            own = 2 * each / season.bots if season.ladder else each * (season.bots - 1)
            what = "in all" if season.ladder else "a table"
            print(f"{how:32} +{gain:g}: {own:,.0f} blocks of its own, {each:,} {what}", flush=True)


def main(words: list[str]) -> int:
    """Simulate what was asked for."""
    asked, trials = (words[0] if words else ""), (words[1] if len(words) > 1 else "2000")
    if asked not in {"honest", "cheats"} or not trials.isdigit() or not int(trials):
        print("usage: python -m tests.memories honest|cheats [N]")
        return 2
    if asked == "cheats":
        cheats(int(trials))
        return 0
    return int(not honest(int(trials)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

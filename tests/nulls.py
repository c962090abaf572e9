"""How often bots that are equal are told apart: by `compare`, in events, on ladders.

    python -m tests.nulls KIND [N]

KIND is how equal bots behave, or `all`; N is how many trials of each statistic there are, 500 if
it is not said; what is exact has eight times as many, since its share of wrong answers is 5 %.
Exit code 1 if the upper end of the 95 % interval of any share is above 7 %.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from scipy.stats import beta

from support import nulls

MOST = 0.07
"""What the upper end of the 95 % interval of a share of wrong answers may be."""
EXACT = {"compare --until 100": 8, "compare --sprt": 8}
"""So many times as many trials have statistics that err in 5 % by design."""


def interval(wrong: int, trials: int) -> tuple[float, float]:
    """Return the 95 % interval of a share (Clopper and Pearson)."""
    low = float(beta.ppf(0.025, wrong, trials - wrong + 1)) if wrong else 0.0
    high = float(beta.ppf(0.975, wrong + 1, trials - wrong)) if wrong < trials else 1.0
    return low, high


def trial(kind: str, null: str, trials: int) -> bool:
    """Play one kind under one statistic and print a line; whether it is as it should be."""
    begun = time.monotonic()
    wrong = nulls.wrong(kind, null, trials)
    low, high = interval(wrong, trials)
    share = f"{100 * wrong / trials:5.1f} % ({100 * low:.1f} to {100 * high:.1f})"
    took = time.monotonic() - begun
    print(f"{kind:12} {null:20} {share} of {trials} wrong, {took:.0f} s", flush=True)
    return high <= MOST


def main(words: list[str]) -> int:
    """Play what was asked for."""
    kind, trials = (words[0] if words else ""), (words[1] if len(words) > 1 else "500")
    if kind not in {*nulls.KINDS, "all"} or not trials.isdigit() or not int(trials):
        print(f"usage: python -m tests.nulls KIND [N]; kinds: all, {', '.join(nulls.KINDS)}")
        return 2
    kinds = list(nulls.KINDS) if kind == "all" else [kind]
    found = [
        trial(each, null, int(trials) * EXACT.get(null, 1))
        for null in nulls.NULLS
        for each in kinds
    ]
    return int(not all(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

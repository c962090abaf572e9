"""Whether it pays to fault at tables of three and five, for a bot or for its friend.

    python -m tests.faults_pay KIND N

KIND is `faulter` (a bot below average that faults whenever it would lose, and its honest twin) or
`friend` (a sock puppet that faults whenever its friend is not winning). N is the number of fields
that are played twice, with the same cards and dice, with faults and without; each takes a second.
Prints means and the change with its 95 % interval.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from support import fault_effects  # it lies beside this file, however that is run


def main() -> int:
    """The script."""
    kinds = {"faulter": fault_effects.faulter, "friend": fault_effects.friend}
    if len(sys.argv) != 3 or sys.argv[1] not in kinds or not sys.argv[2].isdecimal():
        print(__doc__, file=sys.stderr)
        return 2
    for effect in kinds[sys.argv[1]](max(int(sys.argv[2]), 2)):
        print(effect.text(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

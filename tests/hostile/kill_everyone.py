# story: kills every process that it can reach
# row: escape: kill(-1)
# before: signals to its own 122 processes had a bot of another match late in 3 of 3
# after: signals reach one process at a time
# expect: plays
# not-bare: it would kill whatever its user runs
import os
import signal
from functools import partial

from hostile.honest import first_that_works, spy


def attack() -> str:
    everyone = {"kill(-1)": -1, "kill(0)": 0, "kill(-group)": -os.getpgrp()}
    return first_that_works(
        {name: partial(os.kill, number, signal.SIGKILL) for name, number in everyone.items()}
    )


spy(attack)

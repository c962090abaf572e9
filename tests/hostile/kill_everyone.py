# story: kills every process that it can reach
# row: escape: kill(-1)
# expect: plays
# not-bare: it would kill whatever its user runs
import os
import signal

from hostile.honest import spy


def attack() -> str:
    os.kill(-1, signal.SIGKILL)
    return ""


spy(attack)

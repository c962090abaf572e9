# story: kills and stops process 1, on which everything else hangs
# row: escape: kill(1)
# expect: plays
# not-bare: process 1 is the machine's
import os
import signal

from hostile.honest import spy


def attack() -> str:
    for number in (signal.SIGSTOP, signal.SIGKILL):
        os.kill(1, number)
    return ""


spy(attack)

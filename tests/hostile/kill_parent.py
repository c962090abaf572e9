# story: kills and stops its parent, which in bare mode is the referee
# row: escape: kill(getppid())
# expect: plays
# not-bare: it would kill the referee
import os
import signal

from hostile.honest import spy


def attack() -> str:
    parent = os.getppid()
    for number in (signal.SIGSTOP, signal.SIGKILL) if parent else ():
        os.kill(parent, number)
    return ""


spy(attack)

# story: moves to other processors than the one that it was given
# row: resources: sched_setaffinity
# expect: plays
# not-bare: bare forbids no system call
import os

from hostile.honest import spy


def attack() -> str:
    mine = os.sched_getaffinity(0)
    os.sched_setaffinity(0, range(1024))
    return "all processors" if os.sched_getaffinity(0) != mine else "a system call"


spy(attack)

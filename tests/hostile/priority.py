# story: makes itself more important than others
# row: resources: nice, SCHED_FIFO, ioprio
# expect: plays
# not-bare: bare runs with the rights of its user
import os

from hostile.honest import first_that_works, spy, write
from hostile.kernel import call

WHO_PROCESS, REAL_TIME_CLASS = 1, 1 << 13


def save_from_the_killer() -> None:
    descriptor = os.open("/proc/self/oom_score_adj", os.O_WRONLY)
    write(b"-1000", to=descriptor)


def attack() -> str:
    return first_that_works(
        {
            "nice -5": lambda: os.nice(-5),
            "nice -5 of all its user's": lambda: os.setpriority(os.PRIO_USER, os.getuid(), -5),
            "SCHED_FIFO": lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)),
            "SCHED_RR": lambda: os.sched_setscheduler(0, os.SCHED_RR, os.sched_param(1)),
            "ioprio": lambda: call("ioprio_set", WHO_PROCESS, 0, REAL_TIME_CLASS),
            "oom_score_adj": save_from_the_killer,
        }
    )


spy(attack)

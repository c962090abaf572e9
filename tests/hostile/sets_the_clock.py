# story: sets the clock of the machine, or one of its own, to win time
# row: escape: clock_settime
# expect: plays
# not-bare: bare runs with the rights of its user
import os
import time

from hostile.honest import first_that_works, spy, write
from hostile.kernel import buffer, call

NEW_TIME, SET_OFFSET = 0x80, 1


def shift_own_clock() -> None:
    write(b"monotonic 1000 0\n", to=os.open("/proc/self/timens_offsets", os.O_WRONLY))


def now() -> bytes:
    seconds, nanoseconds = divmod(time.time_ns(), 10**9)
    return seconds.to_bytes(8, "little") + nanoseconds.to_bytes(8, "little")


def attack() -> str:
    modes = SET_OFFSET.to_bytes(4, "little")
    return first_that_works(
        {
            "clock_settime": lambda: call("clock_settime", 0, buffer(16, now())),
            "settimeofday": lambda: call("settimeofday", buffer(16, now()[:8]), None),
            "clock_adjtime": lambda: call("clock_adjtime", 0, buffer(208, modes)),
            "a time namespace": lambda: call("unshare", NEW_TIME),
            "timens_offsets": shift_own_clock,
        }
    )


spy(attack)

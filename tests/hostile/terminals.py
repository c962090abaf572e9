# story: opens pseudo terminals, of which the whole machine has one number, until there are no more
# row: resources: machine-wide objects
# expect: plays
# time: move=2s
# not-bare: it would take the terminals of whoever works there
# before: as many of the pseudo terminals of the machine as it liked
# after: there is no device for them
import os
from contextlib import suppress

from hostile.honest import spy

MOST = 200


def attack() -> str:
    opened: list[int] = []
    with suppress(OSError):
        while len(opened) < MOST:
            opened.append(os.open("/dev/ptmx", os.O_RDWR | os.O_NOCTTY))
    for one in opened:
        os.close(one)
    return f"{len(opened)} terminals" if opened else ""


spy(attack)

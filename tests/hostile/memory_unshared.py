# story: many processes share memory, which takes long to count, and all write to it at once
# row: resources: memory that is shared no longer
# memory: 64
# expect: memory
# time: move=5s
# before: 3,106 MiB where 256 were allowed, without control groups: looks came seconds apart
# after: 655 MiB for some 0.3 s; looks come four times a second at least
# not-bare: bare bounds no memory
import mmap
import time

from hostile.honest import Act, child, play, rest

SIZE = 48 << 20
PROCESSES = 15
UNTIL_LOOKS_ARE_RARE_S = 1


def misdeed(_act: Act) -> None:
    memory = mmap.mmap(-1, SIZE, flags=mmap.MAP_PRIVATE)
    fill(memory, 1)
    for _ in range(PROCESSES):
        child(lambda: unshare(memory))
    rest()


def unshare(memory: mmap.mmap) -> None:
    time.sleep(UNTIL_LOOKS_ARE_RARE_S)
    fill(memory, 2)
    rest()


def fill(memory: mmap.mmap, value: int) -> None:
    for place in range(0, SIZE, mmap.PAGESIZE):
        memory[place] = value


play(misdeed, only_in_a_sandbox=True)

# story: as `waiters`, with a file open whose name is longer than the kernel tells of a descriptor
# row: resources: processor stolen by every means
# expect: memory
# memory: 512
# processes: 100
# time: move=2s,start=20s
# before: 400,000 waiters that nothing counted: the look at a process ended at that descriptor
# after: no name of a descriptor is asked for but that of what may be an epoll
# not-bare: bare counts no memory of the kernel
import os

from hostile.descriptors import open_deep, wait_often
from hostile.honest import Act, answer, child, play, rest, sandboxed

PROCESSES = 60
DEEP, LONG = 25, 200


def misdeed(act: Act) -> None:
    if sandboxed():
        open_deep(DEEP, LONG)
        source, _ = os.pipe()
        for _ in range(PROCESSES):
            child(lambda: wait_often(source))
        rest()
    answer(act)


play(misdeed)

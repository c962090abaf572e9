# story: takes memory as System V shared memory, which belongs to no process
# row: resources: memory through SysV shared memory
# expect: plays
# time: move=2s
# not-bare: bare bounds no memory
# before: 2 GiB without control groups, which outlive the bot
# after: the calls are refused
import ctypes
from contextlib import suppress

from hostile.honest import Act, answer, play
from hostile.kernel import call

PRIVATE, CREATE = 0, 0o1600
EACH_MB = 64


def misdeed(act: Act) -> None:
    with suppress(OSError):
        for _ in range(16):
            segment = call("shmget", PRIVATE, EACH_MB * 2**20, CREATE)
            ctypes.memset(call("shmat", segment, None, 0), 1, EACH_MB * 2**20)
    answer(act)


play(misdeed, only_in_a_sandbox=True)

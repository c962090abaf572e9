# story: takes memory as full pipes that nobody reads
# row: resources: memory through pipe buffers
# memory: 32
# expect: memory
# time: move=2s
# not-bare: bare bounds no memory
import fcntl
import os

from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    for _ in range(64):
        _, end = os.pipe2(os.O_NONBLOCK)
        try:
            fcntl.fcntl(end, fcntl.F_SETPIPE_SZ, 2**20)
            os.write(end, b"x" * 2**20)
        except OSError:
            break
    answer(act)


play(misdeed, only_in_a_sandbox=True)

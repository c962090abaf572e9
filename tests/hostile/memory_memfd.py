# story: takes memory as files without names
# row: resources: memory through memfd
# expect: memory
# time: move=2s
# not-bare: bare bounds no memory
import os

from hostile.honest import Act, answer, play, write

EACH_MB = 16


def misdeed(act: Act) -> None:
    for number in range(64):  # none of them larger than any file may be
        write(b"x" * EACH_MB * 2**20, to=os.memfd_create(f"large {number}"))
    answer(act)


play(misdeed, only_in_a_sandbox=True)

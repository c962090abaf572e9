# story: makes empty files in memory beside a child that has ended and is not waited for, under a
#   name that is no text and has a line of its own
# row: resources: memory through mappings without pages
# memory: 64
# expect: memory plays - where the number of files is bound, it plays
# time: move=8s
# before: 1.6 GiB where 256 MiB are allowed, without control groups; the name ended the referee
# after: files are asked of all processes until one answers; of a name nothing is read
# not-bare: bare bounds no memory
import ctypes
import os
from contextlib import suppress

from hostile.honest import TMP, Act, answer, child, play

FILES = 600_000
PR_SET_NAME = 15


def misdeed(act: Act) -> None:
    ctypes.CDLL(None).prctl(PR_SET_NAME, b"\xff\x0cVmSize: 1")
    child(lambda: None)
    with suppress(OSError):
        for number in range(FILES):
            os.close(os.open(f"{TMP}/{number}", os.O_CREAT | os.O_WRONLY))
    answer(act)


play(misdeed, only_in_a_sandbox=True)

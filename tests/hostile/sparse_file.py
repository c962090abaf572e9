# story: makes a file of a terabyte that takes no room, and asks for room for it
# row: resources: sparse file
# expect: plays
import os
import tempfile

from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    with tempfile.TemporaryFile() as file:
        for ask in (os.ftruncate, lambda where, size: os.posix_fallocate(where, 0, size)):
            try:
                ask(file.fileno(), 2**40)
            except OSError:
                continue
    answer(act)


play(misdeed)

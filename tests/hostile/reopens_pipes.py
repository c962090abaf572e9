# story: opens its pipes from the other side, to read what it wrote and ask itself questions
# row: escape: reopened pipes
# expect: plays
# not-bare: its user owns the pipes, and it harms nobody but itself
import os

from hostile.honest import first_that_works, spy


def attack() -> str:
    return first_that_works(
        {
            "stdout for reading": lambda: os.open("/proc/self/fd/1", os.O_RDONLY | os.O_NONBLOCK),
            "stdin for writing": lambda: os.open("/proc/self/fd/0", os.O_WRONLY | os.O_NONBLOCK),
            "stderr for reading": lambda: os.open("/proc/self/fd/2", os.O_RDONLY | os.O_NONBLOCK),
        }
    )


spy(attack)

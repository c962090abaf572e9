# story: could hold the locks of its pipes, so that whoever reads the other ends hangs with it
# row: escape: locks of pipes
# expect: plays
# not-bare: no filter keeps it from that there
# before: one call of sendfile held the referee for as long as the bot liked
# after: the call is refused
import os
import socket
from contextlib import suppress

from hostile.honest import first_that_works, spy


def hold(pipe: int) -> None:
    """Sends to a pipe what never comes; without O_NONBLOCK it would hold the lock meanwhile."""
    silent, other = socket.socketpair()
    silent.setblocking(False)
    with silent, other, suppress(BlockingIOError):
        os.sendfile(pipe, silent.fileno(), None, 1)


def attack() -> str:
    return first_that_works({"stdout": lambda: hold(1), "stderr": lambda: hold(2)})


spy(attack)

# story: takes memory as full sockets that nobody reads, in as many processes as it takes
# row: resources: memory through sockets
# memory: 64
# expect: memory
# time: move=5s
# not-bare: bare bounds no memory
# before: 1 GiB without control groups
# after: 24 to 137 MiB for a moment, then the bot's end
import os
import socket
from functools import partial

from hostile.honest import Act, child, play, rest

PROCESSES = 6


def misdeed(_act: Act) -> None:
    for _ in range(PROCESSES):
        ours, theirs = os.pipe()
        child(partial(fill, theirs))
        os.close(theirs)
        os.read(ours, 1)  # its end: they are full, or it is no more
        os.close(ours)
    rest()


def fill(news: int) -> None:
    kept = []
    try:
        while True:
            pair = socket.socketpair()
            kept.append(pair)
            for end in pair:
                end.setblocking(False)
                end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)
                try:
                    while end.send(b"x" * 65536):
                        pass
                except BlockingIOError:
                    pass
    except OSError:
        os.close(news)  # no descriptor is left
    rest()


play(misdeed, only_in_a_sandbox=True)

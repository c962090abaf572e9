# story: takes memory as full sockets that nobody reads
# row: resources: memory through pipe buffers
# memory: 32
# expect: plays memory
# time: move=2s
# not-bare: bare bounds no memory
import socket

from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    kept = []
    try:
        for _ in range(100):
            pair = socket.socketpair()
            kept.append(pair)
            pair[0].setblocking(False)
            pair[0].setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 2**20)
            while pair[0].send(b"x" * 65536):
                pass
    except OSError:
        kept.append(kept[-1])
    answer(act)


play(misdeed, only_in_a_sandbox=True)

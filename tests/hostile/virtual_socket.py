# story: opens a socket to the machine on which this machine runs
# row: escape: vsock
# expect: plays
# not-bare: bare cuts no network
import socket

from hostile.honest import spy


def attack() -> str:
    socket.socket(socket.AF_VSOCK, socket.SOCK_STREAM).close()
    return "vsock"


spy(attack)

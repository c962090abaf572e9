# story: opens sockets of families that few people know
# row: escape: netlink, packet, AF_ALG
# expect: plays
# not-bare: bare cuts no network
import socket

from hostile.honest import first_that_works, spy


def attack() -> str:
    datagram, raw = socket.SOCK_DGRAM, socket.SOCK_RAW
    return first_that_works(
        {
            "netlink": lambda: socket.socket(socket.AF_NETLINK, raw, 0),
            "packet": lambda: socket.socket(socket.AF_PACKET, raw, 0),
            "alg": lambda: socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET, 0),
            "can": lambda: socket.socket(socket.AF_CAN, raw, 1),
            "tipc": lambda: socket.socket(socket.AF_TIPC, datagram, 0),
            "bluetooth": lambda: socket.socket(31, raw, 1),
            "xdp": lambda: socket.socket(44, raw, 0),
        }
    )


spy(attack)

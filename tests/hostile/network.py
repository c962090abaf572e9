# story: opens connections to whoever listens on this machine and beyond
# row: escape: TCP, UDP, raw
# expect: plays
# not-bare: bare cuts no network
import socket

from hostile.honest import first_that_works, spy
from hostile.lures import PORT

LOCAL, FAR = ("127.0.0.1", PORT), ("192.0.2.1", 80)


def attack() -> str:
    tcp, udp, raw = socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW
    return first_that_works(
        {
            "TCP to this machine": lambda: socket.create_connection(LOCAL, 0.05),
            "TCP to the world": lambda: socket.create_connection(FAR, 0.05),
            "UDP to this machine": lambda: socket.socket(type=udp).sendto(b"x", LOCAL),
            "UDP to the world": lambda: socket.socket(type=udp).sendto(b"x", FAR),
            "a raw socket": lambda: socket.socket(type=raw, proto=socket.IPPROTO_ICMP),
            "ping": lambda: socket.socket(type=udp, proto=socket.IPPROTO_ICMP),
            "a TCP socket": lambda: socket.socket(type=tcp),
            "an IPv6 socket": lambda: socket.socket(socket.AF_INET6, tcp),
        }
    )


spy(attack)

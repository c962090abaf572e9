"""Has ended well while its daemon goes on writing, and changes what is being taken over."""

import os
import time

if os.fork() == 0:
    os.setsid()
    for descriptor in range(3):
        os.close(descriptor)
    file = os.open("x", os.O_RDWR | os.O_CREAT)
    os.unlink("x")
    until = time.monotonic() + 60
    while time.monotonic() < until:
        with open("grows", "ab") as grows:
            grows.write(b"\1" * (1 << 16))
            grows.truncate(1 << 20)

# story: takes memory in processes whose first thread has ended, of which /proc/PID tells nothing
# row: resources: memory of processes without a first thread
# memory: 64
# expect: memory
# time: move=5s
# before: 2,113 MiB where 256 were allowed, without control groups, and no fault
# after: ended within a second, as any other
# not-bare: bare bounds no memory
import ctypes
import os
import threading
import time

from hostile.honest import Act, child, play, rest

MIB = 1 << 20
PROCESSES, EACH = 6, 48


def misdeed(_act: Act) -> None:
    for _ in range(PROCESSES):
        child(headless)
    rest()


def headless() -> None:
    threading.Thread(target=eat).start()
    ctypes.CDLL(None).pthread_exit(None)


def eat() -> None:
    time.sleep(0.1)  # until the first thread has ended
    kept = [b"x" * MIB for _ in range(EACH)]
    rest()
    os._exit(len(kept) & 1)


play(misdeed, only_in_a_sandbox=True)

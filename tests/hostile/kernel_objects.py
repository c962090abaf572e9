# story: makes objects of the kernel that outlive it, or that the whole machine has a number of
# row: resources: machine-wide objects
# expect: plays
# not-bare: bare forbids no system call
# before: the machine's bound of aio was used up, keys outlived the bot
# after: the calls are refused
import fcntl
import mmap
import os

from hostile.honest import TMP, first_that_works, spy
from hostile.kernel import buffer, call

PRIVATE, CREATE = 0, 0o1600
HUGE = 0x40000
SET_PIPE_SIZE = 1031


def attack() -> str:
    ours, _ = os.pipe()
    mq_name = b"hostile"
    return first_that_works(
        {
            "shared memory": lambda: call("shmget", PRIVATE, 4096, CREATE),
            "semaphores": lambda: call("semget", PRIVATE, 250, CREATE),
            "messages": lambda: call("msgget", PRIVATE, CREATE),
            "a message queue": lambda: call("mq_open", mq_name, os.O_CREAT | os.O_RDWR, 0o600, 0),
            "asynchronous input": lambda: call("io_setup", 60000, buffer(8)),
            "attributes": lambda: os.setxattr(TMP, "user.hostile", bytes(4096)),
            "a larger pipe": lambda: fcntl.fcntl(ours, SET_PIPE_SIZE, 1 << 20),
            "huge pages": lambda: mmap.mmap(-1, 1 << 21, flags=HUGE | mmap.MAP_PRIVATE),
            "a queue of notices": lambda: call("inotify_init1", 0),
        }
    )


spy(attack)

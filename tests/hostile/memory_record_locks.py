# story: fills memory of the kernel with locks of records, which no control group counts
# row: resources: memory through locks of records
# expect: plays
# time: move=5s
# not-bare: bare bounds no memory
# before: 445 and 782 MiB of the kernel's memory, as root
# after: locks are answered as taken, and none is made
import fcntl
import os

from hostile.honest import TMP, child, spy

LOCKS = 5000


def attack() -> str:
    file = os.open(f"{TMP}/locks", os.O_RDWR | os.O_CREAT)
    for number in range(LOCKS):
        fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * number)  # two apart, else they are one
    seen = child(lambda: os._exit(can_see_them(file)))
    return f"{LOCKS} locks" if os.waitpid(seen, 0)[1] else ""


def can_see_them(file: int) -> bool:
    """Whether a lock is refused to another process, since this one has it."""
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 2 * (LOCKS - 1))
    except BlockingIOError:
        return True
    return False


spy(attack)

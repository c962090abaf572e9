# story: locks files that all bots can read, so that others see it
# row: escape: locks on shared files
# expect: plays
import fcntl
import os

from hostile.honest import spy

FILES = ("/usr/bin/env", "/usr/lib/os-release")


def attack() -> str:
    """The file that was locked such that another one who opens it notices."""
    for path in FILES:
        ours, theirs = os.open(path, os.O_RDONLY), os.open(path, os.O_RDONLY)
        fcntl.flock(ours, fcntl.LOCK_EX | fcntl.LOCK_NB)
        try:
            fcntl.flock(theirs, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return f"a lock on {path}"
    return ""


spy(attack)

# story: forks as often as its next life shall count, and looks where the kernel counts forks
# row: escape: counters of the machine
# expect: plays
# not-bare: bare shows all of /proc
# before: the count of forks in /proc/stat was exact between partners
# after: the file is a constant
import os
from contextlib import suppress

from hostile.honest import child, spy

COUNTERS = (
    *("stat", "loadavg", "meminfo", "vmstat", "interrupts", "softirqs", "schedstat", "diskstats"),
    *("zoneinfo", "buddyinfo", "uptime", "pressure/cpu", "sys/fs/inode-nr", "sys/fs/file-nr"),
)
FORKS = 30


def counted() -> dict[str, bytes]:
    found = {}
    for name in COUNTERS:
        with suppress(OSError), open(f"/proc/{name}", "rb") as file:
            found[name] = file.read()
    return found


def attack() -> str:
    before = counted()
    for _ in range(FORKS):
        pid = child(lambda: None)
        if pid:
            os.waitpid(pid, 0)
    after = counted()
    changed = [name for name, data in before.items() if after.get(name, data) != data]
    return f"counts in {' '.join(changed)}" if changed else ""


spy(attack)

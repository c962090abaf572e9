# story: reads what the kernel tells everybody about the machine
# row: escape: sight of the host in /proc
# expect: plays
from contextlib import suppress

from hostile.honest import Act, answer, play, write

TOLD = ("self/mountinfo", "loadavg", "stat", "uptime", "sys/kernel/random/boot_id", "version")


def misdeed(act: Act) -> None:
    for name in TOLD:
        with suppress(OSError), open(f"/proc/{name}", "rb") as file:
            write(file.read(4096), to=2)
    answer(act)


play(misdeed)

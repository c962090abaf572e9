# story: becomes root through programs that may do so
# row: escape: setuid binaries
# expect: plays
# not-bare: bare runs with the rights of its user
import os
import subprocess
import time

from hostile.honest import first_that_works, spy

PROGRAMS = ("su", "passwd", "mount", "newgrp", "chsh", "gpasswd", "sudo", "pkexec")


def users_of(program: str) -> list[str]:
    """The effective and the saved user of a program shortly after its start."""
    started = subprocess.Popen(
        [program], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(0.005)
        with open(f"/proc/{started.pid}/status") as file:
            lines = [line.split() for line in file]
        return next(words[2:4] for words in lines if words[0] == "Uid:")
    finally:
        started.kill()
        started.wait()


def attack() -> str:
    with open("/proc/self/status") as file:
        if "NoNewPrivs:\t1\n" not in file:
            return "new privileges"
    for folder in ("/usr/bin", "/usr/sbin"):
        for program in PROGRAMS:
            try:
                if set(users_of(f"{folder}/{program}")) != {str(os.getuid())}:
                    return program
            except OSError:
                continue
    return first_that_works(
        {
            "setuid": lambda: os.setuid(0),
            "setgid": lambda: os.setgid(0),
            "setgroups": lambda: os.setgroups([0]),
        }
    )


spy(attack)

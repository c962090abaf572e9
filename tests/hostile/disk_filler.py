# story: looks for any place on a real disk where it can write a lot
# row: resources: disk filler
# expect: plays
# not-bare: bare lets a bot write where its user may
import os

from hostile.honest import TMP, spy

MOST_MB = 64
PLACES = (".", "/", "/bot", "/dev", "/etc", "/home", "/opt", "/proc", "/root", "/run", "/srv")
MORE = ("/sys", "/usr", "/usr/lib", "/usr/local", "/var", "/var/log", "/var/tmp", TMP)  # noqa: S108


def attack() -> str:
    taken = 0
    for place in (*PLACES, *MORE):
        try:
            with open(os.path.join(place, "filler"), "wb", buffering=0) as file:
                while taken < MOST_MB:
                    file.write(b"x" * 2**20)
                    taken += 1
        except OSError:
            continue
    return f"{taken} MB on disks" if taken == MOST_MB else ""


spy(attack)

# story: fills /dev/shm to the last byte, and plays on
# row: resources: memory through /dev/shm
# expect: plays
# not-bare: bare has no /dev/shm of its own
from hostile.honest import spy

MOST_MB = 64


def attack() -> str:
    with open("/dev/shm/large", "wb", buffering=0) as file:  # noqa: S108  # that is the point
        for _ in range(MOST_MB):
            file.write(b"x" * 2**20)
    return "64 MB in /dev/shm"


spy(attack)

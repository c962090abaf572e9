# story: fills /tmp to the last byte, and plays on
# row: resources: memory through tmpfs
# expect: plays
# not-bare: bare has no /tmp of its own
from hostile.honest import TMP, spy

MOST_MB = 64


def attack() -> str:
    with open(f"{TMP}/large", "wb", buffering=0) as file:
        for _ in range(MOST_MB):
            file.write(b"x" * 2**20)
    return "64 MB in /tmp"


spy(attack)

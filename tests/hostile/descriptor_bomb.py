# story: opens files until nothing more is granted, and plays on
# row: resources: descriptor bomb
# expect: plays
import os

from hostile.honest import spy

MANY = 5000


def attack() -> str:
    for _ in range(MANY):
        os.open("/dev/null", os.O_RDONLY)
    return "5000 descriptors"


spy(attack, only_in_a_sandbox=False)

# story: forks until nothing more is granted, keeps all its children, and plays on
# row: resources: fork bomb
# expect: plays
# not-bare: bare bounds no number of processes
from hostile.honest import child, rest, spy

MANY = 500


def attack() -> str:
    started = 0
    while started < MANY and child(rest):
        started += 1
    return "500 processes" if started == MANY else ""


spy(attack)

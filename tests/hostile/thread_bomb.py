# story: starts threads until nothing more is granted, and plays on
# row: resources: thread bomb
# expect: plays
# not-bare: bare bounds no number of threads
import threading

from hostile.honest import rest, spy

MANY = 500


def attack() -> str:
    threading.stack_size(65536)
    try:
        for _ in range(MANY):
            threading.Thread(target=rest, daemon=True).start()
    except RuntimeError:
        return ""
    return "500 threads"


spy(attack)

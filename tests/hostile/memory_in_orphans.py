# story: has orphans take the memory, in sessions of their own
# row: resources: memory bomb in children
# expect: memory
# time: move=4s
# not-bare: bare bounds no memory
import os
import time

from hostile.honest import Act, answer, child, play, rest

EACH_MB = 100
held: list[bytes] = []


def orphan() -> None:
    os.setsid()
    child(take)


def take() -> None:
    held.append(b"x" * EACH_MB * 2**20)
    rest()


def misdeed(act: Act) -> None:
    for _ in range(4):
        os.waitpid(child(orphan), 0)
    time.sleep(1.5)
    answer(act)


play(misdeed, only_in_a_sandbox=True)

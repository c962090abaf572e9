# story: has four children take the memory, and plays on when they are killed for it
# row: resources: memory bomb in children
# expect: memory
# time: move=2s
# not-bare: bare bounds no memory
import os

from hostile.honest import Act, answer, child, play, rest

EACH_MB = 100
held: list[bytes] = []


def take() -> None:
    held.append(b"x" * EACH_MB * 2**20)
    rest()


def misdeed(act: Act) -> None:
    children = [child(take) for _ in range(4)]
    os.waitpid(-1, 0)
    answer(act, note=f"{len(children)} children")


play(misdeed, only_in_a_sandbox=True)

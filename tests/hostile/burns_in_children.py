# story: its children burn the processor while the opponent thinks, out of reach of a stop signal
# row: resources: processor stolen by setsid children
# expect: plays
import os

from hostile.honest import child, play, ready


def burn() -> None:
    os.setsid()
    while True:
        pass


def hello() -> None:
    ready()
    for _ in range(3):
        child(burn)


play(hello=hello)

# story: plays well and leaves daemons that would outlive the match, and the referee
# row: escape: survivors of the referee
# expect: plays
import os

from hostile.honest import Act, answer, child, play, rest


def daemon() -> None:
    os.setsid()
    os.closerange(0, 64)
    for _ in range(5):
        child(rest)


def misdeed(act: Act) -> None:
    os.waitpid(child(daemon), 0)
    answer(act)


play(misdeed)

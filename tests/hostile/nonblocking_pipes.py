# story: sets O_NONBLOCK on all that it has inherited
# row: escape: O_NONBLOCK on inherited stderr
# expect: plays
import os

from hostile.honest import Act, answer, play, write


def misdeed(act: Act) -> None:
    for descriptor in (1, 2):
        os.set_blocking(descriptor, False)
    write(b"still here\n", to=2)
    answer(act)


play(misdeed)

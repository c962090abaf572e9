# story: closes standard input and still answers the question that it has read
# row: protocol: closes stdin
# expect: late
# hint: answer in time
import os

from hostile.honest import Act, answer, play, rest


def misdeed(act: Act) -> None:
    os.close(0)
    answer(act)
    rest()


play(misdeed)

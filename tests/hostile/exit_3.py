# story: answers, and leaves the game with exit status 3
# row: protocol: exit 3
# expect: crashed
# hint: must live until `end`
import sys

from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act)
    sys.exit(3)


play(misdeed)

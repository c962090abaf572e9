# story: leaves the game with exit status 0
# row: protocol: exit 0
# expect: crashed
# hint: must live until `end`
import sys

from hostile.honest import Act, play


def misdeed(_: Act) -> None:
    sys.exit(0)


play(misdeed)

# story: dies with half of an answer written
# row: protocol: exit 3
# expect: crashed
# hint: must live until `end`
import os

from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write(text_of(act).encode()[:-1])
    os._exit(3)


play(misdeed)

# story: answers in UTF-32
# row: protocol: UTF-16 and UTF-32
# expect: malformed
# hint: stdout is for answers only
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write((text_of(act) + "\n").encode("utf-32-le"))


play(misdeed)

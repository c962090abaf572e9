# story: answers in UTF-16
# row: protocol: UTF-16 and UTF-32
# expect: malformed
# hint: UTF-8
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write((text_of(act) + "\n").encode("utf-16"))


play(misdeed)

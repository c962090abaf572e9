# story: puts a byte order mark before its answer
# row: protocol: byte order mark
# expect: malformed
# hint: byte order mark
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write((text_of(act) + "\n").encode("utf-8-sig"))


play(misdeed)

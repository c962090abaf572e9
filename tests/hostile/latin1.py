# story: writes its notes in Latin-1, as an old locale would
# row: protocol: invalid UTF-8
# expect: malformed
# hint: UTF-8
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write((text_of(act)[:-1] + ',"note":"perché no"}\n').encode("latin-1"))


play(misdeed)

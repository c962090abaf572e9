# story: writes a note that is one byte too long, though not one character
# row: protocol: note too long
# expect: malformed
# hint: note longer than 512 bytes
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, note="é" + "x" * 511)


play(misdeed)

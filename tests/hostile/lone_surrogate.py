# story: has half of a surrogate pair in a note, which no file can hold
# row: protocol: lone surrogate
# expect: malformed
# hint: surrogate
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, note="\ud800")


play(misdeed)

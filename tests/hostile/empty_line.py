# story: puts an empty line before its answer
# row: protocol: empty line
# expect: malformed
# hint: an empty line
from hostile.honest import Act, answer, play, say


def misdeed(act: Act) -> None:
    say("")
    answer(act)


play(misdeed)

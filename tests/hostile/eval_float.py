# story: evaluates the position at three quarters
# row: protocol: wrong type of a field
# expect: malformed
# hint: eval
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, eval=0.75)


play(misdeed)

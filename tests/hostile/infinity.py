# story: evaluates the position at minus infinity
# row: protocol: Infinity
# expect: malformed
# hint: Infinity is not JSON
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, eval=float("-inf"))


play(misdeed)

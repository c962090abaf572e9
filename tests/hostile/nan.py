# story: evaluates the position at NaN
# row: protocol: NaN
# expect: malformed
# hint: NaN is not JSON
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, eval=float("nan"))


play(misdeed)

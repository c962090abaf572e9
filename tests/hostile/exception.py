# story: divides by zero
# row: protocol: exception mid game
# expect: crashed
# hint: ZeroDivisionError
from hostile.honest import Act, play


def misdeed(act: Act) -> None:
    print(len(act["legal"]) // 0)


play(misdeed)

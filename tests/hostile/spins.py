# story: thinks for ever
# row: protocol: answer after the timeout
# expect: late
# hint: it was still at work
from hostile.honest import Act, play


def misdeed(_: Act) -> None:
    while True:
        pass


play(misdeed)

# story: has read the question, and sleeps
# row: protocol: answer after the timeout
# expect: late
# hint: answer in time
from hostile.honest import Act, play, rest


def misdeed(_: Act) -> None:
    rest()


play(misdeed)

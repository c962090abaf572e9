# story: evaluates the position at a number of 5000 digits
# row: protocol: huge integers
# expect: malformed
# hint: an integer beyond 2^53
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say(text_of(act)[:-1] + ',"eval":' + "9" * 5000 + "}")


play(misdeed)

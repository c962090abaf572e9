# story: evaluates the position at 1e400, which is JSON and yet no number of anybody's
# row: protocol: 1e400
# expect: malformed
# hint: beyond 2^53
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say(text_of(act)[:-1] + ',"confidence":1e400}')


play(misdeed)

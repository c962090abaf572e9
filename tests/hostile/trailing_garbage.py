# story: ends its answer with a semicolon
# row: protocol: trailing garbage
# expect: malformed
# hint: one JSON object a line
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say(text_of(act) + ";")


play(misdeed)

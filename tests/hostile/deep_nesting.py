# story: answers with five thousand brackets inside each other
# row: protocol: deep nesting
# expect: malformed
# hint: nested deeper than 8
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say(text_of(act)[:-1] + ',"x":' + "[" * 5000 + "]" * 5000 + "}")


play(misdeed)

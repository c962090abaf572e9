# story: writes two answers on one line
# row: protocol: two objects on a line
# expect: malformed
# hint: one JSON object a line
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say(text_of(act) + " " + text_of(act))


play(misdeed)

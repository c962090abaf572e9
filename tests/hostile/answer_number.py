# story: answers with a number
# row: protocol: array, number, string, null
# expect: malformed
# hint: not a JSON object
from hostile.honest import Act, play, say


def misdeed(_: Act) -> None:
    say("7")


play(misdeed)

# story: names two actions in one answer, a bad one and then a good one
# row: protocol: duplicate keys
# expect: malformed
# hint: stands twice
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say('{"action":"XX",' + text_of(act)[1:])


play(misdeed)

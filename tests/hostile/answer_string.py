# story: answers with the card alone, as a string
# row: protocol: array, number, string, null
# expect: malformed
# hint: not a JSON object
import json

from hostile.honest import Act, play, say


def misdeed(act: Act) -> None:
    say(json.dumps(act["legal"][0]))


play(misdeed)

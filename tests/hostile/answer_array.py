# story: answers with an array
# row: protocol: array, number, string, null
# expect: malformed
# hint: not a JSON object
import json

from hostile.honest import Act, play, say


def misdeed(act: Act) -> None:
    say(json.dumps([act["id"], act["legal"][0]]))


play(misdeed)

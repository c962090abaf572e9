# story: leaves the id out of its answer
# row: protocol: wrong id
# expect: malformed
# hint: copy the `id`
import json

from hostile.honest import Act, play, say


def misdeed(act: Act) -> None:
    say(json.dumps({"action": act["legal"][0]}))


play(misdeed)

# story: becomes a program that says everything back, with the right id in it
# row: protocol: a line nobody asked for
# expect: malformed
# hint: action
import json
import os

from hostile.honest import Act, play, say


def misdeed(act: Act) -> None:
    say(json.dumps({"type": "act", "id": act["id"], "legal": act["legal"]}))
    os.execvp("cat", ["cat"])


play(misdeed)

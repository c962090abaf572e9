# story: has characters in its notes that other programs take for ends of lines
# row: protocol: U+2028, vertical tab and next line in a string
# expect: plays
import json

from hostile.honest import Act, play, say

ODD = "a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\nh\r"


def misdeed(act: Act) -> None:
    fields = {"id": act["id"], "action": act["legal"][0], "note": ODD}
    say(json.dumps(fields, ensure_ascii=False))


play(misdeed, at=0)

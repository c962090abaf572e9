"""A bot that answers each act as chance has it, the same for the same act; seldom with a fault.

`fickle.py ODD [ID]`: how seldom; the act that it answers otherwise than it would.
"""

import json
import os
import sys
from random import Random

odd = float(sys.argv[1])
turned = sys.argv[2] if len(sys.argv) > 2 else ""


def say(*pieces: str) -> None:
    for piece in pieces:
        os.write(1, piece.encode())


for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        say('{"type":"ready","protocol":1,"name":"fickle"}\n')
    if message["type"] != "act":
        continue
    dice = Random(message["id"])
    answer = {"id": message["id"], "action": dice.choice(message["legal"])}
    if message["id"] == turned:
        answer["action"] = next(one for one in message["legal"] if one != answer["action"])
    usual = dice.random() >= odd
    match 0 if usual else dice.randrange(12):
        case 0:
            say(json.dumps(answer, separators=(",", ":")) + "\n")
        case 1:
            say(json.dumps(answer) + "\n")
        case 2:
            say(json.dumps({**answer, "note": "perhaps", "eval": -3}) + "\n")
        case 3:
            say(json.dumps({**answer, "mood": "è"}, ensure_ascii=False) + "\n")
        case 4:
            say(*(f"{json.dumps(answer)}\n".partition(",")))
        case 5:
            say(json.dumps({"action": answer["action"], "id": answer["id"]}) + "\r\n")
        case 6:
            say(json.dumps({**answer, "action": "9X"}) + "\n")
        case 7:
            say(json.dumps({**answer, "id": answer["id"][::-1]}) + "\n")
        case 8:
            say(json.dumps(answer)[:-1] + "\n")
        case 9:
            say(json.dumps({**answer, "note": "x" * 600}) + "\n")
        case 10:
            sys.stderr.write("enough\n")
            sys.exit(3)
        case _:
            say(" " * 20_000)

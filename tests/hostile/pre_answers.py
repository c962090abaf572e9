# story: answers questions that nobody has asked yet, with guessed ids
# row: protocol: guessing ahead
# expect: protocol
# hint: answer each `act` once
import json

from hostile.honest import Act, answer, play, say


def misdeed(act: Act) -> None:
    answer(act)
    for guess in range(50):
        say(json.dumps({"id": f"{int(act['id'], 16) + guess & (2**64 - 1):016x}", "action": "AH"}))


play(misdeed)

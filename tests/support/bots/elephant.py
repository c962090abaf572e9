"""Plays the first legal action, remembers every deal, and says in `note` when it knows one.

A deal is known when its turn-up is, and all of the cards that come to this seat are cards that
the other seat once played under it.
"""

import json
import sys

known: list[tuple[str, set[str]]] = []
own: set[str] = set()

for line in sys.stdin:
    message = json.loads(line)
    kind = message["type"]
    if kind == "hello":
        print('{"type":"ready","protocol":1,"name":"elephant"}', flush=True)
    elif kind == "act":
        view = message["view"]
        others = {card for trick in view["tricks"] for card in trick}
        if not view["tricks"]:
            own = set()
        own |= set(message["legal"])
        seen = [cards for up, cards in known if up == view["turn_up"] and own <= cards]
        answer = {"id": message["id"], "action": message["legal"][0]}
        if seen and len(own) >= 8:
            answer["note"] = "I know this deal"
        print(json.dumps(answer), flush=True)
        if len(view["tricks"]) == 19:
            known.append((view["turn_up"], others - own | set(view["trick"])))
    elif kind == "end":
        break

"""Bots as beginners write them: each has one of the usual mistakes, or none."""

import json
import os
import sys
import threading
import time

mistake = sys.argv[1]
buffered = os.fdopen(os.dup(1), "w", buffering=8192)  # as most languages have it


def say(message: object) -> None:
    text = message if isinstance(message, str) else json.dumps(message)
    if mistake == "no_flush":
        buffered.write(text + "\n")
    else:
        os.write(2 if mistake == "writes_nothing" else 1, text.encode() + b"\n")


was_quick = True
if mistake == "slow_start":
    time.sleep(1.2)
lines = iter(sys.stdin.readlines()) if mistake == "reads_all" else iter(sys.stdin.readline, "")
for line in lines:
    message = json.loads(line)
    kind = message["type"]
    if mistake == "strict" and (
        kind not in ("hello", "deal", "act", "deal_end", "end") or "x_grease" in line
    ):
        raise SystemExit("unknown field")
    if kind == "hello":
        if mistake == "prints":
            say("starting up")
        if mistake == "version_field":
            say({"type": "ready", "protocol": "1", "name": "x"})
        say({"type": "ready", "protocol": 1, "name": "pupil"})
    elif mistake == f"answers_{kind}":
        say({"ok": True})
    elif kind == "deal_end" and mistake == "answers_later":  # by a thread; the first one reads on
        threading.Timer(0.02, say, [{"ok": True}]).start()
    elif kind == "act":
        action = message["legal"][0]
        answer = {"id": message["id"], "action": action}
        if mistake == "no_id":
            del answer["id"]
        if mistake == "counts_ids":
            answer["id"] = "1"
        if mistake == "python_dict":
            say(str(answer))
            continue
        if mistake == "lower_case":
            answer["action"] = action.lower()
        if mistake == "bids_61" and message["view"]["phase"] == "auction":
            answer["action"] = "bid 61"
        if mistake == "calls_nothing" and message["view"]["phase"] == "call":
            answer["action"] = "call"
        if mistake == "reads_the_disk":
            time.sleep(0.06 * was_quick)  # nothing runs then, as when a page is not in memory
            was_quick = False
        if mistake == "own_fields":
            answer["confidence"] = 3
        if mistake == "divides_by_zero":
            print(1 // 0)
        say(answer)
    elif kind == "end":
        if mistake == "ignores_end":
            time.sleep(60)
        if mistake == "leaves_at_eof":
            continue
        if mistake == "exit_status":
            sys.exit(4)
        break

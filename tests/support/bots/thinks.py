"""A bot that needs a share of its clock: `thinks.py PERCENT OF_MS START_MS CHILDREN`.

It uses so much processor time, not more and not less: before `ready` START_MS, and at every
fourth act PERCENT of OF_MS; by itself, or by so many children, one after the other.
"""

import json
import os
import sys
import time


def work(seconds: float) -> None:
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass


def think(seconds: float, children: int) -> None:
    if not children:
        work(seconds)
    for _ in range(children):
        pid = os.fork()
        if pid == 0:
            work(seconds / children)
            os._exit(0)
        os.waitpid(pid, 0)


def play(percent: int, of_ms: int, start_ms: int, children: int) -> None:
    acts = 0
    for line in sys.stdin:
        message = json.loads(line)
        if message["type"] == "hello":
            work(start_ms / 1000)
            os.write(1, b'{"type":"ready","protocol":1,"name":"thinks"}\n')
        elif message["type"] == "act":
            acts += 1
            if acts % 4 == 1:
                think(of_ms * percent / 100_000, children)
            answer = {"id": message["id"], "action": message["legal"][0]}
            os.write(1, json.dumps(answer).encode() + b"\n")
        elif message["type"] == "end":
            break


if __name__ == "__main__":
    play(*map(int, sys.argv[1:]))

"""A bot that answers each act as chance has it, the same for the same act; seldom with a fault.

`fickle.py ODD [ID]`: how seldom; the act that it answers otherwise than it would.

Tests start it by the hundred, so it takes its messages apart by itself: to import `json` and
`random` takes longer than Python needs to start.
"""

import os
import sys

odd = float(sys.argv[1])
turned = sys.argv[2] if len(sys.argv) > 2 else ""


def say(*pieces: str) -> None:
    for piece in pieces:
        os.write(1, piece.encode())


def field(line: str, name: str, end: str) -> str:
    """What stands between the first field of the name and the next `end`."""
    return line.partition(f'"{name}":')[2][1:].partition(end)[0]


for line in sys.stdin:
    if line.startswith('{"type":"hello"'):
        say('{"type":"ready","protocol":1,"name":"fickle"}\n')
    if not line.startswith('{"type":"act"'):
        continue
    id_, legal = field(line, "id", '"'), field(line, "legal", "]").replace('"', "").split(",")
    dice = int(id_, 16)  # ids are drawn at random
    action = legal[dice % len(legal)]
    if id_ == turned:
        action = next(one for one in legal if one != action)
    answer = f'{{"id":"{id_}","action":"{action}"'
    usual = (dice >> 16) % 1000 >= odd * 1000
    match 0 if usual else (dice >> 32) % 12:
        case 0:
            say(answer + "}\n")
        case 1:
            say(answer.replace(":", ": ").replace(",", ", ") + "}\n")
        case 2:
            say(answer + ',"note":"perhaps","eval":-3}\n')
        case 3:
            say(answer + ',"mood":"è"}\n')
        case 4:
            say(*(answer + "}\n").partition(","))
        case 5:
            say(f'{{"action":"{action}","id":"{id_}"}}\r\n')
        case 6:
            say(f'{{"id":"{id_}","action":"9X"}}\n')
        case 7:
            say(f'{{"id":"{id_[::-1]}","action":"{action}"}}\n')
        case 8:
            say(answer + "\n")
        case 9:
            say(f'{answer},"note":"{"x" * 600}"}}\n')
        case 10:
            sys.stderr.write("enough\n")
            sys.exit(3)
        case _:
            say(" " * 20_000)

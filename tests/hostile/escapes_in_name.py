# story: has a name, and writes notes and logs, full of terminal escapes and markup
# row: protocol: ANSI escapes
# expect: plays
import json

from hostile.honest import Act, answer, play, say, write

LOUD = "\x1b[31m\x1b]8;;http://evil.example\x07\x1b[2J[bold]\u202e\x9b"


def hello() -> None:
    say(json.dumps({"type": "ready", "protocol": 1, "name": LOUD, "version": LOUD[:20]}))


def misdeed(act: Act) -> None:
    write((LOUD + "\x1b[?1049h\x1bc\n").encode(), to=2)
    answer(act, note=LOUD)


play(misdeed, hello=hello, at=0)

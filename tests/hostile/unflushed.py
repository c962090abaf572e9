# story: believes that it has answered, but the answer lies in a buffer
# row: protocol: stdout not flushed
# expect: startup
# time: start=1s
# hint: flush stdout after every line
import os

from hostile.honest import Act, play, text_of

buffered = os.fdopen(os.dup(1), "w", buffering=2**13)


def misdeed(act: Act) -> None:
    buffered.write(text_of(act) + "\n")


play(misdeed, at=0, hello=lambda: buffered.write('{"type":"ready","protocol":1,"name":"b"}\n'))

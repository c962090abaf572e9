# story: flushes its first answers, then forgets to
# row: protocol: stdout not flushed
# expect: late
# hint: did you flush
import os

from hostile.honest import Act, play, text_of

buffered = os.fdopen(os.dup(1), "w", buffering=2**13)


def misdeed(act: Act) -> None:
    buffered.write(text_of(act) + "\n")


play(misdeed)

# story: stops itself, which looks like an end to those who wait carelessly
# row: protocol: SIGSTOP to itself
# expect: late
# hint: answer in time
import os
import signal

from hostile.honest import Act, end_this_later, play


def misdeed(_: Act) -> None:
    end_this_later()
    os.kill(os.getpid(), signal.SIGSTOP)


play(misdeed)

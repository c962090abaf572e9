# story: asks to be traced by its parent, and stops at the next signal
# row: protocol: PTRACE_TRACEME
# expect: late
# expect-bwrap: plays - the system call is refused
# expect-docker: plays - the system call is refused
import os
import signal

from hostile.honest import Act, answer, end_this_later, play
from hostile.kernel import call


def misdeed(act: Act) -> None:
    try:
        call("ptrace", 0, 0, 0, 0)
    except OSError:
        answer(act)
        return
    end_this_later()
    os.kill(os.getpid(), signal.SIGTRAP)


play(misdeed)

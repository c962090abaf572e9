# story: leaves a daemon that goes on to answer in its place, and dies
# row: escape: daemon that holds the pipe
# expect: crashed
# hint: must live until `end`
import os
import time

from hostile.honest import Act, answer, child, play


def misdeed(act: Act) -> None:
    def daemon() -> None:
        os.setsid()
        child(later)

    def later() -> None:
        time.sleep(0.1)
        answer(act)

    os.waitpid(child(daemon), 0)
    os._exit(0)


play(misdeed)

# story: leaves a daemon that holds all its pipes, and dies
# row: escape: daemon that holds the pipe
# expect: crashed
# hint: must live until `end`
import os

from hostile.honest import Act, child, play, rest


def daemon() -> None:
    os.setsid()
    child(rest)


def misdeed(_: Act) -> None:
    os.waitpid(child(daemon), 0)
    os._exit(1)


play(misdeed)

# story: writes as much to standard error as is still allowed
# row: protocol: stderr flood
# expect: plays
from hostile.honest import Act, answer, play, write


def misdeed(act: Act) -> None:
    answer(act)
    write(b"x" * 15 * 2**20, to=2)


play(misdeed)

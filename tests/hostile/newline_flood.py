# story: makes its pipe as large as it gets and fills it with newlines on the opponent's turn
# row: protocol: flood of newlines off turn
# expect: malformed protocol output
# hint: an empty line
import fcntl
import os
from contextlib import suppress

from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act)
    with suppress(OSError):
        fcntl.fcntl(1, fcntl.F_SETPIPE_SZ, 2**20)
    os.set_blocking(1, False)
    try:
        while True:
            os.write(1, b"\n" * 65536)
    except BlockingIOError:
        os.set_blocking(1, True)


play(misdeed)

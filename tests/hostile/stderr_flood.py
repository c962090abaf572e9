# story: writes to standard error without end
# row: protocol: stderr flood
# expect: output
# hint: stderr is bounded
from hostile.honest import Act, play, write


def misdeed(_: Act) -> None:
    for _mb in range(4096):
        write(b"x" * 65536, to=2)


play(misdeed)

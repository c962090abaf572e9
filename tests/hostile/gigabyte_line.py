# story: writes a line of a gigabyte that never ends
# row: protocol: flood without newline
# expect: output
# hint: keep lines short
from hostile.honest import Act, play, write


def misdeed(_: Act) -> None:
    for _mb in range(1024):
        write(b"x" * 2**20)


play(misdeed)

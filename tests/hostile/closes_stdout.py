# story: closes standard output and lives on
# row: protocol: closes stdout
# expect: late
# hint: has closed its standard output
import os

from hostile.honest import Act, play, rest


def misdeed(_: Act) -> None:
    os.close(1)
    rest()


play(misdeed)

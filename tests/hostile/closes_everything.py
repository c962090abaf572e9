# story: closes all that it has, and lives on
# row: protocol: closes stdout
# expect: late
# hint: has closed its standard output
import os

from hostile.honest import Act, play, rest


def misdeed(_: Act) -> None:
    os.closerange(0, 256)
    rest()


play(misdeed)

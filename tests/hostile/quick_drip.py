# story: writes every answer a byte at a time, and in time
# row: protocol: slow drip
# expect: plays
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    for byte in text_of(act).encode() + b"\n":
        write(bytes([byte]))


play(misdeed, at=0)

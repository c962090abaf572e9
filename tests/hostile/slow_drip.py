# story: writes its answer a byte at a time, and would need a minute for it
# row: protocol: slow drip
# expect: late
# hint: does it end with a newline
import time

from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    for byte in text_of(act).encode():
        write(bytes([byte]))
        time.sleep(0.05)


play(misdeed)

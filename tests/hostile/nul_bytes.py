# story: pads its answer with NUL bytes, as a buffer of fixed length is
# row: protocol: NUL bytes
# expect: malformed
# hint: stdout is for answers only
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write(text_of(act).encode().ljust(512, b"\0") + b"\n")


play(misdeed)

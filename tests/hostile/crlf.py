# story: ends its lines with CR LF, as on Windows
# row: protocol: CRLF
# expect: plays
from hostile.honest import Act, play, text_of, write


def misdeed(act: Act) -> None:
    write(text_of(act).encode() + b"\r\n")


play(misdeed, at=0)

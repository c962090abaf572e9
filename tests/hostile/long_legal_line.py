# story: gives the right answer on a line that is one blank too long
# row: protocol: flood without newline
# expect: output
# hint: keep lines short
from hostile.honest import Act, play, say, text_of


def misdeed(act: Act) -> None:
    say(text_of(act).ljust(16 * 1024))


play(misdeed)

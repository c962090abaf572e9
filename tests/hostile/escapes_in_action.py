# story: plays an action that would clear the screen of whoever reads about it, and set its title
# row: protocol: ANSI escapes
# expect: illegal
# hint: to the letter
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, action="\x1b[2J\x1b]0;owned\x07[/red]\r7D")


play(misdeed)

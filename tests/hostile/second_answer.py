# story: gives the same right answer twice
# row: protocol: second answer sent early
# expect: protocol
# hint: answer each `act` once
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act)
    answer(act)


play(misdeed)

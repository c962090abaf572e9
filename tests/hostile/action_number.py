# story: answers with the index of the action instead of its name
# row: protocol: wrong type of a field
# expect: malformed
# hint: action
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    answer(act, action=0)


play(misdeed)

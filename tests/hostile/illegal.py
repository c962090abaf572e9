# story: plays a card that it does not hold
# row: protocol: illegal action
# expect: illegal
# hint: to the letter
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    held = act["view"]["hand"]
    answer(act, action=next(card for card in ("AH", "AD", "AC", "AS") if card not in held))


play(misdeed)

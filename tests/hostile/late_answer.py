# story: answers when its time is over, and once more
# row: protocol: answer after the timeout
# expect: late
# hint: answer in time
import time

from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    time.sleep(1)  # three times its time: a stall of the machine excuses what it lasted
    answer(act)
    time.sleep(0.1)
    answer(act)


play(misdeed)

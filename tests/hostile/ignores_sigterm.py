# story: ignores every signal that can be ignored, and sleeps
# row: protocol: ignores SIGTERM
# expect: late
# hint: answer in time
import signal
import time

from hostile.honest import LIFE_S, Act, play


def misdeed(_: Act) -> None:
    for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP, signal.SIGALRM}:
        try:
            signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError):
            continue
    signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals() - {signal.SIGALRM})
    time.sleep(LIFE_S)


play(misdeed)

# story: floods standard error while the opponent thinks, from a thread
# row: protocol: stderr flood
# expect: output plays
import threading

from hostile.honest import Act, answer, play, write


def flood() -> None:
    for _ in range(4096):
        write(b"x" * 65536, to=2)


def misdeed(act: Act) -> None:
    answer(act)
    threading.Thread(target=flood, daemon=True).start()


play(misdeed)

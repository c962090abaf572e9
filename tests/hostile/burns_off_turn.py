# story: a thread of it burns the processor while the opponent thinks
# row: resources: busy loop on the opponent's turn
# expect: plays
import threading

from hostile.honest import play, ready


def burn() -> None:
    while True:
        pass


def hello() -> None:
    ready()
    threading.Thread(target=burn, daemon=True).start()


play(hello=hello)

# story: never reads again once it is ready
# row: protocol: never reads stdin
# expect: late
# hint: it has not read the question
from hostile.honest import play, ready, rest


def hello() -> None:
    ready()
    rest()


play(hello=hello)

# story: says that it is ready twice
# row: protocol: a line nobody asked for
# expect: malformed protocol
# hint: answer `hello` once
from hostile.honest import play, ready


def hello() -> None:
    ready()
    ready()


play(hello=hello)

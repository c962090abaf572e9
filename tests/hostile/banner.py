# story: greets people on standard output before it is ready
# row: protocol: debugging on stdout
# expect: startup
# hint: stdout is for answers only
from hostile.honest import play, ready, say


def hello() -> None:
    say("Welcome to my bot! [warning][perf] cannot use huge pages")
    ready()


play(hello=hello)

# story: never says that it is ready
# row: protocol: no proper ready
# expect: startup
# time: start=1s
# hint: answer `hello` with
from hostile.honest import play, rest

play(hello=rest)

# story: takes memory until there is none before it says that it is ready
# row: resources: memory bomb
# expect: memory startup
# not-bare: bare bounds no memory
from hostile.honest import play, ready, sandboxed

held = [b"x" * 2**20 for _ in range(1024 if sandboxed() else 1)]
play(hello=ready)

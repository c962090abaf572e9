# story: takes memory until there is none
# row: resources: memory bomb
# expect: memory
# time: move=2s
# not-bare: bare bounds no memory
from hostile.honest import Act, answer, play


def misdeed(act: Act) -> None:
    held = [b"x" * 2**20 for _ in range(1024)]
    answer(act, note=f"{len(held)} MB")


play(misdeed, only_in_a_sandbox=True)

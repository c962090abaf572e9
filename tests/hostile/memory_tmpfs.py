# story: takes memory as files in /tmp, where /tmp is larger than the memory
# row: resources: memory through tmpfs
# memory: 64
# tmp: 128
# expect: memory
# time: move=2s
# not-bare: bare has no /tmp of its own
from hostile.honest import TMP, Act, answer, play


def misdeed(act: Act) -> None:
    with open(f"{TMP}/large", "wb", buffering=0) as file:
        for _ in range(100):
            file.write(b"x" * 2**20)
    answer(act)


play(misdeed, only_in_a_sandbox=True)

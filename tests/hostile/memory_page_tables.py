# story: takes memory as tables of pages, which say of a lot of nothing where it lies
# row: resources: memory through tables of pages
# memory: 32
# expect: memory
# time: move=5s
# not-bare: bare bounds no memory
import mmap

from hostile.honest import Act, play, rest

GIB, TABLE = 1 << 30, 1 << 21
NOHUGEPAGE = 15


def misdeed(_act: Act) -> None:
    kept = []
    for _ in range(40):
        nothing = mmap.mmap(-1, GIB, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ)
        nothing.madvise(NOHUGEPAGE)
        for place in range(0, GIB, TABLE):
            nothing[place]  # a page of zeros that all share, and a table for it alone
        kept.append(nothing)
    rest()


play(misdeed, only_in_a_sandbox=True)

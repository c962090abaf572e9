# story: reserves a hundred gigabytes of addresses, as some runtimes do, and touches none
# row: resources: memory bomb
# expect: plays
import mmap

from hostile.honest import Act, answer, play

NORESERVE = 0x4000
reserved: list[mmap.mmap] = []


def misdeed(act: Act) -> None:
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
    reserved.append(mmap.mmap(-1, 100 * 2**30, flags=flags, prot=mmap.PROT_READ))
    answer(act)


play(misdeed)

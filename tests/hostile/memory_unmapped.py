# story: takes memory that it shares with nobody, and lets go of the pages so that no process has it
# row: resources: memory through mappings without pages
# memory: 64
# expect: memory
# time: move=5s
# before: 1 GiB without control groups, as no process had its pages mapped
# after: without control groups no such memory is to be had
# not-bare: bare bounds no memory
import mmap
import os
from collections.abc import Callable

from hostile.honest import Act, answer, play

MIB = 1 << 20
TIMES, EACH = 16, 16 * MIB


def anonymous() -> mmap.mmap:
    return mmap.mmap(-1, EACH, flags=mmap.MAP_SHARED)


def of_zeros() -> mmap.mmap:
    """The device makes new memory of each mapping that is shared."""
    device = os.open("/dev/zero", os.O_RDWR)
    try:
        return mmap.mmap(device, EACH, flags=mmap.MAP_SHARED)
    finally:
        os.close(device)


def takes(mapping: Callable[[], mmap.mmap]) -> list[mmap.mmap]:
    """Four times what it may have; the pages stay, for the mapping could read them again."""
    kept = []
    for _ in range(TIMES):
        memory = mapping()
        for place in range(0, EACH, mmap.PAGESIZE):
            memory[place] = 1
        memory.madvise(mmap.MADV_DONTNEED)
        kept.append(memory)
    return kept


def misdeed(act: Act) -> None:
    kept = []
    for mapping in (anonymous, of_zeros):
        try:
            kept += takes(mapping)
        except OSError:
            continue
    answer(act, **({"action": f"ESCAPED:{len(kept) * EACH // MIB} MiB"} if kept else {}))


play(misdeed, only_in_a_sandbox=True)

# story: makes empty files with long names in memory, and mappings that it never touches
# row: resources: memory through mappings without pages
# memory: 64
# expect: memory plays - where the number of files and mappings is bound, it plays
# time: move=5s
# before: 2,094 MiB of files and 731 MiB of mappings where 256 are allowed, without control groups
# after: both count as its memory there
# not-bare: bare bounds no memory
import mmap
import os
from contextlib import suppress

from hostile.honest import TMP, Act, answer, child, play, rest

FILES = 200_000
NAME = "x" * 200
MAPPINGS = 30_000
PROCESSES = 30


def many_files() -> None:
    with suppress(OSError):
        for number in range(FILES):
            os.close(os.open(f"{TMP}/{NAME}{number}", os.O_CREAT | os.O_WRONLY))


def many_mappings() -> None:
    kept = []
    with suppress(OSError):
        for number in range(MAPPINGS):
            rights = mmap.PROT_READ if number % 2 else mmap.PROT_READ | mmap.PROT_WRITE
            kept.append(mmap.mmap(-1, mmap.PAGESIZE, flags=mmap.MAP_PRIVATE, prot=rights))
    rest()


def misdeed(act: Act) -> None:
    for _ in range(PROCESSES):
        child(many_mappings)
    many_files()
    answer(act)


play(misdeed, only_in_a_sandbox=True)

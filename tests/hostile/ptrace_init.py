# story: takes hold of process 1 and of every other that it sees, as a debugger does
# row: escape: ptrace of init and others
# expect: plays
# not-bare: bare forbids no system call
import os
from functools import partial

from hostile.honest import child, first_that_works, rest, spy
from hostile.kernel import buffer, call

ATTACH, SEIZE = 16, 0x4206


def attack() -> str:
    child(rest)
    others = [int(name) for name in os.listdir("/proc") if name.isdigit()]
    memory = buffer(16, (0).to_bytes(8, "little") + (8).to_bytes(8, "little"))
    found = first_that_works(
        {
            f"{word} {pid}": partial(call, "ptrace", request, pid, 0, 0)
            for pid in others
            if pid != os.getpid()
            for word, request in (("attach to", ATTACH), ("seize", SEIZE))
        }
    )
    return found or first_that_works(
        {
            "read of the memory of 1": lambda: call("process_vm_readv", 1, memory, 1, memory, 1, 0),
            "kcmp": lambda: call("kcmp", os.getpid(), 1, 0, 0, 0),
            "pidfd_getfd": lambda: call("pidfd_getfd", os.pidfd_open(1), 0, 0),
        }
    )


spy(attack)

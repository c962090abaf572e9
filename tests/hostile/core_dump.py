# story: has children die with core dumps, and asks for large ones
# row: resources: core dumps
# expect: plays
import os
import re
import resource
from contextlib import suppress

from hostile.honest import TMP, child, sandboxed, spy


def attack() -> str:
    if sandboxed():
        os.chdir(TMP)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_CORE, (resource.RLIM_INFINITY,) * 2)
    for _ in range(3):
        os.waitpid(child(os.abort), 0)
    left = [name for name in os.listdir() if re.fullmatch(r"core(\.\d+)?", name)]
    return "a core dump" if left else ""


spy(attack, only_in_a_sandbox=False)

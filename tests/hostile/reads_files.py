# story: looks for secrets, for the referee's files, for other bots and for the host's sockets
# row: escape: read of the referee's files
# expect: plays
# not-bare: bare hides no files
import os
from functools import partial

from hostile.honest import TMP, first_that_works, spy

SECRET = ("/etc/shadow", "/etc/ssh", "/root", "/home", "/srv", "/mnt", "/media", "/var/log")
OURS = ("/run/docker.sock", "/var/run/docker.sock", "/run/briscola-referee", "/var/lib/docker")
ROUND_ABOUT = (*(f"/proc/1/root{path}" for path in SECRET), "/proc/self/cwd/../root")


def look(path: str) -> None:
    if os.path.isdir(path):
        if not [name for name in os.listdir(path) if not name.startswith(".")]:
            raise OSError("empty")
    else:
        os.close(os.open(path, os.O_RDONLY))


def attack() -> str:
    paths = (*SECRET, *OURS, *ROUND_ABOUT)
    found = first_that_works({path: partial(look, path) for path in paths})
    expected = {"bin", "bot", "dev", "etc", "io", "lib", "lib32", "lib64", "libx32", "proc", "sbin"}
    more = {".dockerenv", "home", "launcher", "root", "run", "source", "sys", "tmp", "usr", "var"}
    strange = set(os.listdir("/")) - expected - more
    if os.listdir(TMP):
        return "somebody else's files in /tmp"
    return found or (f"/{min(strange)}" if strange else "")


spy(attack, at=1)

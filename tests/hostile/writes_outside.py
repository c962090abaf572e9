# story: writes wherever it has no business, kernel settings and control groups included
# row: escape: write outside /tmp
# expect: plays
# not-bare: bare lets a bot write where its user may
import os
import stat
from collections.abc import Callable
from functools import partial

from hostile.honest import TMP, first_that_works, spy, write

FOLDERS = ("/", "/dev", "/etc", "/home", "/proc", "/root", "/run", "/sys", "/usr/bin", "/var")
SETTINGS = (
    "/proc/sys/kernel/core_pattern",
    "/proc/sys/vm/overcommit_memory",
    "/proc/sysrq-trigger",
    "/sys/fs/cgroup/cgroup.procs",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/pids/pids.max",
    "/etc/passwd",
    "/usr/bin/env",
)
DEVICES = ("/dev/mem", "/dev/kmsg", "/dev/kvm", "/dev/fuse", "/dev/net/tun", "/dev/sda", "/dev/vda")
NULL_DEVICE = os.makedev(1, 3)


def become_root() -> None:
    write(b"0 0 1\n", to=os.open("/proc/self/uid_map", os.O_WRONLY))


def attack() -> str:
    create = os.O_CREAT | os.O_WRONLY
    attempts: dict[str, Callable[[], object]] = {
        **{path: partial(os.open, f"{path}/hostile", create) for path in FOLDERS},
        **{path: partial(os.open, path, os.O_WRONLY) for path in SETTINGS},
        **{path: partial(os.open, path, os.O_RDONLY) for path in DEVICES},
        "uid_map": become_root,
        "mknod": lambda: os.mknod(f"{TMP}/null", stat.S_IFCHR | 0o666, NULL_DEVICE),
    }
    return first_that_works(attempts)


spy(attack)

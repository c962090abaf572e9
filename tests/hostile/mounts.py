# story: mounts things over others, and changes its root
# row: escape: mount
# expect: plays
# not-bare: bare forbids no system call
from hostile.honest import TMP, first_that_works, spy
from hostile.kernel import buffer, call

BIND, REMOUNT, DETACH = 4096, 32, 2
HERE = -100
place = TMP.encode()


def attack() -> str:
    return first_that_works(
        {
            "a tmpfs": lambda: call("mount", b"x", place, b"tmpfs", 0, None),
            "a bind": lambda: call("mount", b"/usr", place, None, BIND, None),
            "/bot for writing": lambda: call("mount", None, b"/bot", None, BIND | REMOUNT, None),
            "umount": lambda: call("umount2", b"/bot", DETACH),
            "pivot_root": lambda: call("pivot_root", place, place),
            "chroot": lambda: call("chroot", place),
            "fsopen": lambda: call("fsopen", b"tmpfs", 0),
            "open_tree": lambda: call("open_tree", HERE, b"/usr", 1),
            "mount_setattr": lambda: call("mount_setattr", HERE, b"/bot", 0, buffer(32), 32),
        }
    )


spy(attack)

# story: makes its own files different from those that were submitted
# row: escape: state between games
# expect: plays
# not-bare: bare has no folders of its own
import os

from hostile.honest import first_that_works, spy


def other_time(path: str) -> None:
    """A call that does nothing is no attack."""
    before = os.stat(path).st_mtime_ns
    os.utime(path)
    if os.stat(path).st_mtime_ns == before:
        raise OSError


def attack() -> str:
    own = os.path.abspath(__file__)
    return first_that_works(
        {
            "a new file": lambda: os.open("new", os.O_CREAT | os.O_WRONLY),
            "its own program": lambda: os.open(own, os.O_WRONLY),
            "another mode": lambda: os.chmod(own, 0o700),
            "another time": lambda: other_time(own),
            "no program": lambda: os.unlink(own),
            "another name": lambda: os.rename(own, "other"),
            "an attribute": lambda: os.setxattr(own, "user.hostile", b"x"),
            "a new folder": lambda: os.mkdir("folder"),
        }
    )


spy(attack)

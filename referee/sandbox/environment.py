"""What a bot finds around it, in every sandbox alike."""

from glob import glob
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:  # slow to import, and a process that counts needs none of it
    from referee.bots.settings import Bounds

NOBODY: Final = 65534
"""The user that a bot is, as it sees itself."""

OPEN_FILES: Final = 256
"""How many files a process may have open."""

SIGNALS: Final = 1024
"""How many signals and timers may wait where no group counts the memory that they take."""

TMP_FILES: Final = 4096
"""How many files /tmp may hold where they can be bound."""

LOCKED: Final = 0
"""How many bytes a process may keep in memory: what a bot has read is dropped when it ends."""

ENTRIES: Final = ("bin", "lib", "lib32", "lib64", "libx32", "sbin")
"""What there is in / beside /usr: links into it, but on systems that still have them apart."""

ETC: Final = ("/etc/alternatives", "/etc/ld.so.cache", "/etc/ld.so.conf", *glob("/etc/java-*"))
"""What programs need of /etc."""

MIB: Final = 1 << 20


def environment(bounds: "Bounds", path: str) -> dict[str, str]:
    """What a bot's environment holds, in every sandbox alike."""
    return {
        "PATH": path,
        "HOME": "/tmp",  # noqa: S108  # the bot's own
        "TMPDIR": "/tmp",  # noqa: S108  # the bot's own
        "LANG": "C.UTF-8",
        "PYTHONUNBUFFERED": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        # the Java machine would size itself by the whole host
        "JDK_JAVA_OPTIONS": f"-Xmx{max(bounds.memory * 5 // 8, 16)}m -XX:+UseSerialGC",
    }


def own_memory(bounds: "Bounds") -> int:
    """Return how much memory of its own a process may have where no group counts all, in bytes."""
    return (bounds.memory + 64) * MIB


def file_limit(bounds: "Bounds") -> int:
    """How large a file may be, in bytes."""
    return max(bounds.tmp, 64) * MIB

"""What is in the place of closed files where the kernel has no Landlock: mounts over them."""

from typing import Final

from referee.sandbox.masks import hidden
from support.breaks import unmasked
from support.walls import Wall, shows
from support.walls_of_docker import masked_no_more

_KEYS: Final = ("/proc/keys", "/proc/key-users")
OF_BWRAP: Final = (
    *(
        Wall(f"mask of {path}", unmasked(path), ("counters",), path)
        for path in (*hidden(), "/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/uptime")
        if shows(path) and path not in _KEYS
    ),
    *(
        Wall(
            f"keys of {path}",
            unmasked(path),
            reason="only bots of a user who is logged in would see any: those of that user",
        )
        for path in _KEYS
    ),
)
OF_DOCKER: Final = (
    *(
        Wall(f"mask of {path}", unmasked(path), ("counters",), path)
        for path in ("/proc/stat", "/proc/meminfo", "/proc/loadavg", "/proc/uptime")
    ),
    *(
        Wall(f"mask of {path}", masked_no_more(path), ("counters",), path)
        for path in ("/proc/interrupts", "/proc/vmstat", "/proc/locks", "/proc/pressure")
        if shows(path)
    ),
)

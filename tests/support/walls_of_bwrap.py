"""The walls of bubblewrap as root has it, with control groups.

That nothing gives new privileges, and that a bot has mounts of its own, no option of bubblewrap
takes away: these two are not broken here.
"""

import resource
from typing import Final

from referee.sandbox.bubblewrap import sandbox as bubblewrap
from referee.sandbox.user_ids import FIRST_UID
from support.breaks import (
    allow_everything,
    cache_kept,
    devices_of_the_host,
    files_of,
    folder_writable,
    mappings_uncounted,
    masks_writable,
    never_frozen,
    not_killed,
    nothing_refused,
    options,
    outside,
    page_tables_uncounted,
    proc_open,
    same_user,
    shared,
    size_of,
    unfiltered,
    unlimited,
    waiters_uncounted,
    with_descriptor,
    with_environment,
    with_session,
    without,
    without_janitor,
    without_limit,
    without_overlays,
    without_shares,
)
from support.walls import Wall, spawned
from support.walls_of_builds import WALLS as BUILDS
from support.walls_of_filter import CLOSED, GROUPS, another_root, mounts, tracing

_NO_DEVICE: Final = "the files belong to root, and bots have other user ids"
_OVERLAID: Final = f"{_NO_DEVICE}; overlays are read-only, too"
_SPACES: Final = tuple(
    Wall(f"namespace: {kind}", options(*changes), (row,), word, harmful=harmful)
    for kind, changes, row, word, harmful in (
        ("pid", ((("--unshare-pid",), ()),), "others", "pid", ("taken-over",)),
        ("net", ((("--unshare-net",), ()),), "network", "", ()),
        ("ipc", ((("--unshare-ipc",), ()),), "others", "ipc", ()),
        (
            *("uts", ((("--unshare-uts",), ()), (("--hostname", "bot"), ()))),
            *("others", "uts", ()),
        ),
        ("cgroup", ((("--unshare-cgroup-try",), ()),), "others", "cgroup", ()),
    )
)
_LIMITS: Final = tuple(
    Wall(f"limit of {what}", without_limit(kind), ("limits",), what)
    for what, kind in (
        ("cores", resource.RLIMIT_CORE),
        ("open files", resource.RLIMIT_NOFILE),
        ("locked memory", resource.RLIMIT_MEMLOCK),
    )
)
_MEMORY: Final = ("memory.limit_in_bytes", "memory.max")
_SWAP: Final = ("memory.memsw.limit_in_bytes", "memory.swap.max")
_LIMITS_OF_GROUPS: Final = (
    Wall("group: memory", unlimited(*_MEMORY, *_SWAP), ("memory",)),
    Wall(
        "mappings",
        mappings_uncounted,
        ("mappings",),
        "no end",
        behind=("group: memory",),
        reason="the kernel's memory for them counts as the bot's",
    ),
    Wall(
        "page tables",
        page_tables_uncounted,
        test="tests/sandbox/test_zoo.py::test_an_animal_gets_its_verdict_and_harms_nobody[page_tables-bwrap]",
    ),
    Wall("waiters", waiters_uncounted, ("waiters",), "no end"),
    Wall("group: processes", unlimited("pids.max"), ("processes",)),
    Wall("group: joined for memory", outside("memory"), ("memory", "memory-children")),
    Wall("group: joined for processes", outside("pids"), ("processes",)),
    Wall("group: joined for time", outside("cpuacct"), ("cpu", "cpu-children")),
    # "shares" need not notice: where the kernel groups by sessions, bots have those, and no others
    Wall("group: shares of the processor", without_shares, ("idle",)),
    Wall(
        "group: joined for freezing",
        outside("freezer"),
        ("freeze", "freeze-daemons"),
        behind=("freezer",),
        reason="where version 2 is mounted, too, the members of all groups are frozen by that",
    ),
    Wall("freezer", never_frozen, ("freeze", "freeze-daemons")),
    Wall("release of what was read", cache_kept, ("cache",)),
    Wall(
        "group: swap",
        unlimited(*_SWAP),
        reason="a machine without swap, as this one, has nothing that it could hold back",
    ),
)
_ALL_BUT_GROUPS: Final = (
    *_SPACES,
    Wall(
        "namespace: user",
        options(
            *((("--unshare-user",), ()), (("--disable-userns",), ())),
            *((("--uid", "65534"), ()), (("--gid", "65534"), ())),
        ),
        ("privileges",),
        "user id 0",
        behind=("user ids",),
        reason="bubblewrap makes one unasked for every user but root, and bots are none of root's",
    ),
    Wall(
        "no namespaces of its own",
        without("--disable-userns"),
        ("calls",),
        "unshare a user namespace (it worked)",
        behind=("filter: new namespaces",),
        reason="the filter refuses the calls that make them",
    ),
    Wall(
        "capabilities",
        options((("--cap-drop", "ALL"), ("--cap-add", "ALL"))),
        ("privileges",),
        "Cap",
    ),
    Wall("user ids", same_user(None), ("user",)),
    Wall("user ids: one for each", same_user(FIRST_UID), ("user",)),
    Wall(
        "session",
        spawned(bubblewrap, with_session),
        ("session",),
    ),
    Wall(
        "session inside",
        without("--new-session"),
        ("session",),
        behind=("session",),
        reason="the program outside has a session of its own, which the bot is in",
    ),
    Wall(
        "empty environment",
        spawned(bubblewrap, with_environment),
        ("environment",),
        behind=(CLOSED,),
        reason="a bot cannot read what bubblewrap's own process has",
    ),
    Wall(
        "environment cleared",
        without("--clearenv"),
        ("environment",),
        "variable",
        behind=("empty environment",),
        reason="bubblewrap itself is started with an empty environment",
    ),
    Wall("closed descriptors", spawned(bubblewrap, with_descriptor), ("descriptors",)),
    Wall("overlays", without_overlays, ("folder-locks",), "/usr"),
    Wall(
        "read-only: /usr",
        folder_writable("/usr"),
        ("files-written",),
        "/usr",
        behind=("user ids", "overlays"),
        reason=_OVERLAID,
    ),
    Wall(
        "read-only: /etc",
        folder_writable("/etc"),
        ("files-written",),
        "/etc",
        behind=("user ids", "overlays"),
        reason=_OVERLAID,
    ),
    Wall(
        "read-only: its own folder",
        folder_writable("/bot"),
        ("files-written",),
        "/bot",
        behind=("user ids",),
        reason=_NO_DEVICE,
    ),
    Wall(
        "read-only: the constants of /proc",
        masks_writable,
        ("files-written",),
        "/proc/stat",
        behind=("user ids",),
        reason=_NO_DEVICE,
    ),
    Wall("read-only: the root", options((("--remount-ro", "/"), ())), ("files-written",)),
    Wall(
        "its own /proc",
        options((("--proc", "/proc"), ("--ro-bind", "/proc", "/proc"))),
        ("others",),
        harmful=("taken-over",),
    ),
    Wall("its own /dev", devices_of_the_host, ("files-written",)),
    *(
        Wall(
            f"its own {folder}",
            shared(folder),
            ("state",),
            f"{folder}/",
            harmful=("tmp", "tmp-files", "memory-files"),
        )
        for folder in ("/tmp", "/dev/shm")
    ),
    Wall("size of /tmp", size_of("/tmp"), ("tmp",)),
    Wall(
        "number of files in /tmp",
        files_of("/tmp"),
        ("tmp-files",),
    ),
    Wall("filter", allow_everything, ("calls", "pages", "network", "locks", "pinned")),
    Wall(
        "filter as a whole",
        spawned(bubblewrap, unfiltered),
        ("privileges", "calls"),
    ),
    Wall("janitor", without_janitor, ("orphans",)),
    Wall(
        "end of the first process",
        not_killed,
        ("deaf",),
    ),
    Wall(
        "end with the referee",
        without("--die-with-parent"),
        ("orphans",),
        "process",
        behind=("janitor",),
        reason="the janitor ends what carries the run's name",
    ),
    Wall(CLOSED, proc_open, ("marks", "counters")),
    Wall(
        "refusal of what closes them",
        nothing_refused,
        ("calls",),
        "landlock_create_ruleset",
    ),
    *_LIMITS,
)
WALLS: Final = (
    *_ALL_BUT_GROUPS,
    *_LIMITS_OF_GROUPS,
    Wall("size of /dev/shm", size_of("/dev/shm"), ("memory-files",), "/dev/shm"),
    Wall(
        "limit of the size of a file",
        without_limit(resource.RLIMIT_FSIZE),
        ("limits",),
        "size of a file",
    ),
    *BUILDS,
    *GROUPS,
    tracing(CLOSED),
    mounts(reason="bubblewrap's mounts are of a user namespace above that of the bot"),
    another_root(behind=("capabilities",)),
)

"""What trials find out about a sandbox, and what it was to enforce. Pure."""

from collections.abc import Mapping

from msgspec import Struct


class Terms(Struct, frozen=True):
    """What the sandbox that was tried was to enforce.

    Attributes:
        memory: MiB, of all processes together.
        tmp: MiB in /tmp.
        tmp_files: how many files there may be in it.
        shm: MiB in /dev/shm.
        processes: how many there may be, those of the sandbox itself included.
        open_files: how many a process may have open.
        user: the referee's user id.
        limits: what the kernel's limits of each process are at most, by name; sizes in bytes.
    """

    memory: int
    tmp: int
    processes: int
    open_files: int
    shm: int = 1
    tmp_files: int = 0
    user: int = 0
    limits: Mapping[str, int] = {}


class Facts(Struct, frozen=True):
    """What the trials have found. None, or no entry, is for what they have not found out.

    Times are in milliseconds. `troubles` says by guarantee why nothing was found out; the probes
    and the functions in `trials` say how the rest was found.
    """

    troubles: Mapping[str, str] = {}
    # what a bot sees, and where it can write
    secrets: tuple[str, ...] | None = None
    writable: tuple[str, ...] | None = None
    seen: tuple[str, ...] | None = None
    others: tuple[str, ...] | None = None
    shared: tuple[str, ...] | None = None
    privileges: tuple[str, ...] | None = None
    setuid: str | None = None
    descriptors: tuple[str, ...] | None = None
    users: tuple[tuple[int, ...], ...] | None = None
    traces: tuple[str, ...] | None = None
    counters: tuple[str, ...] | None = None
    times: tuple[str, ...] | None = None
    numbers: tuple[str, ...] | None = None
    process_counts: tuple[str, ...] | None = None
    marks: tuple[str, ...] | None = None
    cached: tuple[str, ...] | None = None
    # what the kernel says to it; a call that worked has no error
    sockets: tuple[str, ...] | None = None
    reached: tuple[str, ...] | None = None
    interfaces: tuple[str, ...] | None = None
    calls: Mapping[str, str] | None = None
    pages: Mapping[str, str] | None = None
    clocks: Mapping[str, str] | None = None
    cores: Mapping[str, str] | None = None
    init: Mapping[str, str] | None = None
    locks: tuple[str, ...] | None = None
    shared_folders: tuple[str, ...] | None = None
    # what it can use up
    memory_mib: int | None = None
    memory_out: bool | None = None
    children_mib: int | None = None
    children_out: bool | None = None
    shm_mib: int | None = None
    memfd_mib: int | None = None
    unmapped_mib: int = 0
    files_out: bool | None = None
    tmp_kib: int | None = None
    tmp_error: str | None = None
    tmp_files: int | None = None
    tmp_files_error: str = ""
    tmp_files_out: bool | None = None
    mapped: int | None = None
    mapped_out: bool | None = None
    waiting: int | None = None
    waiting_out: bool | None = None
    forks: int | None = None
    open_files: int | None = None
    core_dumped: bool | None = None
    limits: Mapping[str, int] | None = None
    # how it lives and ends
    own_session: bool | None = None
    survivors: tuple[str, ...] | None = None
    deaf_ms: int | None = None
    stopped_ms: int | None = None
    first_memory: str | None = None
    taken_over_ms: int | None = None
    taken_over_left: tuple[str, ...] | None = None
    orphans: tuple[str, ...] | None = None
    frozen_ms: int | None = None
    frozen_daemon_ms: int | None = None
    thawed: bool | None = None
    share_percent: int | None = None
    share_of_idle_percent: int | None = None
    burned_ms: int | None = None
    counted_ms: int | None = None
    burned_elsewhere_ms: int | None = None
    counted_elsewhere_ms: int | None = None

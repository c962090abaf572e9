"""What a sandbox can guarantee: one list, which all that follows is made from. Pure."""

from typing import Final

from msgspec import Struct

from referee.doctor import criteria
from referee.doctor.measurements import Facts, Terms


class Guarantee(Struct, frozen=True):
    """One thing that a sandbox can promise.

    Attributes:
        id: a name that stays.
        promise: what is promised.
        needs: the facts without which nothing can be said.
        judge: looks at the facts.
        mend: what to do where it is broken.
    """

    id: str
    promise: str
    needs: tuple[str, ...]
    judge: criteria.Judge
    mend: str


def judged(guarantee: Guarantee, facts: Facts, terms: Terms) -> tuple[bool, str, str]:
    """Whether the facts prove a guarantee, what they are, and how to mend it."""
    if any(getattr(facts, name) is None for name in guarantee.needs):
        return False, facts.troubles.get(guarantee.id, "it was not found out"), _AGAIN
    good, detail = guarantee.judge(facts, terms)
    return good, detail, "" if good else guarantee.mend


_AGAIN: Final = "try again; if it stays so, report it with the output of `referee doctor --json`"
_BUG: Final = (
    "this should be impossible: use another sandbox, and report it with the output of "
    "`referee doctor --json`"
)
_GROUPS: Final = (
    "run the referee as root, on a kernel with the memory and pids controllers of cgroups "
    "(where memory is off: boot with cgroup_enable=memory)"
)
_MOUNTS: Final = "run the referee as root, with the right to mount (CAP_SYS_ADMIN)"
_LOOKING: Final = (
    "run the referee as root, with the right to look into its bots' processes (CAP_SYS_PTRACE and "
    "CAP_DAC_OVERRIDE)"
)
_SHARES: Final = (
    "run the referee as root, on a kernel with the cpu controller of cgroups (version 1: mounted)"
)
_FILTER: Final = (
    "the filter of system calls is not in force: the kernel needs CONFIG_SECCOMP_FILTER; " + _BUG
)

GUARANTEES: Final = (
    Guarantee(
        "network",
        "no network, and no way to the host's sockets",
        ("sockets", "reached", "interfaces"),
        criteria.network,
        _FILTER,
    ),
    Guarantee(
        "files-read",
        "nothing of the host's files but the system's programs",
        ("seen",),
        criteria.nothing("none of the host's", "seen", "seen"),
        "keep what is secret, and the referee itself, outside /usr and outside the toolchains "
        "of settings.toml",
    ),
    Guarantee(
        "files-written",
        "nothing can be written but its own /tmp and /dev/shm",
        ("writable",),
        criteria.nothing("only its own", "can be written", "writable"),
        _BUG,
    ),
    Guarantee(
        "environment",
        "nothing of the referee's environment and command lines",
        ("secrets",),
        criteria.nothing("nothing of the host", "found", "secrets"),
        _BUG,
    ),
    Guarantee(
        "descriptors",
        "nothing is open but the pipes for messages",
        ("descriptors",),
        criteria.nothing("only the three pipes", "open", "descriptors"),
        _BUG,
    ),
    Guarantee(
        "others",
        "no process is seen but the bot's own",
        ("others", "shared"),
        criteria.nothing("none seen", "seen", "others", "shared"),
        _BUG,
    ),
    Guarantee(
        "init",
        "the sandbox's first process cannot be traced",
        ("init",),
        criteria.refused("init"),
        _FILTER,
    ),
    Guarantee(
        "calls",
        "dangerous system calls are refused",
        ("calls",),
        criteria.refused("calls"),
        _FILTER,
    ),
    Guarantee(
        "pages", "the page cache is nobody's to ask", ("pages",), criteria.refused("pages"), _FILTER
    ),
    Guarantee("clock", "the clock cannot be set", ("clocks",), criteria.refused("clocks"), _FILTER),
    Guarantee(
        "pinned",
        "neither cores nor priority can be changed",
        ("cores",),
        criteria.refused("cores"),
        _FILTER,
    ),
    Guarantee(
        "privileges",
        "no privileges, and setuid programs give none",
        ("privileges", "setuid"),
        criteria.privileges,
        _BUG,
    ),
    Guarantee(
        "user",
        "a user id that is neither the referee's nor another bot's",
        ("users",),
        criteria.users,
        "run the referee as root, who can give bots other user ids",
    ),
    Guarantee(
        "state",
        "nothing is left for the next bot, or shared with another",
        ("traces",),
        criteria.nothing("nothing", "found", "traces"),
        _BUG,
    ),
    Guarantee(
        "counters",
        "nothing in /proc or /sys counts what other bots did",
        ("counters",),
        criteria.nothing("nothing changes under its own doings", "changes", "counters"),
        _BUG,
    ),
    Guarantee(
        "times",
        "no time of last reading tells what other bots read",
        ("times",),
        criteria.nothing("reading changes none", "changed by reading", "times"),
        _BUG,
    ),
    Guarantee(
        "cache",
        "the kernel keeps nothing in memory of what a bot has read",
        ("cached",),
        criteria.nothing("dropped from memory at its end", "still in memory", "cached"),
        "run the referee as root, with --sandbox bwrap, on a kernel that lets a control group drop "
        "what it read: version 1, or version 2 of Linux 5.19 or newer",
    ),
    Guarantee(
        "numbers",
        "numbers that the kernel gives out in turn tell nothing of other bots",
        ("numbers",),
        criteria.nothing("every bot begins with the same", "counted on from bot to bot", "numbers"),
        _BUG,
    ),
    Guarantee(
        "process-counts",
        "how many processes others have cannot be told",
        ("process_counts",),
        criteria.nothing("none changes with another's", "told by", "process_counts"),
        _BUG,
    ),
    Guarantee(
        "marks",
        "marks of the kernel on pages in memory tell nothing of other bots",
        ("marks",),
        criteria.nothing("no file tells of any", "told by /proc/self", "marks"),
        _BUG,
    ),
    Guarantee(
        "locks",
        "no file is locked, for others would see it",
        ("locks",),
        criteria.nothing("none can be had", "can be had", "locks"),
        _FILTER,
    ),
    Guarantee(
        "folder-locks",
        "no lock of the kernel on a folder is another bot's, too",
        ("shared_folders",),
        criteria.nothing("each bot has folders of its own", "the host's own", "shared_folders"),
        _BUG,
    ),
    Guarantee(
        "memory",
        "more memory than allowed ends the bot",
        ("memory_mib", "memory_out"),
        criteria.memory,
        _GROUPS,
    ),
    Guarantee(
        "memory-children",
        "memory is counted over all its processes together",
        ("children_mib", "children_out"),
        criteria.children,
        _GROUPS,
    ),
    Guarantee(
        "memory-files",
        "memory held as files counts, or cannot be had",
        ("shm_mib", "memfd_mib", "files_out"),
        criteria.memory_files,
        _GROUPS,
    ),
    Guarantee("tmp", "what is in /tmp has a bound", ("tmp_kib", "tmp_error"), criteria.tmp, _BUG),
    Guarantee(
        "tmp-files",
        "the number of files in /tmp has a bound",
        ("tmp_files", "tmp_files_out"),
        criteria.tmp_files,
        _MOUNTS,
    ),
    Guarantee(
        "mappings",
        "the number of mappings has a bound",
        ("mapped", "mapped_out"),
        criteria.mappings,
        _BUG,
    ),
    Guarantee(
        "waiters",
        "how much a message of a bot wakes has a bound",
        ("waiting", "waiting_out"),
        criteria.waiters,
        _LOOKING,
    ),
    Guarantee(
        "processes", "the number of processes has a bound", ("forks",), criteria.processes, _GROUPS
    ),
    Guarantee(
        "open-files",
        "the number of open files has a bound",
        ("open_files",),
        criteria.open_files,
        _BUG,
    ),
    Guarantee(
        "limits",
        "each process has the limits of its sandbox",
        ("limits",),
        criteria.limits,
        _BUG,
    ),
    Guarantee(
        "core",
        "no core is dumped",
        ("core_dumped",),
        criteria.core,
        "sysctl -w kernel.core_pattern=core: a program there is handed every core",
    ),
    Guarantee(
        "session",
        "a session of its own: no signals from our terminal",
        ("own_session",),
        criteria.session,
        _BUG,
    ),
    Guarantee(
        "survivors",
        "nothing that a bot has started outlives it",
        ("survivors",),
        criteria.nothing("none", "left", "survivors"),
        _BUG,
    ),
    Guarantee(
        "deaf", "a bot that ignores signals is ended", ("deaf_ms",), criteria.ended("deaf_ms"), _BUG
    ),
    Guarantee(
        "stopped",
        "a bot that stops itself is ended",
        ("stopped_ms",),
        criteria.ended("stopped_ms"),
        _BUG,
    ),
    Guarantee(
        "taken-over",
        "a bot that takes over that process is ended, too",
        ("first_memory", "taken_over_ms", "taken_over_left"),
        criteria.taken_over,
        _BUG,
    ),
    Guarantee(
        "orphans",
        "nothing outlives a referee that is killed",
        ("orphans",),
        criteria.nothing("none after 2 s", "left after 2 s", "orphans"),
        _BUG,
    ),
    Guarantee(
        "freeze",
        "a stopped bot uses no processor time, and goes on later",
        ("frozen_ms", "thawed"),
        criteria.freeze,
        _GROUPS,
    ),
    Guarantee(
        "freeze-daemons",
        "nor do processes that have left its session",
        ("frozen_daemon_ms",),
        criteria.freeze_daemons,
        _GROUPS,
    ),
    Guarantee(
        "shares",
        "a bot has its share of the processor, whatever another bot starts",
        ("share_percent",),
        criteria.shares,
        _SHARES,
    ),
    Guarantee(
        "idle",
        "builds and trials leave the processor to bots that play",
        ("share_of_idle_percent",),
        criteria.idle,
        _SHARES,
    ),
    Guarantee(
        "cpu",
        "its processor time is counted",
        ("burned_ms", "counted_ms"),
        lambda facts, _: criteria.counted(facts.counted_ms, facts.burned_ms),
        _GROUPS,
    ),
    Guarantee(
        "cpu-children",
        "that of its children and daemons, too",
        ("burned_elsewhere_ms", "counted_elsewhere_ms"),
        lambda facts, _: criteria.counted(facts.counted_elsewhere_ms, facts.burned_elsewhere_ms),
        _GROUPS,
    ),
)
"""All of them, in the order in which they are shown."""

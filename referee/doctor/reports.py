"""What each sandbox promises, what was proved of that, and how to mend what is missing. Pure."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from msgspec import Struct

from referee.doctor.guarantees import GUARANTEES, judged
from referee.doctor.measurements import Facts, Terms
from referee.sandbox.doctor_verdict import DoctorVerdict

BARE_PROMISES: Final = frozenset(
    {
        *("open-files", "core", "session", "survivors", "deaf", "stopped", "orphans"),
        *("freeze", "cpu"),
    }
)
_BARE_ABSENT: Final = {
    "freeze-daemons": "only the bot's process group is stopped",
    "cpu-children": "only the bot's main process is counted",
}
_USE_ANOTHER: Final = "--sandbox bwrap or docker has it"
_WATCHED: Final = "memory is looked at 20 times a second, and each process has a limit of its own"
_NO_SHARES: Final = "no control groups: a bot that starts more processes has more of the processor"
_NO_WAITERS: Final = (
    "no control groups of ours: nothing counts them, and one message stops a core for seconds"
)
_WATCHED_ABSENT: Final = {
    "waiters": _NO_WAITERS,
    "shares": _NO_SHARES,
    "idle": _NO_SHARES,
    "memory": f"no control groups: {_WATCHED}",
    "memory-children": f"no control groups: {_WATCHED}",
    "cache": "no control groups: nothing knows what a bot has read",
    "cpu-children": "no control groups: what lives shorter than a look is not counted",
}
_NUMBERS: Final = (
    "the kernel numbers pipes, sockets and events for the whole machine, and shows every process "
    "its own: a bot that makes many tells its next life something",
    "only a kernel of its own hides that: a virtual machine for each match, or gVisor",
)
_PROCESS_COUNTS: Final = (
    "the count of links of /proc is that of the processes of the whole machine, and stat tells it "
    "to every process: a bot can count those that an opponent starts",
    "only a kernel of its own hides that: a virtual machine for each match, or gVisor",
)
_NOWHERE: Final = {"numbers": _NUMBERS, "process-counts": _PROCESS_COUNTS}
"""What no sandbox promises, on any machine."""

_MARKS: Final = (
    "the kernel marks pages in memory that were used, and shows every process the marks of those "
    "that it maps: a bot that reads files of /usr tells its next life something",
    "a kernel with Landlock, Linux 5.19 or newer (where it is switched off: boot with lsm=landlock "
    "before the others) closes these files",
)
_FOLDER_LOCKS: Final = (
    "bots see the host's own folders: one that asks for new names in them keeps others from them",
    "run the referee as root, or with Docker, on Linux 6.5 or newer, with no other mount in /usr "
    "or the toolchains",
)
_AS_ROOT: Final = "run the referee as root, on a kernel with the memory controller of cgroups"
_TOP_GROUP: Final = (
    "the kernel needs the memory and pids controllers of cgroups (where memory is off: boot with "
    "cgroup_enable=memory). In a container, mount them writable; with version 2 alone its "
    "processes must leave the top group, too: cd /sys/fs/cgroup && mkdir -p others && "
    "for p in $(cat cgroup.procs); do echo $p > others/cgroup.procs; done"
)


class GuaranteeState(StrEnum):
    """What is known of a guarantee."""

    PROVED = "proved"
    BROKEN = "broken"
    ABSENT = "absent"


class GuaranteeFinding(Struct, frozen=True):
    """One guarantee, judged.

    Attributes:
        id: the guarantee's.
        detail: what was seen, or why it is not promised.
        mend: what to do; nothing where it is proved.
    """

    id: str
    promise: str
    state: GuaranteeState
    detail: str
    mend: str = ""


class Language(Struct, frozen=True):
    """A language that bots can be written in, and what its program says of its version."""

    name: str
    version: str


class SandboxReport(Struct, frozen=True):
    """What there is to say of one sandbox.

    Attributes:
        how: what it binds bots by.
        why_not: why it does not work here, if so.
        mend: how to make it work.
    """

    name: str
    works: bool
    how: str = ""
    why_not: str = ""
    mend: str = ""
    guarantees: tuple[GuaranteeFinding, ...] = ()
    languages: tuple[Language, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether it works, and everything that it promises was proved."""
        return not self.problem

    @property
    def broken(self) -> tuple[str, ...]:
        """The guarantees that do not hold, by their ids."""
        return tuple(one.id for one in self.guarantees if one.state is GuaranteeState.BROKEN)

    @property
    def problem(self) -> str:
        """Why `--sandbox auto` does not take it; "" if it works and keeps what it promises."""
        if not self.works:
            return self.why_not or "it does not work here"
        what = ", ".join(self.broken)
        return f"`referee doctor` finds broken here: {what}" if what else ""

    @property
    def absent(self) -> tuple[str, ...]:
        """The guarantees that it does not give here, though a sandbox can, by their ids."""
        return tuple(
            one.id
            for one in self.guarantees
            if one.state is GuaranteeState.ABSENT and one.id not in _NOWHERE
        )

    @property
    def verdict(self) -> DoctorVerdict:
        """What `--sandbox auto` goes by."""
        return DoctorVerdict(self.problem, self.absent)


class Machine(Struct, frozen=True):
    """What of this machine decides how to mend things.

    Attributes:
        switches: the values of the files in `SWITCHES`, where they exist.
    """

    switches: Mapping[str, str] = {}


SWITCHES: Final = {
    "/proc/sys/kernel/unprivileged_userns_clone": "0",
    "/proc/sys/kernel/apparmor_restrict_unprivileged_userns": "1",
    "/proc/sys/user/max_user_namespaces": "0",
}
"""Switches of the kernel, and the values that keep bubblewrap from working."""

_GOOD: Final = {"0": "1", "1": "0"}
_CONTAINER: Final = (
    "in a container: start it as docs/hosting/compose.yaml does, which says what that takes"
)
_HELP: Final = (
    # a word of the error, what to do
    ("Can't mount proc", _CONTAINER),
    ("pivot_root", _CONTAINER),
    ("package bubblewrap", "apt install bubblewrap (or dnf, pacman, apk add)"),
    ("the launcher was not compiled", "apt install gcc (or another C compiler), then install this"),
    ("only you can write", "chown it to yourself and chmod go-w, or remove it"),
    ("python3", "apt install python3: the trials run by /usr/bin/python3"),
    ("No module named", "pip install docker"),
    ("DOCKER_HOST", "unset DOCKER_HOST: the daemon must run on this machine"),
    ("Permission denied", "docker: add yourself to the group docker, and log in again"),
    ("docker", "start the daemon: systemctl start docker (or install the package docker.io)"),
)


def absent(
    sandbox: str, *, root: bool, watched: bool, landlock: bool, overlays: bool
) -> dict[str, tuple[str, str]]:
    """What a sandbox does not promise, by guarantee: the reason, and how to have it.

    Args:
        sandbox: its name.
        root: whether the referee is root.
        watched: whether memory is only looked at, for want of control groups.
        landlock: whether the kernel that bots run on can close files below /proc to them.
        overlays: whether each has the folders that all see as a file system of its own.
    """
    if sandbox == "bare":
        return {
            one.id: (_BARE_ABSENT.get(one.id, "no isolation"), _USE_ANOTHER)
            for one in GUARANTEES
            if one.id not in BARE_PROMISES
        }
    found = dict(_NOWHERE)
    if not landlock:
        found["marks"] = _MARKS
    if not overlays:
        found["folder-locks"] = _FOLDER_LOCKS
    if sandbox == "bwrap" and watched:
        mend = _TOP_GROUP if root else _AS_ROOT
        found |= {name: (reason, mend) for name, reason in _WATCHED_ABSENT.items()}
    if not root and sandbox == "bwrap":
        found["user"] = ("only root can give user ids: bots have the referee's", _AS_ROOT)
        found["tmp-files"] = ("bubblewrap cannot bound their number, but root can", _AS_ROOT)
    if not root and sandbox == "docker":
        found["waiters"] = (_NO_WAITERS, _AS_ROOT)
    if not root:
        found["cache"] = ("only root can have the kernel drop what a bot has read", _AS_ROOT)
    return found


def findings(
    facts: Facts, terms: Terms, missing: Mapping[str, tuple[str, str]]
) -> tuple[GuaranteeFinding, ...]:
    """Judges every guarantee."""
    found = []
    for one in GUARANTEES:
        if one.id in missing:
            reason, mend = missing[one.id]
            found.append(GuaranteeFinding(one.id, one.promise, GuaranteeState.ABSENT, reason, mend))
            continue
        good, detail, mend = judged(one, facts, terms)
        state = GuaranteeState.PROVED if good else GuaranteeState.BROKEN
        found.append(GuaranteeFinding(one.id, one.promise, state, detail, mend))
    return tuple(found)


def mend_of(sandbox: str, why_not: str, machine: Machine) -> str:
    """How to make a sandbox work that does not."""
    if sandbox == "bwrap" and "Resource temporarily unavailable" in why_not:
        return (
            "you have too many processes: end some, raise `ulimit -u`, or run the referee as root"
        )
    if sandbox == "bwrap" and "did not start" in why_not:
        return _namespaces(machine)
    for word, help_ in _HELP:
        if word in why_not and (word != "docker" or sandbox == "docker"):
            return help_
    return "see what it says; `referee doctor --json` has all of it"


def _namespaces(machine: Machine) -> str:
    """How bubblewrap may make its namespaces."""
    wrong = [path for path, bad in SWITCHES.items() if machine.switches.get(path) == bad]
    if not wrong:
        return _CONTAINER
    return "; ".join(
        f"sysctl -w {path.removeprefix('/proc/sys/').replace('/', '.')}="
        + ("15000" if "max" in path else _GOOD[SWITCHES[path]])
        for path in wrong
    )


def taken(
    verdicts: Mapping[str, DoctorVerdict], order: Iterable[str], *, strangers: bool
) -> str | None:
    """The sandbox that `auto` takes, which tries them in this order; None if it takes none.

    Args:
        verdicts: on the sandboxes; on none after the first that serves everybody.
        order: in which they are tried.
        strangers: whether it is for bots that strangers have handed in.
    """
    for name in order:
        verdict = verdicts.get(name)
        if verdict and not verdict.problem and not (strangers and verdict.absent):
            return name
    return None


def exit_code(reports: Iterable[SandboxReport], auto: str) -> int:
    """0 when the sandbox that is taken, or the only one that was asked for, is sound.

    Where auto takes bare, no sandbox works: nobody should take that for good news.
    """
    all_ = list(reports)
    if len(all_) > 1 and auto == "bare":
        return 1
    chosen = all_[0] if len(all_) == 1 else next(one for one in all_ if one.name == auto)
    return int(not chosen.sound)

"""Whether facts prove what was promised, and what was seen of it. Pure."""

from collections.abc import Callable, Mapping
from typing import Final

from referee.doctor.measurements import Facts, Terms

END_MS: Final = 2000
_FROZEN_MS: Final = 20
"""The kernel counts the time of one process in ticks of 10 ms."""

_LEAST_SHARE: Final = 35
"""Percent; it should be a half."""

_LEAST_BESIDE_IDLE: Final = 70
_OFF_BY: Final = 0.2
_NO: Final = frozenset({"EPERM", "ENOSYS", "EACCES"})
"""How a call is refused; any other error means that the kernel looked at it."""

Judgement = tuple[bool, str]
"""Whether a guarantee was kept, and what was seen of that."""

Judge = Callable[[Facts, Terms], Judgement]


def nothing(good: str, bad: str, *names: str) -> Callable[[Facts, Terms], Judgement]:
    """A judge who wants lists to be empty."""

    def judge(facts: Facts, _: Terms) -> Judgement:
        found = [one for name in names for one in getattr(facts, name)]
        return not found, f"{bad}: {', '.join(dict.fromkeys(found))}" if found else good

    return judge


def refused(name: str) -> Callable[[Facts, Terms], Judgement]:
    """A judge who wants every call to be refused."""

    def judge(facts: Facts, _: Terms) -> Judgement:
        calls: Mapping[str, str] = getattr(facts, name)
        let = [f"{call} ({error or 'it worked'})" for call, error in calls.items()]
        let = [text for text, error in zip(let, calls.values(), strict=True) if error not in _NO]
        return not let, f"not refused: {', '.join(let)}" if let else f"refused: {len(calls)}"

    return judge


def ended(name: str) -> Callable[[Facts, Terms], Judgement]:
    """A judge who wants a bot to be gone in time."""

    def judge(facts: Facts, _: Terms) -> Judgement:
        took: int = getattr(facts, name)
        return took <= END_MS, f"gone after {took} ms"

    return judge


def taken_over(facts: Facts, _: Terms) -> Judgement:
    """Gone in time, with all that it had started."""
    good = (facts.taken_over_ms or 0) <= END_MS and not facts.taken_over_left
    left = f", left: {', '.join(facts.taken_over_left)}" if facts.taken_over_left else ""
    return good, f"its memory was {facts.first_memory}; gone after {facts.taken_over_ms} ms{left}"


def network(facts: Facts, _: Terms) -> Judgement:
    """No socket, no door of the host, no interface."""
    open_ = [*(f"{kind} sockets" for kind in facts.sockets or ()), *(facts.reached or ())]
    open_ += [f"interface {name}" for name in facts.interfaces or () if name != "lo"]
    return not open_, f"open: {', '.join(open_)}" if open_ else "no socket but local ones"


def privileges(facts: Facts, _: Terms) -> Judgement:
    """No capabilities, and no program that gives any."""
    found = list(facts.privileges or ())
    if facts.setuid:
        found.append(f"setuid program {facts.setuid}")
    return not found, ", ".join(found) or "no capabilities, none to be had"


def users(facts: Facts, terms: Terms) -> Judgement:
    """User ids that no other bot has."""
    groups = facts.users or ()
    ids = [one for group in groups for one in group]
    good = all(groups) and len(ids) == len(set(ids)) and not {0, terms.user} & set(ids)
    return good, f"user ids {', '.join(map(str, ids)) or 'not found'}; the referee's {terms.user}"


def memory(facts: Facts, terms: Terms) -> Judgement:
    """Ended, before it had too much."""
    got = f"{facts.memory_mib} of {terms.memory} MiB"
    good = bool(facts.memory_out) and (facts.memory_mib or 0) <= terms.memory
    return good, f"ended when it had {got}" if facts.memory_out else f"had {got} and was not ended"


def children(facts: Facts, terms: Terms) -> Judgement:
    """Some of them ended, before all had too much."""
    got = f"{facts.children_mib} of {terms.memory} MiB"
    good = bool(facts.children_out) and (facts.children_mib or 0) <= terms.memory
    return good, f"those that were left had {got}"


def memory_files(facts: Facts, terms: Terms) -> Judgement:
    """Shared memory is small; a memfd counts, and so does what no process maps."""
    shared, file = facts.shm_mib or 0, (facts.memfd_mib or 0) + facts.unmapped_mib
    good = shared <= terms.shm and (file == 0 or bool(facts.files_out))
    kind = "ended at" if facts.files_out else "got"
    where = "unmapped" if facts.unmapped_mib else "in a memfd"
    other = f"{kind} {file} MiB {where}" if file else "memfd refused"
    return good and file <= terms.memory, f"{shared} MiB in /dev/shm, {other}"


def tmp(facts: Facts, terms: Terms) -> Judgement:
    """Full, before it was too full."""
    good = facts.tmp_error == "ENOSPC" and (facts.tmp_kib or 0) <= terms.tmp << 10
    end = facts.tmp_error or "no end"
    return good, f"{(facts.tmp_kib or 0) >> 10} of {terms.tmp} MiB, then {end}"


def tmp_files(facts: Facts, terms: Terms) -> Judgement:
    """Full, before there were so many that to free them takes the core from others."""
    end = "ended for its memory" if facts.tmp_files_out else facts.tmp_files_error
    good = facts.tmp_files_error == "ENOSPC" and (facts.tmp_files or 0) <= terms.tmp_files
    return good, f"{facts.tmp_files} empty files, then {end or 'no end'}"


def mappings(facts: Facts, _: Terms) -> Judgement:
    """There was an end to it."""
    end = "ended" if facts.mapped_out else "no end"
    return bool(facts.mapped_out), f"{facts.mapped} mappings of a file, then {end}"


def waiters(facts: Facts, _: Terms) -> Judgement:
    """There was an end to it."""
    end = "ended" if facts.waiting_out else "no end"
    return bool(facts.waiting_out), f"{facts.waiting} waiters for a pipe, then {end}"


def processes(facts: Facts, terms: Terms) -> Judgement:
    """Forking was refused in time."""
    most = terms.processes
    return 0 < (facts.forks or 0) < most, f"{facts.forks} forks; at most {most} processes"


def open_files(facts: Facts, terms: Terms) -> Judgement:
    """Opening was refused in time."""
    most = terms.open_files
    return (facts.open_files or 0) <= most, f"{facts.open_files} opened; at most {most}"


def limits(facts: Facts, terms: Terms) -> Judgement:
    """No limit is higher than it should be, or missing."""
    found = facts.limits or {}
    above = [name for name, most in terms.limits.items() if not 0 <= found.get(name, -1) <= most]
    kept = f"within {', '.join(terms.limits)}"
    return not above, f"higher than they should be: {', '.join(above)}" if above else kept


def core(facts: Facts, _: Terms) -> Judgement:
    """No core was dumped."""
    return not facts.core_dumped, "a core was dumped" if facts.core_dumped else "none was dumped"


def session(facts: Facts, _: Terms) -> Judgement:
    """Our terminal's signals do not reach it."""
    own = bool(facts.own_session)
    return own, "another than the referee's" if own else "the referee's: it gets our Ctrl-C"


def freeze(facts: Facts, _: Terms) -> Judgement:
    """No time used meanwhile, and an answer afterwards."""
    good = (facts.frozen_ms or 0) <= _FROZEN_MS and bool(facts.thawed)
    answers = "answered after it" if facts.thawed else "did not answer after it"
    return good, f"used {facts.frozen_ms} ms while stopped, {answers}"


def freeze_daemons(facts: Facts, _: Terms) -> Judgement:
    """No time used meanwhile."""
    used = facts.frozen_daemon_ms or 0
    return used <= _FROZEN_MS, f"used {used} ms while stopped"


def shares(facts: Facts, _: Terms) -> Judgement:
    """About a half of its core, whatever the other's processes are many."""
    had = facts.share_percent or 0
    return had >= _LEAST_SHARE, f"had {had} % beside another's 12 processes"


def idle(facts: Facts, _: Terms) -> Judgement:
    """Nearly all of its core."""
    had = facts.share_of_idle_percent or 0
    return had >= _LEAST_BESIDE_IDLE, f"had {had} % beside a build's 12 processes"


def counted(counted: int | None, burned: int | None) -> Judgement:
    """What was counted is about what was used."""
    counted, burned = counted or 0, burned or 0
    return abs(counted - burned) <= _OFF_BY * burned, f"used {burned} ms, counted {counted}"
